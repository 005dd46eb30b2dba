"""Chainlit on OpenAI's client, as its documentation shows it."""

import os
from typing import Any

import chainlit as cl
from openai import AsyncOpenAI

client: Any = AsyncOpenAI(base_url=f"{os.environ['PACE_URL']}/v1", api_key="none")


@cl.on_chat_start  # type: ignore[untyped-decorator]
def start() -> None:
    cl.user_session.set("messages", [])


@cl.on_message  # type: ignore[untyped-decorator]
async def answer(message: cl.Message) -> None:
    messages = cl.user_session.get("messages")
    messages.append({"role": "user", "content": message.content})
    reply = cl.Message(content="")
    stream = await client.chat.completions.create(messages=messages, model="pace", stream=True)
    async for part in stream:
        if token := part.choices[0].delta.content or "":
            await reply.stream_token(token)
    messages.append({"role": "assistant", "content": reply.content})
    await reply.update()
