"""The rule language: expressions from text to typed trees, with units and intervals.

Imports nothing else of this project.
"""
