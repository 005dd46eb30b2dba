"""The page's and the worker's files as they lie in the folders."""

import hashlib
import os

import pytest

from pageside.server.assets import WEB, WORKER, AssetFolder, media_type


def test_the_page_is_at_the_root(ask):
    root, page = ask("/"), ask("/web/index.html")
    assert root.status == page.status == 200
    assert root.body == page.body == (WEB / "index.html").read_bytes()
    assert root["content-type"] == "text/html; charset=utf-8"
    assert root["cache-control"] == "no-cache"
    assert root["etag"] == page["etag"]


def test_every_file_of_both_folders_is_served(ask):
    folders = {"web": WEB, "worker": WORKER}
    served = [
        (f"/{prefix}/{path.relative_to(folder).as_posix()}", path)
        for prefix, folder in folders.items()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    ]
    assert len(served) > 10
    for url, path in served:
        reply = ask(url, method="HEAD")
        assert reply.status == 200, url
        assert reply["content-length"] == str(path.stat().st_size), url
        assert reply["content-type"] == media_type(path.name), url
        assert reply["cache-control"] == "no-cache", url


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/worker/protocol.js", "text/javascript; charset=utf-8"),
        ("/worker/vendor/transformers/transformers.min.js", "text/javascript; charset=utf-8"),
        (
            "/worker/vendor/onnxruntime-web/ort-wasm-simd-threaded.mjs",
            "text/javascript; charset=utf-8",
        ),
        ("/worker/vendor/onnxruntime-web/ort-wasm-simd-threaded.wasm", "application/wasm"),
        ("/worker/vendor/transformers/LICENSE", "application/octet-stream"),
    ],
)
def test_types_that_browsers_insist_on(ask, path, kind):
    assert ask(path, method="HEAD")["content-type"] == kind


def test_the_tag_is_the_content_hash_and_answers_304(ask):
    reply = ask("/worker/protocol.js")
    assert reply["etag"] == f'"sha256-{hashlib.sha256(reply.body).hexdigest()}"'
    again = ask("/worker/protocol.js", {"If-None-Match": reply["etag"]})
    assert (again.status, again.body) == (304, b"")
    part = ask("/worker/protocol.js", {"Range": "bytes=0-9"})
    assert (part.status, part.body) == (206, reply.body[:10])


def test_a_file_that_is_edited_has_a_new_tag_and_a_touched_one_has_not(tmp_path):
    path = tmp_path / "app.js"
    path.write_text("one")
    assets = AssetFolder(tmp_path)
    before = assets.content("app.js").sha256
    os.utime(path, (0, 0))
    assert assets.content("app.js").sha256 == before
    path.write_text("two")
    after = assets.content("app.js").sha256
    assert after == hashlib.sha256(b"two").hexdigest() != before


def test_a_file_is_hashed_once_while_it_stays_the_same(tmp_path):
    (tmp_path / "large.wasm").write_bytes(b"x" * 1000)
    assets = AssetFolder(tmp_path)
    assets.content("large.wasm")
    (known,) = assets._hashes.values()
    assets.content("large.wasm")
    assert next(iter(assets._hashes.values())) is known
