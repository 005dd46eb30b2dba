"""A request's JSON, and the fields that are looked into; the rest is taken as it comes."""

import json
from typing import Any, TypeVar

from pageside.audit.pace.errors import BodyInvalid

Body = dict[str, Any]

T = TypeVar("T")

_NAMES: dict[type, str] = {
    str: "a string",
    bool: "true or false",
    dict: "an object",
    list: "an array",
}


def parse_body(content: bytes) -> Body:
    """BodyInvalid unless it is one JSON object."""
    try:
        body = json.loads(content)
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, json.JSONDecodeError) else "nested, or not UTF-8"
        raise BodyInvalid(f"the body cannot be read as JSON ({reason})") from error
    if not isinstance(body, dict):
        raise BodyInvalid("the body is not a JSON object")
    return body


def optional(body: Body, name: str, kind: type[T], default: T) -> T:
    """The field, or `default` where it is absent or null."""
    value = body.get(name)
    return default if value is None else _checked(name, value, kind)


def required(body: Body, name: str, kind: type[T]) -> T:
    value = body.get(name)
    if value is None:
        raise BodyInvalid(f"{name!r} is missing")
    return _checked(name, value, kind)


def _checked(name: str, value: Any, kind: type[T]) -> T:
    if not isinstance(value, kind):
        raise BodyInvalid(f"{name!r} is not {_NAMES[kind]}")
    return value


def model_of(body: Body, default: str) -> str:
    """The model that was asked for: every name is answered to."""
    return clean(optional(body, "model", str, default) or default)


def messages_of(body: Body) -> list[tuple[str, str]]:
    """(role, text) of each message."""
    return [_message(message) for message in required(body, "messages", list)]


def last_of_user(messages: list[tuple[str, str]]) -> str:
    return next((text for role, text in reversed(messages) if role == "user"), "")


def tokens_in(*texts: str) -> int:
    """A prompt's length. Pace has no tokenizer: a word is a token, and there is at least one."""
    return max(1, sum(len(text.split()) for text in texts))


def clean(text: str) -> str:
    """JSON can spell half a surrogate pair, which no response could carry back."""
    return text.encode("utf-8", "replace").decode()


def _message(message: Any) -> tuple[str, str]:
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        raise BodyInvalid("a message is not an object with a 'role'")
    return message["role"], clean(_text(message.get("content")))


def _text(content: Any) -> str:
    """A string, OpenAI's list of parts (images are passed over), or null beside tool calls."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise BodyInvalid("a message's 'content' is neither a string nor an array of parts")
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    if len(texts) < len(content):
        raise BodyInvalid("a part of a message's 'content' is not an object")
    return "\n".join(text for text in texts if isinstance(text, str))
