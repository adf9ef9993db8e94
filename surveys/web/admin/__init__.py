"""Read-only pages for operators: those of every table, and which tables of an app have some."""
