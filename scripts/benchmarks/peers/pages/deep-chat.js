/** @file The web component deep-chat on OpenAI's dialect, through its own interceptors. */

import "deep-chat";

import { upstream } from "./upstream.js";

const element = document.querySelector("deep-chat");
element.connect = { url: `${upstream}/v1/chat/completions`, stream: true };
element.requestBodyLimits = { maxMessages: -1 };
element.requestInterceptor = (request) => ({
  ...request,
  body: {
    model: "pace",
    stream: true,
    messages: request.body.messages.map(({ role, text }) => ({
      role: role === "ai" ? "assistant" : role,
      content: text,
    })),
  },
});
element.responseInterceptor = (event) => {
  if (event.error) return { error: event.error.message };
  return { text: event.choices?.[0]?.delta?.content ?? "" };
};
