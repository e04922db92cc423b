"""Every runtime must give the same answers, bit for bit.

`python -m tests.differential --help` runs a rule book on random profiles in bulk.
"""
