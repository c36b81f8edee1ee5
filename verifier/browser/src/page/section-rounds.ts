/**
 * "Round by round", and for each batch where documents were drawn, and why.
 */
import type { RoundReport } from "../engine/verdict.ts";
import { lineChart } from "./charts.ts";
import { type Child, el, paragraph, svg, strong } from "./dom.ts";
import { type ReportData, type RoundCounts, type Why, closedRounds, coinAt, countsOf, whyShown } from "./report-data.ts";
import { TRENTS_WORD } from "./sentences.ts";
import { noResult, numberTable, section, table, untoldNotice } from "./table.ts";
import { chanceOf, chanceSays, estimate, plural, ranges } from "./words.ts";

/** A strip has at most so many bars; in a larger batch a bar stands for several positions. */
const MOST_BARS = 120;
/** So many rounds have strips; a longer matter has them in the table alone. */
const MOST_STRIPS = 40;

export function roundsSection(data: ReportData): HTMLElement | null {
  const rounds = closedRounds(data);
  if (rounds.length === 0) return null;
  const title = "Round by round, against revealing all";
  const untold = untoldNotice(data.told);
  if (untold !== null) return section("rounds", title, untold);
  const counts = rounds.map((round) => countsOf(data, round));
  return section(
    "rounds",
    title,
    paragraph("“Found” is what Bob was shown that counts as responsive. “Revealing all” is what else he would have seen if he had been shown every document of the same batches. If documents are hidden, a few of these are responsive."),
    noResult(data.verdict, ": these are counts from before the reading or the replay ended."),
    counts.some((one) => one.sort !== "batch")
      ? paragraph("Escalations draw from earlier batches, and validations from the whole collection. What they show and find is counted, and they belong to no batch.")
      : null,
    charts(data, counts),
    numbers(data, counts),
  );
}

function running(values: readonly number[]): number[] {
  let sum = 0;
  return values.map((value) => (sum += value));
}

/** What is found later in the same batches counts as found. */
function revealingAll(counts: readonly RoundCounts[]): number[] {
  return counts.map((one) => (one.sort === "batch" ? one.size : 0) - one.foundInBatches);
}

function charts(data: ReportData, counts: readonly RoundCounts[]): HTMLElement {
  const found = [0, ...running(counts.map((one) => one.found))];
  const nrd = [0, ...running(counts.map((one) => one.shown - one.found))];
  const all = [0, ...running(revealingAll(counts))];
  const last = counts[counts.length - 1]?.round ?? 0;
  const end = (values: readonly number[]): number => values[values.length - 1] ?? 0;
  const figures = [
    lineChart("Documents found", `Up to round ${last}, ${plural(end(found), "responsive document was", "responsive documents were")} found.`, [{ name: "responsive documents found", values: found, dashes: "none", mark: "circle" }]),
    lineChart(
      "Non-responsive disclosure",
      `${plural(end(nrd), "document that is not responsive was", "documents that are not responsive were")} shown; revealing all would have shown ${end(all)}.`,
      [
        { name: "revealing all", values: all, dashes: "2 4", mark: "triangle" },
        { name: "shown in this matter", values: nrd, dashes: "7 4", mark: "square" },
      ],
    ),
  ];
  const truth = data.verdict.opening?.simulation?.responsive;
  if (truth !== undefined && counts.every((one) => one.truth !== null)) {
    const seen = [0, ...running(counts.map((one) => one.truth?.revealed ?? 0))].map((value) => value / truth);
    const batches = [0, ...running(counts.map((one) => (one.sort === "batch" ? (one.truth?.responsive ?? 0) : 0)))].map((value) => value / truth);
    figures.push(
      lineChart(
        "Recall",
        `Of all responsive documents of the simulated corpus, ${estimate(end(seen))} were shown to Bob; showing him every document of the batches would have shown ${estimate(end(batches))} ${TRENTS_WORD}.`,
        [
          { name: "all documents of the batches", values: batches, dashes: "2 4", mark: "triangle" },
          { name: "shown in this matter", values: seen, dashes: "none", mark: "circle" },
        ],
        true,
      ),
    );
  }
  return el("div", { class: "figures-grid" }, figures);
}

