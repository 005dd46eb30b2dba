"""`pageside models`: what is in the store, and how it gets in and out."""

import argparse
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pageside.models.store import ModelStore

_EXAMPLES = """\
examples:
  pageside models list                           what is here, what can be pulled
  pageside models pull smollm2-135m-instruct     fetch, verify and convert a model
  pageside models verify                         read every byte of every model
  pageside models where                          the folder they lie in
"""


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command and what can follow it."""
    parser = subparsers.add_parser(
        "models",
        help="list, pull, verify and remove models",
        description="The store of models.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    listing = _action(actions, "list", list_models, "what is here and what can be pulled")
    listing.add_argument("--json", action="store_true", help="for programs")
    pulling = _action(actions, "pull", pull_models, "fetch, verify and convert models")
    pulling.add_argument("ids", metavar="ID", nargs="*", help="default: the default model")
    verifying = _action(actions, "verify", verify_models, "read every byte and compare")
    verifying.add_argument("ids", metavar="ID", nargs="*", help="default: all that are here")
    removing = _action(actions, "remove", remove_models, "delete models")
    removing.add_argument("ids", metavar="ID", nargs="+")
    where = _action(actions, "where", print_folder, "the folder of a model, or of the store")
    where.add_argument("id", metavar="ID", nargs="?")


def list_models(options: argparse.Namespace) -> int:
    """Each model of the store and the catalogue: its size, or "damaged" or "absent"."""
    from pageside.models.disk import megabytes

    rows = _rows(_store())
    if options.json:
        print(json.dumps({"models": rows}, indent=1))
        return 0
    for row in rows:
        state = megabytes(row["size_bytes"]) if row["state"] == "present" else row["state"]
        about = f"{row.get('licence', '')}  {row.get('name', '')}"
        print(f"{row['id']:<28} {state:>8}  {about}".rstrip())
    return 0


def pull_models(options: argparse.Namespace) -> int:
    """Makes each model present and whole, every byte; prints the folder it is in."""
    from pageside.models.catalogue import DEFAULT_MODEL
    from pageside.models.progress import ProgressLine
    from pageside.models.pull import pull

    store = _store()
    for id in options.ids or [DEFAULT_MODEL]:
        with ProgressLine(id) as progress:
            manifest = pull(store, id, progress, read_all=True)
        print(store.root / manifest.id / manifest.revision)
    return 0


def verify_models(options: argparse.Namespace) -> int:
    """Names every file that is not as its manifest says; ModelDamaged if there is one."""
    from pageside.models.errors import ModelDamaged

    store = _store()
    damaged = []
    for id in options.ids or store.ids():
        problems = store.verify(id)
        for problem in problems:
            print(f"{id}: {problem.file}: {problem.detail}")
        if problems:
            damaged.append(id)
        else:
            print(f"{id}: every file is as its manifest says")
    if damaged:
        ids = " ".join(damaged)
        raise ModelDamaged(
            f"damaged: {ids}", hint=f"`pageside models remove {ids}`, then pull again"
        )
    return 0


def remove_models(options: argparse.Namespace) -> int:
    """Deletes each model and what its pulls left."""
    store = _store()
    for id in options.ids:
        store.remove(id)
        print(f"{id}: removed")
    return 0


def print_folder(options: argparse.Namespace) -> int:
    """Prints one path; a model that is not here is an error."""
    store = _store()
    if options.id is None:
        print(store.root)
    else:
        manifest = store.find(options.id)
        print(store.root / manifest.id / manifest.revision)
    return 0


def _rows(store: "ModelStore") -> list[dict[str, Any]]:
    from pageside.models.catalogue import CATALOGUE

    present = {manifest.id: manifest for manifest in store.manifests()}
    rows = []
    for id in sorted({*store.ids(), *CATALOGUE}):
        about = present.get(id) or CATALOGUE.get(id)
        row: dict[str, Any] = {"id": id, "state": "damaged" if id in store.ids() else "absent"}
        if about:
            row |= {"name": about.name, "licence": about.licence}
        if manifest := present.get(id):
            row["state"] = "present"
            row |= {"revision": manifest.revision, "size_bytes": manifest.size_bytes}
        rows.append(row)
    return rows


def _store() -> "ModelStore":
    from pageside.models.store import ModelStore, default_root

    return ModelStore(default_root())


def _action(
    actions: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    run: Callable[[argparse.Namespace], int],
    summary: str,
) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=summary, description=f"{summary.capitalize()}.")
    parser.set_defaults(run=run)
    return parser
