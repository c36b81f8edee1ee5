/** The shapes of a record: manifests, entries, openings. A shape is judged before anything that it says. */

import { isHex, unhex } from "./bytes.ts";
import { depthOf, isObject, MAX_INTEGER, Unbuilt, type Json, type JsonObject, hasOwn, isArray } from "./json.ts";
import { quoted } from "./quoted.ts";
import type { Audience, Party, Role } from "./verdict.ts";

export interface Sealed {
  readonly audiences: readonly Audience[];
  readonly commitments: readonly string[];
}
export interface Statement {
  readonly answers: string | null;
  readonly author: Role;
  readonly content: JsonObject;
  readonly kind: string;
  readonly matter: string;
  readonly replaces: readonly string[];
  readonly round: number;
  readonly sealed: Readonly<Record<string, Sealed>>;
}
export interface Release {
  readonly audience: Audience;
  readonly entry: number;
  readonly field: string;
  readonly indices: readonly number[] | null;
}
export interface Body {
  readonly asks: readonly Role[];
  readonly matter: string;
  readonly previous: string;
  readonly releases: readonly Release[];
  readonly sequence: number;
  readonly signature: string | null;
  readonly statement: Statement;
  readonly time: number;
}
export interface OpenedField<Values = readonly Json[]> {
  readonly indices: readonly number[];
  readonly salts: string;
  readonly values: Values;
}
export type Openings<Values = readonly Json[]> = Readonly<Record<string, OpenedField<Values>>>;
export interface Manifest {
  readonly audience: Audience;
  readonly checkpoints: readonly string[];
  readonly format: 1;
  readonly head: string;
  readonly matter: string;
  readonly openings: number;
  readonly openings_root: string;
  readonly root: string;
  readonly size: number;
}

export const PARTIES: readonly Party[] = ["alice", "bob", "court"];
const NAME = /^[a-z][a-z0-9_-]{0,63}$/;
/** How deep the content of a statement may be, by who speaks, and the value of an opening. */
const TRENTS_DEPTH = 24;
const PARTYS_DEPTH = 22;
const VALUE_DEPTH = 24;

export const isName = (value: unknown): value is string => typeof value === "string" && NAME.test(value);
export const isHash = (value: unknown): value is string => isHex(value, 32);
export const isNatural = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_INTEGER;
export const isPositive = (value: unknown): value is number => isNatural(value) && value >= 1 && value <= 2 ** 31;
export const isRole = (value: unknown): value is Role =>
  value === "alice" || value === "bob" || value === "court" || value === "trent";
export const isAudience = (value: unknown): value is Audience =>
  value === "alice" || value === "bob" || value === "court" || value === "public";

/** Whether a value is an object with exactly these keys. */
export function hasExactly(value: unknown, keys: readonly string[]): value is JsonObject {
  if (!isObject(value)) return false;
  let own = 0;
  for (const _ in value) own++;
  return own === keys.length && keys.every((key) => hasOwn(value, key));
}

/** Whether each item is smaller than the next one. */
export function isAscending(items: readonly (string | number)[]): boolean {
  for (let i = 1; i < items.length; i++) if (!(items[i - 1]! < items[i]!)) return false;
  return true;
}

export function isStatement(value: unknown): value is Statement & JsonObject {
  if (!hasExactly(value, ["answers", "author", "content", "kind", "matter", "replaces", "round", "sealed"])) return false;
  if (value["answers"] !== null && !isHash(value["answers"])) return false;
  if (!isRole(value["author"]) || !isName(value["kind"]) || !isHash(value["matter"])) return false;
  const { replaces, content, sealed } = value;
  if (!isArray(replaces) || !replaces.every(isHash)) return false;
  if (!isNatural(value["round"]) || !isObject(content) || !isObject(sealed)) return false;
  if (depthOf(content) > (value["author"] === "trent" ? TRENTS_DEPTH : PARTYS_DEPTH)) return false;
  for (const [name, field] of Object.entries(sealed)) {
    if (!isName(name) || !hasExactly(field, ["audiences", "commitments"])) return false;
    const { audiences, commitments } = field;
    if (!isArray(audiences) || !audiences.every(isAudience)) return false;
    if (!isArray(commitments) || !commitments.every(isHash)) return false;
  }
  return true;
}

