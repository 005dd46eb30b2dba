"""No spelling of a path leads out of what is served."""

from itertools import product
from urllib.parse import quote

import pytest

from pageside.server.assets import AssetFolder
from pageside.server.errors import FileUnknown

DOTS = ["..", "%2e%2e", ".%2e", "%2E.", "%252e%252e", "..%00", "...", "%c0%ae%c0%ae"]
SLASHES = ["/", "%2f", "\\", "%5c", "%252f", "//", "/./"]
TARGETS = ["server/app.py", "pyproject.toml", "etc/passwd"]

CLIMBS = [
    slash.join([dots] * 3 + [target]) for dots, slash, target in product(DOTS, SLASHES, TARGETS)
]
ABSOLUTE = [
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "C:/Windows/win.ini",
    "c:%5cwindows%5cwin.ini",
    "//server/share",
    "%5c%5cserver%5cshare",
    "file:///etc/passwd",
]
ODD = [
    "index.html%00.js",
    "index.html%0a",
    "%0aindex.html",
    "index.html%20",
    "index.html.",
    "index.html::$DATA",
    "index.html/",
    "index.html/.",
    "./index.html",
    ".",
    "..",
    "%2e",
    "con",
    "nul.html",
    "aux",
    "a" * 300,
    "~",
    "%ff%fe",
    "%ed%a0%80",
]


@pytest.mark.parametrize("folder", ["web", "worker"])
def test_assets(ask, folder):
    for path in CLIMBS + ABSOLUTE + ODD:
        reply = ask(f"/{folder}/{path}")
        assert reply.status in (400, 404), path
        assert reply.error["code"] in ("target_invalid", "file_unknown", "not_found"), path


def test_model_files(site):
    base = f"/models/{site.manifest.id}/{site.manifest.revision}"
    for path in (
        CLIMBS + ABSOLUTE + ODD + ["onnx", "onnx/", "onnx//model.onnx", "onnx%5cmodel.onnx"]
    ):
        reply = site.ask(f"{base}/{path}")
        assert reply.status in (400, 404), path
        assert reply.error["code"] in ("target_invalid", "model_unknown", "not_found"), path


@pytest.mark.parametrize("where", ["id", "revision"])
def test_model_and_revision(site, where):
    for path in [
        ".",
        "..",
        "%2e%2e",
        "..%2f..",
        ".partial",
        ".locks",
        "%00",
        "TINY",
        "tiny%0a",
        "con",
    ]:
        id, revision = site.manifest.id, site.manifest.revision
        url = (
            f"/models/{path}/{revision}/config.json"
            if where == "id"
            else f"/models/{id}/{path}/config.json"
        )
        assert site.ask(url).status in (400, 404), path


def test_a_file_that_no_manifest_names_is_not_served(site):
    stray = site.path_of("config.json").with_name("stray.json")
    stray.write_text("{}")
    try:
        assert site.ask(site.url_of("stray.json")).error["code"] == "model_unknown"
    finally:
        stray.unlink()
    assert not stray.exists()


def test_case_matters_on_every_system(site):
    assert site.ask(site.url_of("CONFIG.json")).status == 404


def test_percent_encoding_of_a_plain_name_is_that_name(site):
    plain = site.ask(site.url_of("onnx/model.onnx"))
    encoded = site.ask(site.url_of("onnx%2f%6dodel.onnx"))
    assert plain.status == encoded.status == 200
    assert plain.body == encoded.body == b"skeleton"


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    folder = tmp_path / "web"
    folder.mkdir()
    (folder / "inside.txt").write_text("inside")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "dir").symlink_to(tmp_path)
    assets = AssetFolder(folder)
    assert assets.content("inside.txt").size_bytes == 6
    for name in ("link.txt", "dir/secret.txt", "dir", quote("dir/secret.txt")):
        with pytest.raises(FileUnknown):
            assets.content(name)


def test_hidden_files_are_not_served(tmp_path):
    (tmp_path / ".index.html.swp").write_text("draft")
    with pytest.raises(FileUnknown):
        AssetFolder(tmp_path).content(".index.html.swp")
