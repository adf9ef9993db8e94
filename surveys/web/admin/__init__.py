"""Read-only pages for operators, and the registration of an app's tables."""
