/**
 * A document as a report names it: its name, and what the corpus committed to say about it, part by part.
 */
import type { DocumentProven } from "../engine/verdict.ts";
import { type Part, type Proof, isOpen } from "../files/proof.ts";
import { type Child, el } from "./dom.ts";

/** A document whose proof leads to the corpus. The proof is kept as text: there can be many, and few are looked at. */
export interface KnownDocument {
  readonly kind: DocumentProven["kind"];
  readonly round: number;
  readonly position: number;
  readonly name: string;
  readonly size: number;
  readonly proof: string;
}

export function shortened({ kind, round, position, name, parts, proof }: DocumentProven): KnownDocument {
  return { kind, round, position, name, size: parts.length, proof: JSON.stringify(proof) };
}

export function partsOf(document: KnownDocument): readonly Part[] {
  return (JSON.parse(document.proof) as Proof).parts;
}

/** Documents whose proofs lead to the corpus, by round and position. */
export type Known = ReadonlyMap<string, KnownDocument>;

export function knownDocuments(documents: readonly KnownDocument[]): Known {
  return new Map(documents.map((document) => [placeOf(document.round, document.position), document]));
}

export function placeOf(round: number, position: number): string {
  return `${round}/${position}`;
}

export function documentCell(name: string | null, known: KnownDocument | undefined): Child {
  if (known === undefined) return name === null ? el("em", {}, "sealed in this copy") : el("bdi", {}, name);
  const parts = partsOf(known);
  if (parts.length === 1) return [el("bdi", {}, known.name), fieldsLine(parts[0])];
  return [
    el("bdi", {}, known.name),
    el("ul", { class: "parts" }, parts.map((part, index) => el("li", {}, `part ${index}: `, isOpen(part) ? el("bdi", {}, part.rest.name ?? "without a name") : "withheld", fieldsLine(part)))),
  ];
}

export function fieldsLine(part: Part | undefined): Child {
  if (part === undefined) return null;
  const fields = fieldsOf(part);
  if (fields.length === 0) return null;
  return el("span", { class: "fields" }, fields.map(([name, value], index) => [index === 0 ? "" : " · ", `${name}: `, el("bdi", {}, value)]));
}

/** What is committed about a part, in the order in which a reader looks for it. */
export function fieldsOf(part: Part): [string, string][] {
  const rest = isOpen(part) ? part.rest : {};
  const field = (name: string): string => (rest.fields && Object.hasOwn(rest.fields, name) ? (rest.fields[name] ?? "") : "");
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
