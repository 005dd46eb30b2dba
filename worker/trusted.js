/** @file Trusted Types in the worker. */

/**
 * @typedef {object} TrustedTypePolicyFactory  not yet in TypeScript's own library
 * @property {(name: string, rules: { createScriptURL: (url: string) => string }) => unknown} createPolicy
 */

/**
 * ONNX Runtime starts its threads with `new Worker(url)`. Under
 * `require-trusted-types-for 'script'` that goes through the default policy,
 * which lets our own worker scripts pass and nothing else.
 */
export function guardScriptUrls() {
  const { trustedTypes } = /** @type {{ trustedTypes?: TrustedTypePolicyFactory }} */ (
    /** @type {unknown} */ (self)
  );
  trustedTypes?.createPolicy("default", { createScriptURL: ownScript });
}

/**
 * @param {string} url
 * @returns {string}
 */
function ownScript(url) {
  const { origin, pathname } = new URL(url, self.location.href);
  if (origin === self.location.origin && pathname.startsWith("/worker/")) return url;
  throw new TypeError(`not a worker script of this page: ${url}`);
}
