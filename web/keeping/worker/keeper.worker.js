/** @file The storage worker's entry: connects the archive with the page, with the database and with other tabs. */

import { Archive } from "../archive.js";
import { openDatabase } from "./database.js";

/** @import { Alive } from "../../../worker/protocol.js" */
/** @import { FromKeeper, ToKeeper } from "../protocol.js" */
/** @import { Change } from "../types.js" */

/** @param {FromKeeper | Alive} message */
const post = (message) => self.postMessage(message);

const others = new BroadcastChannel("pageside-conversations");
const archive = new Archive(
  {
    post,
    changed: (change) => others.postMessage(change),
    broken: () => self.close(), // the page hears of it by the lock, and starts another
  },
  openDatabase,
);

others.addEventListener("message", (/** @type {MessageEvent<Change>} */ { data }) => archive.other(data));
self.addEventListener("message", (/** @type {MessageEvent<ToKeeper>} */ { data }) => archive.receive(data));

const lock = `pageside-keeper-${crypto.randomUUID()}`;
void navigator.locks.request(lock, () => {
  post({ type: "alive", lock });
  return new Promise(() => {});
});