function numbers(data: ReportData, counts: readonly RoundCounts[]): HTMLElement {
  const [shown, found, nrd, all] = [running(counts.map((one) => one.shown)), running(counts.map((one) => one.found)), running(counts.map((one) => one.shown - one.found)), running(revealingAll(counts))];
  const truth = data.verdict.opening?.simulation?.responsive;
  const seen = running(counts.map((one) => one.truth?.revealed ?? 0));
  const own = revealingAll(counts);
  const batches = running(counts.map((one) => (one.sort === "batch" ? (one.truth?.responsive ?? 0) : 0)));
  // Columns of their own only where there is something to tell.
  const further: [string, (string | number)[]][] = [];
  const add = (head: string, values: number[]): void => void (values.some((value) => value > 0) && further.push([head, values]));
  add("Privileged", counts.map((one) => one.privileged));
  add("In camera", counts.map((one) => one.inCamera));
  add("Kept by the court", counts.map((one) => one.kept));
  add("Left unread", counts.map((one) => one.unread));
  if (truth !== undefined) further.push(["Recall so far", seen.map((value) => estimate(value / truth))], ["Recall, all batches", batches.map((value) => estimate(value / truth))]);
  return numberTable(
    `The same in numbers: each round, and in brackets all rounds so far${counts.some((one) => one.isClaimed) ? "; which are privileged, and which in camera not responsive, according to Trent" : ""}`,
    ["Round", "Documents", "Shown", "Found", "Not responsive", "Revealing all", "Disputes", "Against Alice", ...further.map(([head]) => head)],
    counts.map((one, index) => [
      `${one.round}, ${one.sort}`, one.size, `${one.shown} (${shown[index]})`, `${one.found} (${found[index]})`, `${one.shown - one.found} (${nrd[index]})`,
      `${one.sort === "batch" ? `${own[index]} ` : ""}(${all[index]})`, one.disputes, one.against, ...further.map(([, values]) => values[index] ?? ""),
    ]),
  );
}

/** Why, the pattern of its bars, what it means, and the head of its column where that stands only if there is any. */
const REASONS: readonly (readonly [why: Why, style: string, words: string, head?: string])[] = [
  ["certain", "certain", "certain: due by the rule, whatever the coins say"],
  ["by coin", "coin", "drawn by coin"],
  ["compelled", "compelled", "compelled: the whole batch, because Alice's errors were confirmed", "Compelled"],
  ["by order", "certain", "by order: Alice did not report, so the whole batch was due", "By order"],
  ["shown, unread", "sealed", "shown, but not labelled by Bob", "Unread"],
  ["shown, reason sealed", "sealed", "shown; the reason is sealed in this copy", "Reason sealed"],
  ["withheld as privileged", "privileged", "withheld as privileged, by a ruling of the court", "Privileged"],
  ["in camera, not responsive", "privileged", "labelled by the court in camera as not responsive", "In camera"],
  ["kept by the court", "privileged", "kept by the court, as privileged or as not responsive", "Kept by the court"],
];

export function whySection(data: ReportData): HTMLElement | null {
  const batches = closedRounds(data).filter((round) => round.sort === "batch" && round.positions !== null);
  if (batches.length === 0) return null;
  const threshold = data.verdict.opening?.terms.k !== undefined;
  const used = new Set(batches.flatMap((round) => [...counted(round).keys()]));
  const legend = REASONS.filter(([why]) => used.has(why)).map(([, style, words]) => el("li", {}, swatch(style), words));
  return section(
    "why",
    "Where in each batch documents were drawn, and why",
    paragraph("Each strip is a batch, the likeliest responsive document on the left. The height of a bar says how many of the documents there Bob was shown in this round, and its pattern why, or what the court kept from him. White means not shown in this round."),
    el(
      "ul",
      { class: "legend" },
      legend,
      el("li", {}, swatch("kept"), "not shown"),
      batches.every((round) => chancesSay(round) === NONE) ? null : el("li", {}, swatch("kept", curve("M0 2L8 9 20 11")), "the chance to be drawn, from 100 % at the top to 0 at the bottom"),
      threshold ? el("li", {}, swatch("kept", curve("M10 0v14")), "a line across: the threshold, if the copy shows it") : null,
    ),
    el("div", { class: "strips" }, batches.slice(0, MOST_STRIPS).map((round) => stripFigure(round, threshold))),
    reasonNumbers(batches, threshold),
    used.has("shown, unread") ? paragraph("What Bob left unread can be hidden as well: only Alice says what it is.") : null,
    reasonPositions(batches),
  );
}

function counted(round: RoundReport): Map<Why | null, number[]> {
  const by = new Map<Why | null, number[]>();
  for (let position = 1; position <= round.size; position += 1) {
    const why = whyShown(round, position);
    const positions = by.get(why);
    if (positions === undefined) by.set(why, [position]);
    else positions.push(position);
  }
  return by;
}

function stripFigure(round: RoundReport, threshold: boolean): HTMLElement {
  const by = counted(round);
  const words = REASONS.filter(([why]) => by.has(why)).map(([why]) => `${by.get(why)?.length} ${why}`);
  const kept = by.get(null)?.length ?? 0;
  if (kept > 0) words.push(`${kept} not shown`);
  const says = words.join(", ");
  return el("figure", {}, el("figcaption", {}, strong(`Round ${round.round}`), ` — ${says}`), strip(round, says, threshold));
}

