"""A simulator of Amazon Mechanical Turk on this machine, for rehearsals and tests.

It shares no code with the site: no model, no gateway, no fee calculation. Otherwise an error of
the site would be repeated here and stay unnoticed.
"""
