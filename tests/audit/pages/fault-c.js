// Fault C is not on this page: a proxy in front of the upstream holds its bytes back.

import { start } from "./chat.js";
import { TextAnswer } from "./text.js";

start({ Answer: TextAnswer });
