"""The build backend: setuptools, once the npm packages the worker needs are in place.

pip calls these hooks for `pip install .`, `pip install -e .` and `pip wheel .`.
A source distribution already holds the vendored files and needs no npm; a bare
clone on a machine without npm gets Node from PyPI, for the build alone.
"""

import shutil
from collections.abc import Mapping

from setuptools import build_meta
from setuptools.build_meta import (  # noqa: F401  (hooks pip looks up here)
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

import vendor

Config = Mapping[str, str | list[str] | None] | None


def node() -> list[str]:
    """Node from PyPI, when something has to be fetched and npm is not here."""
    return [vendor.NODE_FROM_PYPI] if vendor.missing() and shutil.which("npm") is None else []


def get_requires_for_build_wheel(config_settings: Config = None) -> list[str]:
    return build_meta.get_requires_for_build_wheel(config_settings) + node()


def get_requires_for_build_editable(config_settings: Config = None) -> list[str]:
    return build_meta.get_requires_for_build_editable(config_settings) + node()


def get_requires_for_build_sdist(config_settings: Config = None) -> list[str]:
    return build_meta.get_requires_for_build_sdist(config_settings) + node()


def build_wheel(
    wheel_directory: str, config_settings: Config = None, metadata_directory: str | None = None
) -> str:
    vendor.fill()
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Config = None, metadata_directory: str | None = None
) -> str:
    vendor.fill()
    return build_meta.build_editable(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: Config = None) -> str:
    vendor.fill()
    return build_meta.build_sdist(sdist_directory, config_settings)
