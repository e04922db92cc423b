"""Runs a rule book on a profile: load, decide, explain, build the answer, record it."""
