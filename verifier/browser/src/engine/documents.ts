/** Proofs of documents: from what is opened of a document's parts to its leaf in the tree of the corpus. */

import { u64, unhex } from "./bytes.ts";
import { H } from "./hash.ts";
import { encode, isObject, type Json, type JsonObject, hasOwn, isArray } from "./json.ts";
import { hasExactly, isHash, isNatural } from "./shapes.ts";

const MAX_PARTS = 2 ** 16;

const isText = (value: Json): boolean => typeof value === "string" && value !== "";
const isTexts = (value: Json): boolean => isArray(value) && value.length > 0 && value.every((item) => typeof item === "string");

/** Whether an object has only known fields, none of them empty. */
function hasOnly(value: Json | undefined, tests: Readonly<Record<string, (value: Json) => boolean>>): value is JsonObject {
  if (!isObject(value)) return false;
  for (const name in value) if (!hasOwn(tests, name) || !tests[name]!(value[name]!)) return false;
  return true;
}

const EXTRACTION = { options: isText, tool: isText };
const REST = {
  custodians: isTexts,
  extraction: (value: Json): boolean => hasOnly(value, EXTRACTION) && Object.keys(value).length > 0,
  fields: (value: Json): boolean => isObject(value) && Object.keys(value).length > 0 && Object.values(value).every((item) => typeof item === "string"),
  name: isText,
  pages: isNatural,
  paths: isTexts,
};
const LOG = { author: isText, date: isText, parent: isNatural, recipients: isText, type: isText };

/** Whether the log of part j has its shape: every part but part 0 names an earlier part as its parent. */
function isLog(log: JsonObject, j: number): boolean {
  if (!hasOnly(log, LOG)) return false;
  const { parent } = log;
  return j === 0 ? parent === undefined : typeof parent === "number" && parent < j;
}

/** What a proof tells of one part. */
export interface PartProof {
  readonly node: Uint8Array;
  /** Null where the part is withheld. */
  readonly open: { readonly content: string; readonly text: string; readonly name: string | null; readonly rest: JsonObject } | null;
}

const EMPTY: JsonObject = {};

/** The canonical bytes of a part of a proof. */
type BytesOf = (object: JsonObject) => Uint8Array;

function partProof(part: Json, j: number, bytesOf: BytesOf): PartProof | null {
  if (!isObject(part)) return null;
  const log = part["log"] ?? EMPTY;
  if (!isObject(log) || (hasOwn(part, "log") && Object.keys(log).length === 0) || !isLog(log, j)) return null;
  const salt = unhex(part["salt"], 32);
  if (salt === null) return null;
  const optional = hasOwn(part, "log") ? ["log"] : [];
  if (hasOwn(part, "body")) {
    if (!hasExactly(part, ["body", "rest", "salt", ...optional]) || !isHash(part["body"]) || !isHash(part["rest"])) return null;
    const node = H("part", H("log", salt, bytesOf(log)), unhex(part["rest"])!, unhex(part["body"])!);
    return { node, open: null };
  }
  if (hasOwn(part, "text")) optional.push("text");
  if (!hasExactly(part, ["content", "rest", "salt", ...optional])) return null;
  const { content, rest } = part;
  const text = part["text"] ?? content;
  if (!isHash(content) || !isHash(text) || (hasOwn(part, "text") && text === content) || !hasOnly(rest, REST)) return null;
  const node = H(
    "part",
    H("log", H("log-salt", salt), bytesOf(log)),
    H("rest", H("rest-salt", salt), bytesOf(rest)),
    H("body", H("body-salt", salt), unhex(content)!, unhex(text)!),
  );
  const name = rest["name"];
  return { node, open: { content, text, name: typeof name === "string" ? name : null, rest } };
}

export interface DocumentProof {
  readonly parts: readonly PartProof[];
  readonly row: Uint8Array;
}

/** A proof of a document by its shape; null if it has another. Who has the bytes of its parts can spare writing them again. */
export function readProof(proof: Json, bytesOf: BytesOf = encode): DocumentProof | null {
  if (!hasExactly(proof, ["parts", "row"])) return null;
  const row = unhex(proof["row"], 32);
  const list = proof["parts"];
  if (row === null || !isArray(list) || list.length === 0 || list.length > MAX_PARTS) return null;
  const parts: PartProof[] = [];
  for (let j = 0; j < list.length; j++) {
    const part = partProof(list[j]!, j, bytesOf);
    if (part === null) return null;
    parts.push(part);
  }
  return { parts, row };
}

/** The leaf of document `number` by a proof that was read. */
export function leafOf(number: number, proof: DocumentProof): Uint8Array {
  return H("leaf", H("document", u64(number), ...proof.parts.map((part) => part.node)), proof.row);
}

/** The leaf to which a proof leads; null if it does not have its shape. */
export function documentLeaf(number: number, proof: Json): Uint8Array | null {
  const read = readProof(proof);
  return read === null ? null : leafOf(number, read);
}

/** For each part what it opens, or null where it is withheld; null if the proof does not have its shape. */
export function openParts(proof: Json): readonly PartProof["open"][] | null {
  return readProof(proof)?.parts.map((part) => part.open) ?? null;
}

/** The hashes of a path, one after the other; null if the text is no such. */
export function pathBytes(path: Json): Uint8Array | null {
  const bytes = unhex(path);
  return bytes === null || bytes.length % 32 !== 0 ? null : bytes;
}

/** The same, each for itself. */
export function readPath(path: Json): readonly Uint8Array[] | null {
  const bytes = pathBytes(path);
  if (bytes === null) return null;
  const hashes: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += 32) hashes.push(bytes.subarray(at, at + 32));
  return hashes;
}
