// The list of documents: sorted, filtered, and a page of it at a time, so that a thousand documents are as quick as ten.

import { holds, sheet, words } from "./sheet.js";

const PAGE = 100; // rows

const find = (id) => document.getElementById(id);

export class List {
  /** `lines` has what is known of each document, as the program says. */
  constructor(lines) {
    this.lines = new Map(lines.map((line) => [line.position, line]));
    this.order = [...this.lines.keys()]; // those that the filter leaves, sorted
    this.hits = null; // positions that a search has found
    this.current = null;
    this.page = -1;
    this.rows = new Map(); // those on the screen
    this.element = find("list");
    this.row = find("row").content.firstElementChild;
    find("list-earlier").addEventListener("click", () => this.#put(this.page - 1));
    find("list-later").addEventListener("click", () => this.#put(this.page + 1));
  }

  /** Sort and filter, as the fields above the list say. */
  arrange() {
    const by = find("sort").value;
    const filter = find("filter").value;
    const left = [...this.lines.keys()].filter((position) => this.#wanted(filter, position));
    if (by !== "position") {
      const text = new Map(left.map((position) => [position, this.lines.get(position)[by].toLocaleLowerCase()]));
      const compare = new Intl.Collator().compare;
      left.sort((one, two) => compare(text.get(one), text.get(two)) || one - two);
    }
    this.order = left;
    this.#put(this.#pageOf(this.current));
  }

  #wanted(filter, position) {
    if (filter === "all") return true;
    if (filter === "open") return sheet.open.has(position);
    if (filter === "marked") return holds.mark(position);
    if (filter === "alike") return this.lines.get(position).alike > 0;
    if (filter === "hits") return this.hits === null || this.hits.has(position);
    return holds[filter](position);
  }

  #pageOf(position) {
    return Math.floor(Math.max(0, this.order.indexOf(position)) / PAGE);
  }

  /** Make a document the current one. */
  choose(position) {
    this.#link(this.current)?.removeAttribute("aria-current");
    this.current = position;
    const page = this.#pageOf(position);
    if (page !== this.page) this.#put(page);
    const link = this.#link(position);
    if (!link) return;
    link.setAttribute("aria-current", "true");
    this.#scrollTo(link);
  }

  /** Only as far as needed, and without asking for a layout that is not needed. */
  #scrollTo(link) {
    requestAnimationFrame(() => {
      const row = link.parentElement;
      const list = this.element;
      const above = row.offsetTop - list.offsetTop;
      if (above < list.scrollTop) list.scrollTop = above;
      else if (above + row.offsetHeight > list.scrollTop + list.clientHeight)
        list.scrollTop = above + row.offsetHeight - list.clientHeight;
    });
  }

  #link(position) {
    return this.rows.get(position)?.firstElementChild;
  }

  /** Put a page of the list on the screen. */
  #put(page) {
    const focused = this.element.contains(document.activeElement);
    const last = Math.max(0, Math.ceil(this.order.length / PAGE) - 1);
    this.page = Math.min(Math.max(0, page), last);
    const first = this.page * PAGE;
    const shown = this.order.slice(first, first + PAGE);
    this.rows = new Map(shown.map((position) => [position, this.#made(this.lines.get(position))]));
    this.element.replaceChildren(...this.rows.values());
    this.element.scrollTop = 0;
    this.paint(shown);
    this.#link(this.current)?.setAttribute("aria-current", "true");
    find("pager").hidden = last === 0;
    find("list-earlier").disabled = this.page === 0;
    find("list-later").disabled = this.page === last;
    find("list-range").textContent = `${first + 1} to ${first + shown.length} of ${this.order.length}`;
    if (focused) (this.#link(this.current) ?? this.element).focus({ preventScroll: true });
  }

  #made(line) {
    const row = this.row.cloneNode(true);
    const put = (selector, text) => {
      const element = row.querySelector(selector);
      if (text) element.textContent = text;
      else element.remove();
    };
    row.dataset.position = line.position;
    row.dataset.name = line.name;
    row.firstElementChild.href = `#${line.position}`;
    put(".number", String(line.position));
    put(".title bdi", line.title);
    put(".about", line.about);
    put(".family", line.family ? `+${line.family}` : "");
    put(".alike", line.alike ? "alike" : "");
    return row;
  }

  /** What is decided about these documents has changed. */
  paint(positions) {
    for (const position of positions) {
      const row = this.rows.get(position);
      if (!row) continue;
      const state = row.querySelector(".state");
      const said = words(position);
      if (state.textContent !== said) state.textContent = said;
      row.classList.toggle("marked", holds.mark(position));
      row.classList.toggle("decided", !sheet.open.has(position));
    }
  }

  /** The document so many places on in the list; none at its ends. */
  beside(by) {
    return this.order[this.order.indexOf(this.current) + by];
  }

  /** The next one of which something is missing, from the current one on and around. */
  nextOpen() {
    const place = this.order.indexOf(this.current) + 1;
    return [...this.order.slice(place), ...this.order.slice(0, place)].find((position) => sheet.open.has(position));
  }
}
