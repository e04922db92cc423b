"""Random rule books and profiles; for property tests (Hypothesis) and for seeded bulk runs."""
