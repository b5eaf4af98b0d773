"""`ragpulse console`: the web page as a process, with its settings, metrics and log."""
