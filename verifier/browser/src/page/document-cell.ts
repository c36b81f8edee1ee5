/**
 * A document as a report names it: its name, and what the corpus committed to say about it, part by part.
 */
import { hasOwn } from "../engine/json.ts";
import { type Part, isOpen } from "../files/proof.ts";
import { type Child, el, foreign } from "./dom.ts";

/** A document whose proof leads to the corpus. */
export interface KnownDocument {
  readonly name: string;
  readonly parts: readonly Part[];
}

export function placeOf(round: number, position: number): string {
  return `${round}/${position}`;
}

/** So many parts a cell tells. */
const MOST_PARTS = 100;

export function documentCell(name: string | null, known: KnownDocument | null): Child {
  if (known === null) return name === null ? el("em", {}, "sealed in this copy") : foreign(name);
  const { parts } = known;
  if (parts.length === 1) return [foreign(known.name), fieldsLine(parts[0])];
  return [
    foreign(known.name),
    el("ul", { class: "parts" }, parts.slice(0, MOST_PARTS).map((part, index) => el("li", {}, `part ${index}: `, isOpen(part) ? foreign(part.rest.name ?? "without a name") : "withheld", fieldsLine(part))), parts.length > MOST_PARTS ? el("li", {}, `and ${parts.length - MOST_PARTS} parts more`) : null),
  ];
}

export function fieldsLine(part: Part | undefined): Child {
  if (part === undefined) return null;
  const fields = fieldsOf(part);
  if (fields.length === 0) return null;
  return el("span", { class: "fields" }, fields.map(([name, value], index) => [index === 0 ? "" : " · ", `${name}: `, foreign(value)]));
}

/** What is committed about a part, in the order in which a reader looks for it. */
export function fieldsOf(part: Part): [string, string][] {
  const rest = isOpen(part) ? part.rest : {};
  const field = (name: string): string => (rest.fields && hasOwn(rest.fields, name) ? (rest.fields[name] ?? "") : "");
  const custodians = rest.custodians ?? [];
  const paths = rest.paths ?? [];
  const rows: [string, string][] = [
    ["From", field("from") || (part.log?.author ?? "")],
    ["To", field("to") || (part.log?.recipients ?? "")],
    ["Date", part.log?.date ?? ""],
    ["Subject", field("subject")],
    [custodians.length > 1 ? "Custodians" : "Custodian", custodians.join(", ")],
    ["Type", part.log?.type ?? ""],
    ["Cc", field("cc")],
    ["Message id", field("message_id")],
    [paths.length > 1 ? "Paths" : "Path", paths.join(", ")],
    ["Pages", rest.pages === undefined ? "" : String(rest.pages)],
  ];
  return rows.filter(([, value]) => value !== "");
}
