"""Serving the page, the worker and the models from one origin."""
