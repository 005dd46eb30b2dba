/**
 * @file A chat page in React. The conversation is state, a message is memoised, and so an update
 * renders the newest answer alone. New state once a frame, as libraries for chats throttle it; or
 * with every chunk, as a first version does.
 */

import { memo, useEffect, useRef, useState } from "react";
import { createRoot } from "react-dom/client";

import { oncePerFrame } from "./frame.js";
import { stickToEnd } from "./stick.js";
import { answerTo } from "./upstream.js";

/**
 * @param {React.ComponentType<{ text: string, isDone: boolean }>} Answer
 * @param {"frame" | "chunk"} per
 */
export function chat(Answer, per = "frame") {
  createRoot(document.getElementById("chat")).render(<Chat Answer={memo(Answer)} per={per} />);
}

const Message = memo(function Message({ Answer, role, content, isDone }) {
  return (
    <div className={`message ${role}`}>
      {role === "user" ? content : <Answer text={content} isDone={isDone} />}
    </div>
  );
});

function Chat({ Answer, per }) {
  const [messages, setMessages] = useState([]);
  const [draft, setDraft] = useState("");
  const [stopping, setStopping] = useState(null);
  const transcript = useRef(null);
  const content = useRef(null);
  useEffect(() => stickToEnd(transcript.current, content.current), []);

  async function submit() {
    const asked = draft.trim();
    if (!asked || stopping) return;
    const controller = new AbortController();
    const conversation = [...messages, { role: "user", content: asked }];
    setDraft("");
    setStopping(controller);
    await stream(conversation, controller.signal);
    setStopping(null);
  }

  async function stream(conversation, signal) {
    let text = "";
    const show = (isDone) =>
      setMessages([...conversation, { role: "assistant", content: text, isDone }]);
    const frame = oncePerFrame(() => show(false));
    show(false);
    try {
      for await (const piece of answerTo(conversation, signal)) {
        text += piece;
        if (per === "frame") frame.ask();
        else show(false);
      }
    } catch (error) {
      if (error.name !== "AbortError") text += ` (${error.message})`;
    }
    frame.settle();
    show(true);
  }

  function onKeyDown(event) {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  }

  return (
    <>
      <div id="transcript" ref={transcript}>
        <div ref={content}>
          {messages.map((message, index) => (
            <Message key={index} Answer={Answer} {...message} />
          ))}
        </div>
      </div>
      <form onSubmit={(event) => (event.preventDefault(), submit())}>
        <textarea id="prompt" rows={2} placeholder="Write a message" autoFocus value={draft}
          onChange={(event) => setDraft(event.target.value)} onKeyDown={onKeyDown} />
        {stopping
          ? <button id="stop" type="button" onClick={() => stopping.abort()}>Stop</button>
          : <button id="send">Send</button>}
      </form>
    </>
  );
}
