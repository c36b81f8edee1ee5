/**
 * Charts that need no colour: each line has its own dashes and its own mark, and a table beside it has the numbers.
 */
import { el, svg, strong } from "./dom.ts";

export interface Series {
  readonly name: string;
  readonly values: readonly number[];
  readonly dashes: string;
  readonly mark: "circle" | "square" | "triangle";
}

const WIDTH = 480;
const LEFT = 54;
const RIGHT = 466;

/** A line chart over the rounds, from round 0, where nothing had happened. */
export function lineChart(title: string, says: string, series: readonly Series[], percent = false): HTMLElement {
  const top = 24 + 20 * series.length;
  const bottom = top + 190;
  const rounds = Math.max(1, ...series.map((one) => one.values.length - 1));
  const highest = percent ? 1 : niceCeiling(Math.max(1, ...series.flatMap((one) => one.values)));
  const x = (round: number): number => LEFT + ((RIGHT - LEFT) * round) / rounds;
  const y = (value: number): number => bottom - ((bottom - top) * value) / highest;
  const every = Math.ceil(rounds / 12);
  const grid = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const value = highest * part;
    const label = percent ? `${part * 100} %` : String(Math.round(value * 100) / 100);
    return [
      svg("path", { d: `M${LEFT} ${y(value)}H${RIGHT}`, class: part === 0 ? "axis" : "grid" }),
      svg("text", { x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" }, label),
    ];
  });
  const ticks = Array.from({ length: rounds + 1 }, (_, round) => (round % every === 0 ? svg("text", { x: x(round), y: bottom + 18, "text-anchor": "middle" }, round) : null));
  const lines = series.map((one, index) => {
    const points = one.values.map((value, round) => [x(round), y(value)] as const);
    return [
      svg("polyline", { points: points.map(([a, b]) => `${a.toFixed(1)},${b.toFixed(1)}`).join(" "), class: "line", "stroke-dasharray": one.dashes }),
      points.map(([a, b]) => marker(one.mark, a, b)),
      svg("path", { d: `M${LEFT} ${14 + 20 * index}h44`, class: "line", "stroke-dasharray": one.dashes }),
      marker(one.mark, LEFT + 22, 14 + 20 * index),
      svg("text", { x: LEFT + 54, y: 18 + 20 * index }, one.name),
    ];
  });
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${bottom + 44}`, role: "img", class: "chart", "aria-label": `${title} by round. ${says}` },
    grid, ticks, svg("text", { x: (LEFT + RIGHT) / 2, y: bottom + 36, "text-anchor": "middle" }, "round"), lines,
  );
  return el("figure", {}, el("figcaption", {}, strong(title), ` — ${says}`), picture);
}

function marker(kind: Series["mark"], x: number, y: number): SVGElement {
  if (kind === "circle") return svg("circle", { cx: x, cy: y, r: 4, class: "dot full" });
  if (kind === "square") return svg("path", { d: `M${x - 4} ${y - 4}h8v8h-8z`, class: "dot" });
  return svg("path", { d: `M${x} ${y - 5}l5 9h-10z`, class: "dot" });
}

function niceCeiling(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  for (const step of [1, 2, 2.5, 4, 5, 8, 10]) if (step * unit >= value) return step * unit;
  return 10 * unit;
}
