// The fields beside a document. Texts are kept shortly after the last letter, and at the latest when the person goes on.

import { cell, sheet } from "./sheet.js";

const TYPED = 300; // milliseconds after the last letter of a text until it is kept

const find = (id) => document.getElementById(id);

export class Fields {
  /** `current` says which document is meant, `decide` takes a step. */
  constructor(current, decide) {
    this.decide = decide;
    this.typing = null;
    for (const id of ["basis", "reason"]) {
      find(id)?.addEventListener("input", () => this.#type(id, current()));
      find(id)?.addEventListener("blur", () => this.flush());
    }
    find("class")?.addEventListener("change", (event) => {
      const value = event.target.value || null;
      const unclaimed = { [`basis/${current()}`]: null, [`parts/${current()}`]: null };
      decide({ [`class/${current()}`]: value, ...(value ? unclaimed : {}) });
    });
    find("threshold")?.addEventListener("change", (event) => {
      decide({ threshold: event.target.value === "" ? null : Number(event.target.value) });
    });
    addEventListener("pagehide", () => this.flush());
  }

  /** Show what is decided about a document, except where somebody is writing. */
  paint(position) {
    for (const id of ["basis", "reason", "class"]) this.#fill(id, cell(id, position) ?? "");
    this.#fill("threshold", String(sheet.cells.threshold ?? ""));
  }

  #fill(id, value) {
    const field = find(id);
    if (field && field !== document.activeElement && field.value !== value) field.value = value;
  }

  #type(id, position) {
    clearTimeout(this.typing?.timer);
    if (this.typing && (this.typing.id !== id || this.typing.position !== position)) this.flush();
    this.typing = { id, position, timer: setTimeout(() => this.flush(), TYPED) };
  }

  /** Keep what was written so far. */
  flush() {
    if (!this.typing) return;
    const { id, position, timer } = this.typing;
    clearTimeout(timer);
    this.typing = null;
    const value = find(id).value.trim();
    const step = { [`${id}/${position}`]: value || null };
    if (id === "basis" && value) {
      sheet.basis = value;
      if (sheet.classes.length) step[`class/${position}`] = null;
    }
    if ((cell(id, position) ?? "") !== value) this.decide(step);
  }
}
