"""How each upstream speaks: the shapes of its events, its answers and its errors."""
