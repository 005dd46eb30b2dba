"""The page under test: recipes, finding one's way on a page, and using it as a person does."""

from pageside.audit.target.boxes import Box
from pageside.audit.target.recipe import Recipe, load_recipe, recipe_names
from pageside.audit.target.target import Target
from pageside.audit.target.visibility import hidden_init_script

__all__ = ["Box", "Recipe", "Target", "hidden_init_script", "load_recipe", "recipe_names"]
