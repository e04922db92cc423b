"""The rule book: YAML and CSV files to a typed, resolved `Book` with positions kept."""
