"""Other memory calculators, each asked for one row at a time in an environment of its own.

Nothing of the engine is imported here: these modules run beside the calculator they ask.
"""
