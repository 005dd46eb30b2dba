"""Model files: which there are, how they are fetched, checked, converted and kept."""
