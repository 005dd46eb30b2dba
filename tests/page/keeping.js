// For test_keeping.py: a Keeper, what it told, and what lies in the database.

const NAME = "pageside-conversations";

/** What crosses between the page and its workers, and what the page reads by itself. */
const crossed = { posted: [], received: [], read: 0 };
const workers = [];
const NativeWorker = Worker;
globalThis.Worker = class extends NativeWorker {
  constructor(...args) {
    super(...args);
    workers.push(this);
    this.addEventListener("message", ({ data }) => crossed.received.push(data.type));
  }
  postMessage(message, ...rest) {
    crossed.posted.push(message);
    super.postMessage(message, ...rest);
  }
};
for (const [owner, name] of [[Blob.prototype, "text"], [Blob.prototype, "arrayBuffer"], [Blob.prototype, "stream"], [JSON, "parse"]]) {
  const native = owner[name];
  owner[name] = function (...args) {
    crossed.read += 1;
    return native.apply(this, args);
  };
}

let persisted = 0;
const persist = navigator.storage?.persist;
if (persist) {
  StorageManager.prototype.persist = function () {
    persisted += 1;
    return persist.call(this);
  };
}

const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("blocked"));
  });

/** How many rows each store has, and the database's version. */
async function rows() {
  const database = await settled(indexedDB.open(NAME));
  const counts = { version: database.version };
  for (const name of database.objectStoreNames) counts[name] = await settled(database.transaction(name).objectStore(name).count());
  database.close();
  return counts;
}

/** Makes a database, as a Pageside of the future might. */
async function makeDatabase(version, schema) {
  const request = indexedDB.open(NAME, version);
  request.onupgradeneeded = () => {
    for (const name of ["meta", "conversations", "messages", "pieces"]) {
      if (!request.result.objectStoreNames.contains(name)) request.result.createObjectStore(name);
    }
    request.transaction.objectStore("meta").put({ version: schema }, "schema");
    request.transaction.objectStore("conversations").put({ id: "theirs", tomorrow: true }, "theirs");
  };
  (await settled(request)).close();
}

const conversation = (id, fields = {}) => ({ id, title: `Title of ${id}`, createdAt: 1, changedAt: 1, leaf: null, ...fields });
const message = (id, owner, fields = {}) => ({
  ...{ id, conversation: owner, parent: null, role: "assistant", text: `text of ${id}`, state: "done", at: 1, figures: null },
  ...fields,
});

/** Opens a Keeper, once for this page. */
async function open() {
  const { Keeper } = await import("/web/keeping/keeper.js");
  const troubles = [];
  const others = [];
  const keeper = Keeper.open(
    (failure) => troubles.push(failure.code),
    (change) => others.push(`${change.kind} ${change.conversation}`),
  );
  return { keeper, troubles, others };
}

/** Streams numbered words into a message and shows each before the next frame, for ever. */
function stream(keeper, id, perTurn) {
  const shown = document.body.appendChild(document.createElement("pre"));
  let n = 0;
  const channel = new MessageChannel();
  channel.port1.onmessage = () => {
    let text = "";
    for (let i = 0; i < perTurn(n); i++) text += `w${n++} `;
    keeper.append(id, text);
    shown.append(text);
    setTimeout(() => channel.port2.postMessage(null), n % 7);
  };
  channel.port2.postMessage(null);
}

/** A file of so many conversations, each of so many messages; every tenth has the needle in one of them. */
function file(conversations, messages, text = "hay") {
  const all = Array.from({ length: conversations }, (_, c) => ({
    ...{ id: `c${c}`, title: `Conversation ${c}`, createdAt: c, changedAt: c, leaf: null },
    messages: Array.from({ length: messages }, (_, m) => ({
      ...{ id: `m${m}`, parent: m ? `m${m - 1}` : null, role: m % 2 ? "assistant" : "user", state: "done", at: m, figures: null },
      text: c % 10 === 0 && m === 3 ? `Some ${text} with the Needle of ${c} in it` : `${text} ${c} ${m}`,
    })),
  }));
  return new Blob([JSON.stringify({ format: "pageside-conversations", version: 1, conversations: all })]);
}

/** Text that cannot be made smaller: what a browser has room for is measured after it was compressed. */
function noise(length) {
  let text = "";
  while (text.length < length) text += Math.random().toString(36).slice(2);
  return text.slice(0, length);
}

const fails = (promise) => promise.then(() => null, (failure) => failure);

globalThis.keeping = { crossed, workers, rows, makeDatabase, conversation, message, open, stream, file, noise, fails, persisted: () => persisted };
