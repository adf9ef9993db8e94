"""Paid crowds: fees, budgets, ledger, reconciliation."""
