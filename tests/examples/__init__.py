"""The example profiles, judged by what the guide, physics and measurements say."""
