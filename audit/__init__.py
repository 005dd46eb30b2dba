"""Measures streaming pages: whether a page keeps up with its tokens, and what is to blame."""
