"""Compilers from the typed rule book to Python, JavaScript and SQL.

All of them emit from typed trees alone; the reference evaluator says what they must answer.
"""
