"""Reading corpora: CoNLL-U, plain or compressed."""
