"""The commands that read and write published data sets of other layouts."""
