/**
 * The load file of a volume (DAT) and its list for return (CSV), as they must be by the record (docs/production.md).
 *
 * Both are built from what the record commits to and then compared, so nothing in the volume's own tables is parsed.
 */
import { hasOwn } from "../engine/json.ts";
import { type OpenPart, type Part, type PartRest, isOpen } from "./proof.ts";
import type { Due, Producible, ToReturn } from "./to-produce.ts";
import { type Manifest, type VolumeRecord, batesNumber } from "./volume.ts";

export const COLUMNS = [
  "begin", "end", "begin_family", "end_family", "parent", "custodian", "all_custodians", "from", "to", "cc", "bcc",
  "author", "date_sent", "date_received", "date_modified", "date", "subject", "title", "message_id", "file_name", "path",
  "all_paths", "extension", "type", "pages", "confidentiality", "hash", "withheld", "native_link", "text_link",
] as const;
export type Column = (typeof COLUMNS)[number];

export const WITHHELD = "This document is withheld as privileged.";
const BOM = "\uFEFF";

/** The text of a slip sheet: the number, an empty line, and the sentence. */
export function slipSheet(number: string): string {
  return `${number}\n\n${WITHHELD}\n`;
}

/** The names, and the lines of the first of the parts that are due, without the ends of lines. */
export function loadFileLines(manifest: Manifest, due: readonly Due[]): string[] {
  const lines = due.map(({ document, part }, index) => {
    const numberOf = (of: number): string => batesNumber(manifest, manifest.begin + index - part + of);
    const values = fieldsOf(document, part, manifest.records[index] as VolumeRecord, numberOf);
    return row(manifest.fields.map(({ field }) => values[field as Column] ?? ""));
  });
  return [BOM + row(manifest.fields.map((field) => field.called)), ...lines];
}

type Values = Partial<Record<Column, string>>;

/** `numberOf` gives the number of each part of the document. */
function fieldsOf(document: Producible, index: number, record: VolumeRecord, numberOf: (part: number) => string): Values {
  const parts = document.proof.parts;
  const part = parts[index] as Part;
  const several = parts.length > 1;
  const parent = part.log?.parent;
  const common: Values = {
    begin: record.number,
    end: record.number,
    begin_family: several ? numberOf(0) : "",
    end_family: several ? numberOf(parts.length - 1) : "",
    parent: parent === undefined ? "" : numberOf(parent),
    author: part.log?.author ?? "",
    date: part.log?.date ?? "",
    type: part.log?.type ?? "",
    text_link: backslashed(record.text),
  };
  if (!isOpen(part)) return { ...common, to: part.log?.recipients ?? "", withheld: WITHHELD };
  return { ...common, ...openFields(part, custodiansOf(parts, part), record) };
}

function openFields(part: OpenPart, custodians: readonly string[], record: VolumeRecord): Values {
  const rest: PartRest = part.rest;
  const field = (name: string): string => (rest.fields && hasOwn(rest.fields, name) ? (rest.fields[name] ?? "") : "");
  const name = rest.name ?? "";
  const paths = rest.paths ?? [];
  return {
    custodian: custodians[0] ?? "",
    all_custodians: several(custodians),
    from: field("from"),
    to: field("to"),
    cc: field("cc"),
    bcc: field("bcc"),
    date_sent: field("date_sent") || (field("from") ? (part.log?.date ?? "") : ""),
    date_received: field("date_received"),
    date_modified: field("date_modified"),
    subject: field("subject"),
    title: field("title"),
    message_id: field("message_id"),
    file_name: field("file_name") || name.slice(name.lastIndexOf("/") + 1),
    path: paths[0] ?? "",
    all_paths: several(paths),
    extension: record.native === null ? "" : endingOf(record.native),
    pages: rest.pages === undefined ? "" : String(rest.pages),
    confidentiality: field("confidentiality"),
    hash: record.native === null ? "" : part.content,
    native_link: record.native === null ? "" : backslashed(record.native),
  };
}

function custodiansOf(parts: readonly Part[], part: OpenPart): readonly string[] {
  const own = part.rest.custodians;
  if (own !== undefined && own.length > 0) return own;
  const first = parts[0];
  return first !== undefined && isOpen(first) ? (first.rest.custodians ?? []) : [];
}

/** Several values in one field: a semicolon within becomes a comma, and empty ones are left out. */
function several(values: readonly string[]): string {
  return values.map((value) => value.replaceAll(";", ",").trim()).filter((value) => value !== "").join("; ");
}

function endingOf(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

function backslashed(path: string): string {
  return path.replaceAll("/", "\\");
}

function row(values: readonly string[]): string {
  return values.map((value) => `þ${cell(value)}þ`).join("\x14");
}

// eslint-disable-next-line no-control-regex
const UNHELD = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028\u2029]/g;

function cell(value: string): string {
  return value
    .replace(/\r\n?/g, "\n")
    .replaceAll("®", "(R)")
    .replace(UNHELD, "\uFFFD")
    .replaceAll("þ", "þþ")
    .replaceAll("\n", "®");
}

/** RETURN.csv, line by line. `numbers` gives those of an earlier volume, or null where that is not known here. */
export function returnLines(list: readonly ToReturn[], numbers: (document: number) => string): string[] {
  const lines = [BOM + csv(["round", "position", "document", "name", "reason", "numbers"])];
  for (const one of list) {
    lines.push(
      csv([String(one.round), String(one.position), String(one.document), inert(one.name), one.reason, numbers(one.document)]),
    );
  }
  return lines;
}

/** A spreadsheet must not take a name for a formula. */
function inert(name: string): string {
  return /^[=+\-@\t\r']/.test(name) ? "'" + name : name;
}

function csv(cells: readonly string[]): string {
  return cells.map((value) => `"${value.replaceAll('"', '""')}"`).join(",");
}
