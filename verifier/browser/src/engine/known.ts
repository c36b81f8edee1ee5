/** The documents that a copy names as put up: the numbers of all, and the rest of those that can be put up again. */

import type { Doc } from "./round.ts";

const PAGE = 2 ** 12;

export class Known {
  /** A bit for each number, by page: a copy may name few numbers of a large corpus. */
  private readonly pages = new Map<number, Uint8Array>();
  /** What was neither shown to Bob nor kept from him when its round closed: only this can come up in another round. */
  private readonly withheld = new Map<number, Doc>();

  has(number: number): boolean {
    const page = this.pages.get(Math.floor(number / PAGE));
    return page !== undefined && ((page[(number % PAGE) >> 3]! >> (number & 7)) & 1) === 1;
  }

  add(number: number): void {
    const at = Math.floor(number / PAGE);
    let page = this.pages.get(at);
    if (page === undefined) this.pages.set(at, (page = new Uint8Array(PAGE / 8)));
    page[(number % PAGE) >> 3]! |= 1 << (number & 7);
  }

  /** The document, if it can be put up again. */
  get(number: number): Doc | undefined {
    return this.withheld.get(number);
  }

  /** The round of a document is closed. Of one that is out only the number is needed, so that it does not come twice. */
  settle(doc: Doc): void {
    if (doc.number === null) return;
    if (doc.isOut) this.withheld.delete(doc.number);
    else this.withheld.set(doc.number, doc);
  }
}