function strip(round: RoundReport, says: string, threshold: boolean): SVGElement {
  const bars = Math.min(MOST_BARS, round.size);
  const [width, height] = [bars * 4, 28];
  const shapes: Child[] = [];
  const steps: string[] = [];
  for (let bar = 0; bar < bars; bar += 1) {
    const [from, to] = [Math.floor((bar * round.size) / bars), Math.floor(((bar + 1) * round.size) / bars)];
    const positions = Array.from({ length: to - from }, (_, index) => from + index + 1);
    const reasons = positions.map((position) => whyShown(round, position));
    const chances = positions.flatMap((position) => coinAt(round, position)?.chance ?? []).map(chanceOf);
    const chance = chances.reduce((sum, one) => sum + one, 0) / chances.length;
    if (chances.length > 0) steps.push(`${bar * 4} ${(height * (1 - chance)).toFixed(2)}h4`);
    let y = height;
    for (const [why, style] of REASONS) {
      const share = reasons.filter((one) => one === why).length / Math.max(1, reasons.length);
      if (share === 0) continue;
      y -= share * height;
      shapes.push(svg("rect", { x: bar * 4 + 0.3, y: y.toFixed(2), width: 3.4, height: (share * height).toFixed(2), class: `bar-${style}` }));
    }
  }
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", class: "strip", "aria-label": `Round ${round.round}: ${plural(round.size, "document")}. ${says}. Chance to be drawn: ${chancesSay(round)}` },
    svg("rect", { x: 0, y: 0, width, height, class: "strip-frame" }),
    shapes,
    steps.length === 0 ? null : curve(`M${steps.join("L")}`),
    threshold && round.report === "on record" ? curve(`M${(width * (round.threshold ?? 0)) / round.size} -5V${height + 5}`) : null,
  );
}

/** A line with an edge as light as the paper, so that it is seen on every pattern. */
function curve(path: string): Child {
  return ["curve edge", "curve"].map((style) => svg("path", { d: path, class: style }));
}

const NONE = "none";

/** The largest and the smallest chance that a coin had in a round. */
function chancesSay({ positions }: RoundReport): string {
  const chances = (positions?.chances ?? []).map(chanceOf);
  return chances.length === 0 ? NONE : [...new Set([Math.max(...chances), Math.min(...chances)].map(chanceSays))].join(" to ");
}

function swatch(style: string, drawn: Child = null): SVGElement {
  return svg("svg", { viewBox: "0 0 20 14", width: 20, height: 14, "aria-hidden": "true", class: "swatch" }, svg("rect", { width: 20, height: 14, class: style === "kept" ? "strip-frame" : `bar-${style}` }), drawn);
}

/** What stands in place of the numbers that rest on Alice's report. */
const INSTEAD: Readonly<Record<string, string>> = { sealed: "sealed", "ordered away": NONE };

function reasonNumbers(batches: readonly RoundReport[], threshold: boolean): HTMLElement {
  const all = batches.map(counted);
  // Columns of their own only where there is something to tell.
  const further = REASONS.filter(([why, , , head]) => head !== undefined && all.some((by) => by.has(why)));
  const columns = ["Round", "Documents", ...(threshold ? ["Threshold"] : []), "Certain", "Coin decides", "Drawn by coin", "Chance", ...further.map(([, , , head = ""]) => head), "Not shown"];
  return numberTable(
    "The same in numbers",
    columns,
    batches.map((round, index) => {
      const by = all[index] ?? counted(round);
      const count = (why: Why): number => by.get(why)?.length ?? 0;
      const instead = INSTEAD[round.report];
      const decided = round.positions?.chance.filter((place) => place > 0).length ?? 0;
      return [
        round.round, round.size, ...(threshold ? [instead ?? round.threshold] : []), instead ?? count("certain"), instead ?? decided, instead ?? count("by coin"), chancesSay(round),
        ...further.map(([why]) => count(why)), by.get(null)?.length ?? 0,
      ];
    }),
  );
}

function reasonPositions(batches: readonly RoundReport[]): HTMLElement {
  const rows = batches.flatMap((round) => {
    const by = counted(round);
    return REASONS.filter(([why]) => by.has(why)).map(([why]) => [round.round, why, ranges(by.get(why) ?? [])]);
  });
  const title = "The positions that Bob was shown, or that are withheld as privileged, by reason";
  return el(
    "details",
    {},
    el("summary", {}, title),
    table(title, ["Round", "Reason", "Positions"], rows),
  );
}

