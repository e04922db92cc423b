"""Readers turn outside formats (profiles, load curves) into facts, or say exactly why not.

They know file formats and the facts a book declares, and nothing about decisions.
"""
