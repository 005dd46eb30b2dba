"""Gradio's ChatInterface on OpenAI's client, as its documentation shows it."""

import os
from collections.abc import Iterator
from typing import Any

import gradio as gr
from openai import OpenAI

client: Any = OpenAI(base_url=f"{os.environ['PACE_URL']}/v1", api_key="none")


def predict(message: str, history: list[dict[str, str]]) -> Iterator[str]:
    asked = {"role": "user", "content": message}
    stream = client.chat.completions.create(messages=[*history, asked], model="pace", stream=True)
    answer = ""
    for chunk in stream:
        answer += chunk.choices[0].delta.content or ""
        yield answer


demo = gr.ChatInterface(predict)
demo.launch(server_name=os.environ["HOST"], server_port=int(os.environ["PORT"]))
