/** @file Trusted Types: the only scripts that the page may start by their address are its two workers. */

/**
 * @typedef {{ createScriptURL: (url: string) => string }} ScriptUrlRules
 *
 * @typedef {object} TrustedTypePolicyFactory  not yet in TypeScript's own library
 * @property {(name: string, rules: ScriptUrlRules) => ScriptUrlRules} createPolicy
 */

const ENGINE = new URL("../worker/worker.js", import.meta.url).href;
const KEEPER = new URL("./keeping/worker/keeper.worker.js", import.meta.url).href;

/** The page's only policy lets two constants pass. */
const policy = /** @type {{ trustedTypes?: TrustedTypePolicyFactory }} */ (
  /** @type {unknown} */ (globalThis)
).trustedTypes?.createPolicy("pageside", {
  createScriptURL(url) {
    if (url !== ENGINE && url !== KEEPER) throw new TypeError(`not the address of a worker of this page: ${url}`);
    return url;
  },
});

/** Runs the model. */
export const startEngine = () => start(ENGINE, "pageside");

/** Keeps the conversations. */
export const startKeeper = () => start(KEEPER, "pageside-keeper");

/**
 * @param {string} url
 * @param {string} name
 */
const start = (url, name) => new Worker(policy?.createScriptURL(url) ?? url, { type: "module", name });
