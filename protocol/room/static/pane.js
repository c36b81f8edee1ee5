// The document on the screen. Those near it in the list are fetched in advance, so that the next one is there when its key
// is pressed; and only after the current one was painted, so that they do not delay it.

import { highlight, pattern } from "./highlight.js";

const AHEAD = 5; // documents that are fetched in advance
const BEHIND = 1;
const CACHED = 60;

export class Pane {
  constructor(question) {
    this.question = question;
    this.element = document.getElementById("document");
    this.terms = [];
    this.search = "";
    this.shown = null; // the position of the document that can be read
    this.pieces = new Map(); // documents that were fetched or are on their way, by position
  }

  /** Show a document; false if another one was asked for in the meantime. */
  async show(position) {
    this.wanted = position;
    const ready = this.pieces.get(position);
    if (typeof ready !== "string") {
      this.shown = null;
      this.element.setAttribute("aria-busy", "true");
    }
    const text = typeof ready === "string" ? ready : await this.#load(position);
    if (this.wanted !== position) return false;
    this.#put(text);
    this.shown = position;
    this.element.removeAttribute("aria-busy");
    return true;
  }

  /** Fetch what is near in the list, once the screen is painted. */
  prefetch(order) {
    const place = order.indexOf(this.wanted);
    const near = [...order.slice(place + 1, place + 1 + AHEAD), ...order.slice(Math.max(0, place - BEHIND), place)];
    requestAnimationFrame(() => {
      setTimeout(() => {
        for (const position of near) if (!this.pieces.has(position)) this.#load(position).catch(() => {});
      });
    });
  }

  /** Show all of a long document. */
  async whole(position) {
    const text = await this.#fetched(position, "?all");
    this.pieces.set(position, text);
    if (this.shown === position) this.#put(text);
  }

  /** Mark other words. */
  mark(search) {
    this.search = search;
    const text = this.pieces.get(this.shown);
    if (typeof text === "string") this.#put(text);
  }

  /** A document; one that could not be fetched is asked for again the next time. */
  #load(position) {
    const known = this.pieces.get(position);
    if (known !== undefined) return Promise.resolve(known);
    const coming = this.#fetched(position, "").then(
      (text) => {
        this.pieces.set(position, text);
        return text;
      },
      (error) => {
        this.pieces.delete(position);
        throw error;
      },
    );
    this.pieces.set(position, coming);
    if (this.pieces.size > CACHED) this.pieces.delete(this.pieces.keys().next().value);
    return coming;
  }

  async #fetched(position, query) {
    const response = await fetch(`${this.question}/document/${position}${query}`);
    if (response.ok) return response.text();
    throw new Error(response.status === 409 ? (await response.json()).error : "The program was started again.");
  }

  /** The program has escaped all of it, and the page's policy runs no script that is not a file of the program. */
  #put(text) {
    const held = this.element.contains(document.activeElement);
    const template = document.createElement("template");
    template.innerHTML = text;
    highlight(template.content, pattern(this.terms, this.search));
    this.element.replaceChildren(template.content);
    this.element.scrollTop = 0;
    if (held) this.element.querySelector("h2").focus({ preventScroll: true });
  }
}
