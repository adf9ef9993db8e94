"""One study moved between sites by a file."""