function isRelease(value: unknown): value is Release & JsonObject {
  if (!hasExactly(value, ["audience", "entry", "field", "indices"])) return false;
  const { indices } = value;
  if (!isAudience(value["audience"]) || !isNatural(value["entry"]) || !isName(value["field"])) return false;
  return indices === null || (isArray(indices) && indices.every(isNatural));
}

/** Whether a value has the shape of a body. */
export function isBody(value: unknown): value is Body & JsonObject {
  const keys = ["asks", "matter", "previous", "releases", "sequence", "signature", "statement", "time"];
  if (!hasExactly(value, keys)) return false;
  const { asks, releases, signature } = value;
  if (!isArray(asks) || !asks.every(isRole)) return false;
  if (!isHash(value["matter"]) || !isHash(value["previous"])) return false;
  if (!isArray(releases) || !releases.every(isRelease)) return false;
  if (!isNatural(value["sequence"]) || !isNatural(value["time"])) return false;
  if (signature !== null && !isHex(signature, 64)) return false;
  return isStatement(value["statement"]);
}

/** A line with an entry's frame: who signed it can be told, whatever its body is. */
export function isFrame(value: unknown): value is { entry: { body: Json; signature: string }; openings: JsonObject } & JsonObject {
  if (!hasExactly(value, ["entry", "openings"])) return false;
  return isObject(value["openings"]) && hasExactly(value["entry"], ["body", "signature"]) && isHex(value["entry"]["signature"], 64);
}

/** The salts of an opened field, one for each value; null if they are not written in their one form. */
export function saltsOf(field: OpenedField): readonly Uint8Array[] | null {
  const salts = joinedSalts(field);
  return salts && field.values.map((_, i) => saltAt(salts, i));
}

/** The same, one after the other in one array; or the one salt that all values have. */
export function joinedSalts(field: OpenedField<{ readonly length: number }>): Uint8Array | null {
  const count = field.values.length;
  const salts = unhex(field.salts);
  if (salts === null || (count >= 2 && salts.length === 32)) return salts;
  if (salts.length !== 32 * count) return null;
  // One salt for all stands there once.
  return count >= 2 && salts.every((byte, i) => byte === salts[i % 32]) ? null : salts;
}

export function saltAt(salts: Uint8Array, index: number): Uint8Array {
  return salts.length === 32 ? salts : salts.subarray(32 * index, 32 * index + 32);
}

/** Why openings do not have their shape; null if they do. */
export function openingsFault(value: JsonObject): string | null {
  for (const [name, field] of Object.entries(value)) {
    if (!isName(name)) return `${quoted(name)} is not a name of a field`;
    if (!hasExactly(field, ["indices", "salts", "values"])) return `the opened field "${name}" has other parts than it must have`;
    const { indices, salts } = field;
    const values: unknown = field["values"];
    const isBuilt = isArray(values);
    if (!isArray(indices) || !indices.every(isNatural) || typeof salts !== "string" || !(isBuilt || values instanceof Unbuilt)) {
      return `the opened field "${name}" is of a wrong form`;
    }
    if (values.length === 0 || values.length !== indices.length) return `the opened field "${name}" does not have as many values as indices`;
    if ((isBuilt ? depthOf(values) - 1 : values.depth) > VALUE_DEPTH) return `a value of the opened field "${name}" is too deep`;
    if (joinedSalts(field as unknown as OpenedField) === null) return `the salts of the opened field "${name}" are of a wrong form`;
  }
  return null;
}

export function isManifest(value: unknown): value is Manifest & JsonObject {
  const keys = ["audience", "checkpoints", "format", "head", "matter", "openings", "openings_root", "root", "size"];
  if (!hasExactly(value, keys)) return false;
  const { checkpoints } = value;
  if (!isAudience(value["audience"]) || !isArray(checkpoints) || !checkpoints.every(isHash)) return false;
  if (value["format"] !== 1 || !isNatural(value["openings"]) || !isNatural(value["size"])) return false;
  return ["head", "matter", "openings_root", "root"].every((key) => isHash(value[key]));
}

/** Whether a value is an integer, of whatever size, other than the one known version. */
export function isOtherVersion(value: unknown, known: number): boolean {
  return typeof value === "bigint" || (typeof value === "number" && value !== known);
}
