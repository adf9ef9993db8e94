"""Contexts of a draft: candidates from a corpus, and the choices of experts among them."""
