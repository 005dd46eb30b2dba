"""What the page asks: models, settings, script, health."""

import json

import pytest

from pageside.server.settings import Settings, version

from .conftest import FILES, run_site


def answer(reply):
    assert reply.status == 200
    assert reply["cache-control"] == "no-store"
    assert reply["content-type"] == "application/json"
    return json.loads(reply.body)


def test_models(site):
    sizes = {name: len(content) for name, content in FILES.items()}
    both = sizes["config.json"] + sizes["empty.json"]
    assert answer(site.ask("/api/models")) == {
        "default": "tiny",
        "models": [
            {
                "id": "tiny",
                "name": "Tiny",
                "revision": site.manifest.revision,
                "licence": "MIT",
                "architecture": "llama",
                "context_window": 128,
                "size_bytes": sum(sizes.values()),
                "download_bytes": {
                    "wasm": both
                    + sizes["model.gguf"]
                    + sizes["onnx/model.onnx"]
                    + sizes["onnx/weights.json"],
                    "webgpu": both + sizes["onnx/model_q4.onnx"],
                },
            }
        ],
    }


def test_settings(site):
    assert answer(site.ask("/api/settings")) == {
        "engine": "auto",
        "device": "auto",
        "threads": None,
        "model": {
            "id": "tiny",
            "revision": site.manifest.revision,
            "name": "Tiny",
            "context_window": 128,
        },
        "script": None,
        "version": version(),
    }


def test_health(site):
    assert answer(site.ask("/api/health")) == {
        "status": "ok",
        "version": version(),
        "model": "tiny",
    }


def test_a_model_that_is_incomplete_or_removed_is_said_to_be(own_site):
    ask = own_site.ask
    own_site.path_of("config.json").write_bytes(b"{")
    assert answer(ask("/api/models"))["models"] == []
    assert ask("/api/settings").error["code"] == "model_damaged"
    assert answer(ask("/api/health"))["model"] is None
    own_site.store.remove("tiny")
    assert answer(ask("/api/models"))["models"] == []
    assert ask("/api/settings").error["code"] == "model_unknown"
    assert ask(own_site.url_of("model.gguf")).error["code"] == "model_unknown"


@pytest.fixture
def scripted(tmp_path):
    script = tmp_path / "answers.jsonl"
    script.write_text('{"text": "one"}\n')
    site = run_site(tmp_path / "store", engine="scripted", script=script, device="wasm", threads=3)
    yield next(site).ask, script
    next(site, None)


def test_the_scripted_engine_needs_no_model(scripted):
    ask, _ = scripted
    settings = answer(ask("/api/settings"))
    assert settings["engine"] == "scripted"
    assert settings["script"] == "/api/script"
    assert settings["model"] is None
    assert (settings["device"], settings["threads"]) == ("wasm", 3)
    assert answer(ask("/api/health"))["model"] is None


def test_the_script_is_read_at_each_request(scripted):
    ask, script = scripted
    first = ask("/api/script")
    assert first["content-type"] == "application/jsonl"
    assert first.body == b'{"text": "one"}\n'
    script.write_bytes('{"text": "zwei 🌧"}\n'.encode())
    assert ask("/api/script").body == script.read_bytes()


def test_a_script_broken_meanwhile_is_an_error_with_its_line(scripted):
    ask, script = scripted
    script.write_text('{"text": "one"}\n{"text": 1}\n')
    reply = ask("/api/script")
    assert (reply.status, reply.error["code"]) == (500, "script_invalid")
    assert "answers.jsonl, line 2" in reply.error["message"]
    assert str(script.parent) not in reply.body.decode()
    script.unlink()
    assert "cannot be read" in ask("/api/script").error["message"]


def test_the_demonstration_is_the_script_of_last_resort(ask):
    reply = ask("/api/script")
    assert reply.status == 200
    assert all(json.loads(line) for line in reply.body.splitlines() if line.strip())


def test_defaults():
    settings = Settings()
    assert (settings.host, settings.port) == ("127.0.0.1", 8765)
    assert settings.allowed_hosts == ()
