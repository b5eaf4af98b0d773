"""From facts to HTML. Everything that a trace says is escaped, whoever wrote it."""
