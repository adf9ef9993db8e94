"""The numbers of a design: time, work, power, and designs of published studies."""
