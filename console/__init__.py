"""The web page: what happens now, why a case failed, and the queue in which people label cases."""
