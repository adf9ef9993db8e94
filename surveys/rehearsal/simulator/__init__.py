"""A stand-in for Amazon Mechanical Turk on this machine, for rehearsals and tests.

It shares nothing with the platform: no model, no gateway, no arithmetic of fees. An error of ours
would otherwise be made twice and agree with itself.
"""
