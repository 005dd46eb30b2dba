"""The peer wllama (llama.cpp in Wasm): fetched once with npm, pinned, kept in .cache/bench."""

from pathlib import Path

import vendor

ENTRY = {
    "package": "@wllama/wllama",
    "version": "3.13.0",
    "integrity": "sha512-ZvoRdQAn+E+18EvQ9qS036gudiI9rbZRBJgG/qNICPPwrA0Y6SMMdbziz/j7K/0WxcbJlhaRraVIYsnEy732NA==",  # noqa: E501
    "into": ".cache/bench/wllama",
    "files": ["LICENCE", "esm/index.js", "esm/wasm/wllama.wasm"],
}


def folder() -> Path:
    """Where its files lie; fetched when they do not."""
    if not vendor.in_place(ENTRY):
        vendor.fetch(ENTRY)
    return vendor.REPOSITORY / str(ENTRY["into"])
