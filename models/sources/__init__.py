"""Where model files come from, one module a kind of place."""
