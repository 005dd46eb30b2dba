"""One module a subject; each measures, and returns its table."""
