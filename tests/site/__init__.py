"""The site: built strictly in both languages, and held against the book it shows."""
