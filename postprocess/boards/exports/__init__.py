"""The files of a board, all made of the same object."""
