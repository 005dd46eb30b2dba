/** @file Markstream without its optional peers, as its manual shows it. */

import MarkdownRender from "markstream-react";
import "markstream-react/index.css";

import { chat } from "../react.jsx";

chat(({ text, isDone }) => <MarkdownRender content={text} final={isDone} fade={false} />);
