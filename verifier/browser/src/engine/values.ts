/** The values of sealed fields: what an entry opens, and the forms of bases, claims and reasons. */

import { codePoints } from "./bytes.ts";
import type { Entry } from "./chain.ts";
import { isObject, type Json, type Values, hasOwn, isArray } from "./json.ts";
import type { Claim } from "./round.ts";
import { hasExactly, isAscending, isNatural, type OpenedField } from "./shapes.ts";
import type { Terms } from "./verdict.ts";

const MOST_TEXT = 2000;
const FILL = 256;

/** How many values an entry seals under a name. */
export function sealedCount(entry: Entry, field: string): number {
  return hasOwn(entry.statement.sealed, field) ? entry.statement.sealed[field]!.commitments.length : 0;
}

/** What the copy opens of a field; null if nothing. */
export function openedField(entry: Entry, field: string): OpenedField<Values> | null {
  return hasOwn(entry.openings, field) ? entry.openings[field]! : null;
}

/** The values that the copy opens, by index. */
export function openedValues(entry: Entry, field: string): ReadonlyMap<number, Json> {
  const values = new Map<number, Json>();
  const opened = openedField(entry, field);
  opened?.indices.forEach((index, i) => values.set(index, opened.values.at(i)!));
  return values;
}

/** The one value of a field; undefined where the copy hides it. */
export function openedValue(entry: Entry, field: string): Json | undefined {
  const opened = openedField(entry, field);
  const i = opened?.indices.indexOf(0) ?? -1;
  return i < 0 ? undefined : opened!.values.at(i);
}

export function opensAll(entry: Entry, field: string): boolean {
  return (openedField(entry, field)?.indices.length ?? 0) === sealedCount(entry, field);
}

function isBasis(value: Json | undefined): value is string {
  return typeof value === "string" && value !== "" && codePoints(value) <= MOST_TEXT;
}

/** A claim by its form; null if the value has none that is allowed. */
export function readClaim(value: Json, allowed: { readonly classes: Terms["classes"]; readonly parts: boolean }): Claim | null {
  if (isBasis(value)) return { basis: value, class: null, parts: null };
  if (hasExactly(value, ["class"])) {
    const name = value["class"]!;
    return typeof name === "string" && allowed.classes?.names.includes(name) === true ? { basis: null, class: name, parts: null } : null;
  }
  if (allowed.parts && hasExactly(value, ["basis", "parts"])) {
    const { basis, parts } = value;
    if (!isBasis(basis) || !isArray(parts) || parts.length === 0) return null;
    if (!parts.every((part) => isNatural(part) && part < 2 ** 16) || !isAscending(parts as number[])) return null;
    return { basis, class: null, parts: parts as number[] };
  }
  return null;
}

/** The reason of a filled-up text, without its blanks; null if the value is none. */
export function readReason(value: Json): string | null {
  if (typeof value !== "string" || value.length > 2 * (MOST_TEXT + FILL)) return null;
  const reason = value.replace(/ +$/, "");
  const length = codePoints(reason);
  if (length > MOST_TEXT) return null;
  const filled = Math.max(FILL, Math.ceil(length / FILL) * FILL);
  return codePoints(value) === filled ? reason : null;
}

export interface DocumentValue {
  readonly document: number;
  readonly name: string;
}

/** A value of `documents` by its shape; null if it has another. */
export function readDocument(value: Json): DocumentValue | null {
  if (!hasExactly(value, ["document", "name"])) return null;
  const { document, name } = value;
  return isNatural(document) && typeof name === "string" ? { document, name } : null;
}

/** Whether a value names a class, whatever else is right about it. */
export function namesClass(value: Json): boolean {
  return isObject(value) && hasOwn(value, "class");
}
