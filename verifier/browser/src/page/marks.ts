/**
 * Marks that say by their shape what a colour would only hint at.
 */
import { svg } from "./dom.ts";

export type Mark = "tick" | "clock" | "cross" | "question" | "warning" | "lock" | "nothing" | "limit";

const SHAPES: Readonly<Record<Mark, readonly [string, string]>> = {
  tick: ["a tick in a circle", "M32 4a28 28 0 1 0 .01 0M18 33l10 11 19-23"],
  clock: ["a clock", "M32 4a28 28 0 1 0 .01 0M32 16v17l11 8"],
  cross: ["a cross in a square", "M6 6h52v52h-52zM20 20l24 24M44 20l-24 24"],
  question: ["a question mark in a circle", "M32 4a28 28 0 1 0 .01 0M23 25a9 9 0 1 1 13 8c-3 2-4 3-4 7M32 47v3"],
  warning: ["an exclamation mark in a triangle", "M32 5l28 53h-56zM32 24v16M32 47v4"],
  lock: ["a closed lock", "M12 30h40v28h-40zM20 30v-9a12 12 0 0 1 24 0v9"],
  nothing: ["an empty circle, crossed out", "M32 6a26 26 0 1 0 .01 0M13 51l38-38"],
  limit: ["an arrow that ends at a line", "M6 32h42M36 20l12 12-12 12M56 12v40"],
};

export function mark(name: Mark, size = 40): SVGElement {
  const [title, path] = SHAPES[name];
  return svg(
    "svg",
    { viewBox: "0 0 64 64", width: size, height: size, role: "img", fill: "none", stroke: "currentColor", "stroke-width": 5, class: "shape", "aria-label": title },
    svg("path", { d: path }),
  );
}
