"""The site: macros that put values of the book into prose, and pages generated from the book.

Built by MkDocs (`mkdocs.yml`, `mkdocs.zh.yml`); everything shown comes from the compiled book and
from the same answers that `recommend` gives.
"""
