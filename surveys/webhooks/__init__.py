"""Webhooks: which hosts are allowed, how messages are sent, and which events send them."""
