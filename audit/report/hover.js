// A timeline tells its values under the pointer. The page says all it has to say without this.

/** @typedef {{ name: string, most: number, corners: [number, number][] }} Curve */

/**
 * A path's corners, from 0 to 1000 both ways: x from the left, y from the top.
 * @param {string} path
 * @returns {[number, number][]}
 */
function cornersOf(path) {
  /** @type {[number, number][]} */
  const corners = [];
  let x = 0;
  for (const [, command, numbers = ""] of path.matchAll(/([MLHV])([^MLHV]*)/g)) {
    const [first = 0, second = 0] = numbers.split(" ").map(Number);
    if (command !== "V") x = first;
    if (command !== "H") corners.push([x, command === "V" ? first : second]);
  }
  return corners;
}

/** @param {Curve} curve @param {number} x */
function valueAt({ corners, most }, x) {
  const last = corners.findLast((corner) => corner[0] <= x);
  return last ? Math.round((1 - last[1] / 1000) * most) : 0;
}

for (const chart of /** @type {NodeListOf<SVGElement>} */ (document.querySelectorAll("svg[data-span]"))) {
  const cursor = chart.querySelector(".cursor");
  const readout = /** @type {HTMLOutputElement | null} */ (chart.parentElement?.querySelector(".readout"));
  const paths = /** @type {NodeListOf<SVGPathElement>} */ (chart.querySelectorAll("path[data-name]"));
  const spanMs = Number(chart.dataset["span"]);
  const curves = [...paths].map((path) => ({
    name: path.dataset["name"] ?? "",
    most: Number(path.dataset["most"]),
    corners: cornersOf(path.getAttribute("d") ?? ""),
  }));
  if (!cursor || !readout) continue;
  chart.addEventListener("pointermove", (event) => {
    const box = chart.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    cursor.setAttribute("x1", `${share * 100}%`);
    cursor.setAttribute("x2", `${share * 100}%`);
    const values = curves.map(
      (curve) => `${curve.name} ${valueAt(curve, share * 1000)}${curve.name === "lag" ? " ms" : ""}`,
    );
    readout.value = [`${((share * spanMs) / 1000).toFixed(2)} s`, ...values].join(" · ");
    chart.classList.add("pointed");
  });
  chart.addEventListener("pointerleave", () => {
    chart.classList.remove("pointed");
    readout.value = "";
  });
}
