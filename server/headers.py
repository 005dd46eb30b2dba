"""The headers that every response carries, errors included."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

RawHeaders = list[tuple[bytes, bytes]]

# Chromium's names as of version 156; one it does not know is a warning in every console.
# cross-origin-isolated is left out: without it there is no SharedArrayBuffer.
_DENIED_FEATURES = (
    "accelerometer",
    "autoplay",
    "browsing-topics",
    "camera",
    "captured-surface-control",
    "clipboard-read",
    "compute-pressure",
    "deferred-fetch",
    "deferred-fetch-minimal",
    "digital-credentials-create",
    "digital-credentials-get",
    "display-capture",
    "encrypted-media",
    "fullscreen",
    "gamepad",
    "geolocation",
    "gyroscope",
    "hid",
    "identity-credentials-get",
    "idle-detection",
    "interest-cohort",
    "keyboard-map",
    "language-detector",
    "language-model",
    "local-fonts",
    "local-network",
    "local-network-access",
    "loopback-network",
    "magnetometer",
    "media-playback-while-not-visible",
    "microphone",
    "midi",
    "on-device-speech-recognition",
    "otp-credentials",
    "payment",
    "picture-in-picture",
    "private-state-token-issuance",
    "private-state-token-redemption",
    "publickey-credentials-create",
    "publickey-credentials-get",
    "screen-wake-lock",
    "serial",
    "speaker-selection",
    "storage-access",
    "summarizer",
    "sync-xhr",
    "translator",
    "unload",
    "usb",
    "window-management",
    "xr-spatial-tracking",
)

# The worker reads its model over SharedArrayBuffer threads: COOP and COEP must be on
# the page *and* on the worker's script, or ONNX Runtime drops to one thread in silence.
_EVERYWHERE = {
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "permissions-policy": ", ".join(f"{feature}=()" for feature in _DENIED_FEATURES),
}

_PAGE_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "worker-src 'self'",
        "connect-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types pageside",
    )
)

# The worker's default policy passes script URLs below /worker/ of this origin, no others.
_WORKER_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "worker-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types default",
    )
)

_INERT_POLICY = "default-src 'none'; frame-ancestors 'none'"


def content_security_policy(path: str) -> str:
    """What the document or worker at `path` may do."""
    if path == "/" or path.startswith("/web/"):
        return _PAGE_POLICY
    if path.startswith("/worker/"):
        return _WORKER_POLICY
    return _INERT_POLICY


def security_headers(path: str) -> RawHeaders:
    """The headers for a response at `path`."""
    headers = {**_EVERYWHERE, "content-security-policy": content_security_policy(path)}
    return [(name.encode(), value.encode()) for name, value in headers.items()]


class SecurityHeaders:
    """Middleware that adds them, whatever the response is."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *security_headers(scope["path"])]
            await send(message)

        await self.app(scope, receive, send_secured)
