"""Fixtures that every folder of tests may use."""

import os
from pathlib import Path

import pytest

from pageside.models.catalogue import DEFAULT_MODEL
from pageside.models.errors import PagesideError
from pageside.models.store import ModelStore

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def default_store() -> ModelStore:
    """The store with the real default model, filled beforehand: tests download nothing."""
    home = Path(os.environ.get("PAGESIDE_HOME") or REPOSITORY / ".cache" / "pageside")
    store = ModelStore(home / "models")
    try:
        store.find(DEFAULT_MODEL)
    except PagesideError as error:
        pytest.fail(
            f"{error.message} (in {store.root}): run scripts/test, "
            f"or PAGESIDE_HOME={home} pageside models pull",
            pytrace=False,
        )
    return store


@pytest.fixture(scope="session")
def default_folder(default_store: ModelStore) -> Path:
    """The real default model's folder."""
    manifest = default_store.find(DEFAULT_MODEL)
    return default_store.root / manifest.id / manifest.revision


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Playwright runs on asyncio alone."""
    return "asyncio"
