/**
 * Tables that a screen reader can walk through, and that become lists on a narrow screen.
 */
import { type Child, el, paragraph } from "./dom.ts";

export interface Column {
  readonly head: string;
  readonly number?: boolean;
}

export interface TableOptions {
  /** Show each row as a card on a narrow screen; otherwise the table scrolls inside its frame. */
  readonly stack?: boolean;
}

/** So many rows a table shows; what is more is counted. A stranger chose how many there are. */
export const MOST_ROWS = 2000;

/** The first cell of a row is its heading. */
export function table(caption: string, columns: readonly Column[], rows: readonly (readonly Child[])[], options: TableOptions = {}): HTMLElement {
  const head = el("tr", {}, columns.map((column) => el("th", { scope: "col", class: column.number ? "number" : null }, column.head)));
  const body = rows.slice(0, MOST_ROWS).map((row) =>
    el(
      "tr",
      {},
      row.map((cell, index) => {
        const column = columns[index];
        const attributes = { class: column?.number ? "number" : null };
        return index === 0
          ? el("th", { scope: "row", ...attributes }, cell)
          : el("td", { ...attributes, "data-label": column?.head ?? "" }, cell);
      }),
    ),
  );
  const whole = el("table", { class: options.stack ? "stack" : null }, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, body));
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
  return el("ul", {}, items.map((item) => el("li", {}, item)));
}
