/** @file Streamdown without its plugins; streamdown.tailwind.css has its styles. */

import { Streamdown } from "streamdown";

import { chat } from "../react.jsx";

chat(({ text, isDone }) => <Streamdown isAnimating={!isDone}>{text}</Streamdown>);
