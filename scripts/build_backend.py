"""The build backend: setuptools, once the npm packages and the kernels are in place.

pip calls these hooks for `pip install .`, `pip install -e .` and `pip wheel .`.
A source distribution already holds the vendored files and the compiled kernels, and needs neither
npm nor a compiler; a bare clone gets the compiler from PyPI, and Node where there is no npm, for
the build alone.
"""

import shutil
from collections.abc import Mapping

from setuptools import build_meta
from setuptools.build_meta import (  # noqa: F401  (hooks pip looks up here)
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

import kernels
import vendor

Config = Mapping[str, str | list[str] | None] | None


def tools() -> list[str]:
    """What has to be fetched or compiled needs: Node where npm is not here, and the compiler."""
    npm = [vendor.NODE_FROM_PYPI] if vendor.missing() and shutil.which("npm") is None else []
    return npm + ([kernels.COMPILER_FROM_PYPI] if kernels.stale() else [])


def fill() -> None:
    """Puts everything in place that the repository does not hold."""
    vendor.fill()
    kernels.fill()


def get_requires_for_build_wheel(config_settings: Config = None) -> list[str]:
    return build_meta.get_requires_for_build_wheel(config_settings) + tools()


def get_requires_for_build_editable(config_settings: Config = None) -> list[str]:
    return build_meta.get_requires_for_build_editable(config_settings) + tools()


def get_requires_for_build_sdist(config_settings: Config = None) -> list[str]:
    return build_meta.get_requires_for_build_sdist(config_settings) + tools()


def build_wheel(
    wheel_directory: str, config_settings: Config = None, metadata_directory: str | None = None
) -> str:
    fill()
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Config = None, metadata_directory: str | None = None
) -> str:
    fill()
    return build_meta.build_editable(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: Config = None) -> str:
    fill()
    return build_meta.build_sdist(sdist_directory, config_settings)
