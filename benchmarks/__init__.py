"""The speed claims, runnable."""
