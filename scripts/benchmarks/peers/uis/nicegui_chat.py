"""NiceGUI's example of a chat with a model, on OpenAI's client; and a Stop button, which the
example lacks."""

import asyncio
import os
from typing import Any

from html_sanitizer import Sanitizer
from nicegui import ui
from openai import AsyncOpenAI

client: Any = AsyncOpenAI(base_url=f"{os.environ['PACE_URL']}/v1", api_key="none")


def root() -> None:
    messages: list[dict[str, str]] = []
    streaming: list[asyncio.Task[Any] | None] = []

    async def send() -> None:
        question, text.value = text.value, ""
        with transcript:
            ui.chat_message(text=question, name="You", sent=True)
            bubble = ui.chat_message(name="Bot", sent=False)
            spinner = ui.spinner(type="dots")
        messages.append({"role": "user", "content": question})
        streaming.append(asyncio.current_task())
        response = ""
        try:
            chunks = await client.chat.completions.create(
                messages=messages, model="pace", stream=True
            )
            async for chunk in chunks:
                response += chunk.choices[0].delta.content or ""
                with bubble.clear():
                    ui.html(response, sanitize=Sanitizer().sanitize)
                ui.run_javascript("window.scrollTo(0, document.body.scrollHeight)")
        finally:
            streaming.remove(asyncio.current_task())
            messages.append({"role": "assistant", "content": response})
            transcript.remove(spinner)

    def stop() -> None:
        for task in filter(None, streaming):
            task.cancel()

    transcript = ui.column().classes("w-full max-w-2xl mx-auto flex-grow items-stretch")
    with ui.footer().classes("bg-white"), ui.row().classes("w-full max-w-3xl mx-auto no-wrap"):
        text = ui.input(placeholder="message").props("rounded outlined input-class=mx-3")
        text.classes("w-full self-center").on("keydown.enter", send)
        ui.button("Stop", on_click=stop)


ui.run(
    root,
    host=os.environ["HOST"],
    port=int(os.environ["PORT"]),
    title="Peer: NiceGUI",
    reload=False,
    show=False,
)
