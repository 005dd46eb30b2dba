"""The peers by name: what a page or a server is made of."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Renderer:
    """One chat page of pages/renderers/; `source` is its script there."""

    source: str
    packages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Server:
    """One script of uis/, with its requirements beside it.

    `module` runs the script where it does not run itself; `files` are written into the folder
    it runs in. Every script is given HOST, PORT, PACE_URL and `environment`, whose values may
    name those and HOME in braces.
    """

    script: str
    package: str
    module: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[str, str], ...] = ()


_GFM = ("react-markdown", "remark-gfm", "react")

RENDERERS = {
    "text node": Renderer("text-node.js"),
    "innerHTML +=": Renderer("inner-html.js"),
    "marked": Renderer("marked.js", ("marked",)),
    "markdown-it": Renderer("markdown-it.js", ("markdown-it",)),
    "streaming-markdown": Renderer("streaming-markdown.js", ("streaming-markdown",)),
    "react-markdown": Renderer("react-markdown.jsx", _GFM),
    "react-markdown per chunk": Renderer("react-markdown-per-chunk.jsx", _GFM),
    "streamdown": Renderer("streamdown.jsx", ("streamdown", "react")),
    "incremark": Renderer("incremark.jsx", ("@incremark/react", "react")),
    "markstream": Renderer("markstream.jsx", ("markstream-react", "react")),
}

DEEP_CHAT = "deep-chat"

SERVERS = {
    "gradio": Server(
        "gradio_chat.py",
        "gradio",
        environment=(("GRADIO_ANALYTICS_ENABLED", "False"), ("GRADIO_SSR_MODE", "False")),
    ),
    "chainlit": Server(
        "chainlit_chat.py",
        "chainlit",
        module=("chainlit", "run", "--headless"),
        environment=(("CHAINLIT_HOST", "{HOST}"), ("CHAINLIT_PORT", "{PORT}")),
        # Its index.html asks a font service otherwise.
        files=(("public/theme.json", '{"custom_fonts": [], "variables": {}}'),),
    ),
    "nicegui": Server("nicegui_chat.py", "nicegui"),
    "open-webui": Server(
        "openwebui_chat.py",
        "open-webui",
        environment=(
            ("OPENAI_API_BASE_URL", "{PACE_URL}/v1"),
            ("OPENAI_API_KEY", "none"),
            ("DEFAULT_MODELS", "pace"),
            ("DATA_DIR", "{HOME}/data"),
            ("WEBUI_AUTH", "False"),
            ("WEBUI_SECRET_KEY", "none"),
            # Nothing is fetched, told or looked up.
            ("OFFLINE_MODE", "True"),
            ("ANONYMIZED_TELEMETRY", "False"),
            ("SCARF_NO_ANALYTICS", "True"),
            ("ENABLE_OLLAMA_API", "False"),
            ("RAG_EMBEDDING_ENGINE", "openai"),
            ("BYPASS_EMBEDDING_AND_RETRIEVAL", "True"),
            # Only the answer is asked for: no title, tags or questions after it.
            ("ENABLE_TITLE_GENERATION", "False"),
            ("ENABLE_TAGS_GENERATION", "False"),
            ("ENABLE_FOLLOW_UP_GENERATION", "False"),
            ("ENABLE_AUTOCOMPLETE_GENERATION", "False"),
        ),
    ),
}

# 7 GB with the libraries of torch: installed only by name.
HEAVY = ("open-webui",)
