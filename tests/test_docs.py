"""The documentation says what is so: commands parse, files exist, the two READMEs agree."""

import os
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from pageside.server.cli import build_parser

ROOT = Path(__file__).resolve().parent.parent
READMES = ["README.md", "README.zh-CN.md"]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text(name), flags=re.DOTALL)


def commands(name: str) -> list[list[str]]:
    """The commands of the shell blocks, as words, without their comments."""
    lines = "\n".join(blocks(name, "sh")).splitlines()
    return [shlex.split(line, comments=True) for line in lines if line.strip()]


def mentioned(name: str) -> set[str]:
    """Everything in backticks that looks like a path of the repository."""
    prose = re.sub(r"```.*?```", "", text(name), flags=re.DOTALL)
    quoted = re.findall(r"`([\w./-]+)`", prose)
    return {path for path in quoted if "/" in path and not path.startswith(("/", "http"))}


@pytest.mark.parametrize("name", READMES)
def test_every_command_is_one(name: str) -> None:
    parser = build_parser()
    shown = commands(name)
    assert len(shown) >= 10
    for program, *arguments in shown:
        if program == "pageside":
            assert parser.parse_args(arguments)
        else:
            assert os.access(ROOT / program, os.X_OK), program


@pytest.mark.parametrize("name", READMES)
def test_every_path_exists(name: str) -> None:
    paths = mentioned(name)
    assert len(paths) >= 10
    links = re.findall(r"\]\(([^)#:]+)\)", text(name))
    for path in paths | set(links):
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize("name", READMES)
def test_python_compiles(name: str) -> None:
    for block in blocks(name, "python"):
        wrapped = "async def example():\n" + "".join(f"    {line}\n" for line in block.splitlines())
        assert compile(wrapped, name, "exec").co_consts


def test_the_readmes_say_the_same() -> None:
    english, chinese = READMES
    assert commands(english) == commands(chinese)
    assert blocks(english, "python") == blocks(chinese, "python")
    assert mentioned(english) == mentioned(chinese)
    assert text(english).count("\n## ") == text(chinese).count("\n## ")
    assert text(english).count("\n| ") == text(chinese).count("\n| ")


def test_the_changelog_knows_the_version() -> None:
    version = tomllib.loads(text("pyproject.toml"))["project"]["version"]
    assert f"## {version}" in text("CHANGELOG.md")


def test_vendored_packages_are_credited() -> None:
    vendored = tomllib.loads(text("pyproject.toml"))["tool"]["pageside"]["vendor"]
    for entry in vendored:
        assert f"| `{entry['package']}` | {entry['version']} |" in text("THIRD_PARTY.md")


def test_bounds_in_the_readme_are_those_of_the_code() -> None:
    chunk = re.search(r"chunk = (\d+)", text("worker/engines/kv.js"))
    queued = re.search(r"MOST_QUEUED = (\d+)", text("web/client.js"))
    patience = re.search(r"STOP_PATIENCE_MS = (\d+)", text("web/client.js"))
    assert chunk and queued and patience
    readme = text("README.md")
    assert f"at most {chunk[1]} tokens" in readme
    assert queued[1] == "4" and "at most four prompts wait" in readme
    assert patience[1] == "3000" and "within three seconds" in readme
