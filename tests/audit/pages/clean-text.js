import { start } from "./chat.js";
import { TextAnswer } from "./text.js";

start({ Answer: TextAnswer });
