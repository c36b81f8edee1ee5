/**
 * Tables that a screen reader can walk through, and that become lists on a narrow screen.
 */
import type { Verdict } from "../engine/verdict.ts";
import { type Child, el, paragraph, strong } from "./dom.ts";
import type { Told } from "./told.ts";

/** So many rows a table shows; what is more is counted. A stranger chose how many there are. */
export const MOST_ROWS = 2000;

/** A table of words: on a narrow screen each row becomes a card. The first cell of a row is its heading. */
export function table(caption: string, heads: readonly string[], rows: readonly (readonly Child[])[]): HTMLElement {
  return framed(caption, heads, rows, "stack");
}

/** A table whose columns are numbers, but for the first: on a narrow screen it scrolls inside its frame. */
export function numberTable(caption: string, heads: readonly string[], rows: readonly (readonly Child[])[]): HTMLElement {
  return framed(caption, heads, rows, null);
}

function framed(caption: string, heads: readonly string[], rows: readonly (readonly Child[])[], style: "stack" | null): HTMLElement {
  const numbers = (index: number): string | null => (style === null && index > 0 ? "number" : null);
  const head = el("tr", {}, heads.map((text, index) => el("th", { scope: "col", class: numbers(index) }, text)));
  const body = rows.slice(0, MOST_ROWS).map((row) =>
    el("tr", {}, row.map((cell, index) => (index === 0 ? el("th", { scope: "row" }, cell) : el("td", { class: numbers(index), "data-label": heads[index] ?? "" }, cell)))),
  );
  const whole = el("table", { class: style }, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, body));
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Table: ${caption}` }, whole, rows.length > MOST_ROWS ? paragraph(`${rows.length - MOST_ROWS} more rows are not listed here.`) : null);
}

/** Names and values, side by side. */
export function facts(rows: readonly (readonly [string, Child])[]): HTMLElement {
  return el("dl", { class: "facts" }, rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

export function section(id: string, title: string, ...children: readonly Child[]): HTMLElement {
  return el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, title), ...children);
}

export function list(items: readonly Child[]): HTMLElement {
  return el("ul", {}, items.slice(0, MOST_ROWS).map((item) => el("li", {}, item)), items.length > MOST_ROWS ? el("li", {}, `and ${items.length - MOST_ROWS} more`) : null);
}

/** In place of what only the story of the rounds tells: a failure of it takes no verdict away. */
export function untoldNotice({ untold }: Told): HTMLElement | null {
  return untold === "" ? null : el("p", { class: "notice" }, strong("The verdict stands, but its rounds could not be told."), ` ${untold}`);
}

/** Above what was counted before the reading or the replay ended early. */
export function noResult({ verdict }: Verdict, says = "."): HTMLElement | null {
  return verdict === "rejected" || verdict === "undecided" ? el("p", { class: "notice" }, strong("No result, since the record is not verified"), says) : null;
}

export function simulationNotice(): HTMLElement {
  return el("p", { class: "notice simulation" }, strong("This is a SIMULATION"), ", in which one program played all parties and whose keys anyone can derive: evidence of nothing.");
}
