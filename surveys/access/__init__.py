"""Who may do what: roles, sign-in, tokens, the audit log, webhooks."""
