/**
 * The rows of an exhibit's certification: each stands in the draft once, with the value that the exhibit has.
 */
import { hex } from "../engine/bytes.ts";
import type { Chain } from "../engine/chain.ts";
import { fingerprint } from "../engine/hash.ts";
import { CALLED } from "../engine/names.ts";
import type { ReadExhibit } from "./exhibit-entries.ts";
import type { Stated } from "./exhibit-whole.ts";
import { quoted } from "./quoted.ts";

/** What is wrong with the draft, or null. All other lines are counsel's. */
export function certificationFault(text: string, { checkpoint }: ReadExhibit, chain: Chain, document: Stated, corpusRoot: string, files: ReadonlyMap<string, string>): string | null {
  const rows = new Map<string, string>([
    ["matter", checkpoint.matter],
    ["document number", String(document.number)],
    ["document name", asciiJson(document.name)],
    ["corpus root", corpusRoot],
    ["entries at the checkpoint", String(checkpoint.size)],
    ["root of the checkpoint", hex(checkpoint.root)],
    ["head of the checkpoint", checkpoint.head],
  ]);
  for (const { role, bytes, until } of chain.keys) {
    rows.set(`fingerprint of the key of ${CALLED[role]}${until === null ? "" : ` until entry ${until}`}`, fingerprint(bytes));
  }
  for (const [path, hash] of files) rows.set(`SHA-256 of ${path}`, hash);
  for (const line of text.split(/\r\n?|\n/)) {
    const [, name, value] = /^ {4}([\w /.-]+) = ([^]*?) *$/.exec(line) ?? [];
    if (name === undefined) continue;
    if (rows.get(name) !== value) return `the row ${quoted(name)} is unknown, repeated or has another value`;
    rows.delete(name);
  }
  return rows.size === 0 ? null : `it lacks the row ${quoted([...rows.keys()][0]!)}`;
}

/** A JSON text in ASCII: what is not ASCII is escaped, one unit of UTF-16 at a time. */
function asciiJson(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"));
}
