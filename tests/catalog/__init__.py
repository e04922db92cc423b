"""Tests of the data, apart from the code: ranges, plausibility, references, nothing read as zero.

They read the catalog through the loader and the CSV files where provenance matters.
"""
