"""Who may do what: tokens, sessions, roles, forms that nobody else can send, headers."""
