/**
 * Forges exhibits with the parties' own keys: one statement is changed, and everything that rests on it is signed again. So
 * what a verifier finds is the broken rule, and not a broken signature.
 */
import { createPrivateKey, sign, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { base64, concat, hex, unbase64, unhex, utf8 } from "../../src/engine/bytes.ts";
import { entryHash, tagBytes } from "../../src/engine/hash.ts";
import { encode, type Json, type JsonObject, textOf } from "../../src/engine/json.ts";
import { leafHash, nodeHash } from "../../src/engine/merkle.ts";
import { checkpointText, keyId, parseCheckpoint } from "../../src/engine/note.ts";
import type { Body } from "../../src/engine/shapes.ts";
import type { Role } from "../../src/engine/verdict.ts";
import type { NamedFile } from "../../src/files/named-files.ts";
import { changed } from "./disk.ts";

export interface Frame {
  entry: { body: { -readonly [K in keyof Body]: Body[K] } & { statement: { kind: string; content: { [name: string]: unknown } } }; signature: string };
  openings: JsonObject;
  path: string;
  prefix: string;
}

interface Exhibit {
  checkpoint: string;
  entries: Frame[];
}

/** The keys of a role, from the opening on: the name of the file of each. */
export type Keys = Readonly<Record<Role, readonly string[]>>;

export async function forged(files: readonly NamedFile[], keys: Keys, change: (frames: Frame[]) => void): Promise<NamedFile[]> {
  const exhibit = JSON.parse(new TextDecoder().decode(await files.find(({ path }) => path === "exhibit.json")!.read())) as Exhibit;
  const signers = new Map<Role, KeyObject[]>(Object.entries(keys).map(([role, names]) => [role as Role, names.map(keyIn)]));
  const before = new Map(exhibit.entries.map((frame) => [frame, hashOf(frame.entry.body)]));
  change(exhibit.entries);
  // Entries that were added name each other by the hashes of what was written.
  for (const frame of exhibit.entries) if (!before.has(frame)) before.set(frame, hashOf(frame.entry.body));
  const inForce = resign(exhibit.entries, before, signers);
  const { size, head, matter } = parseCheckpoint(exhibit.checkpoint)!;
  const leaves = Array.from({ length: Number(size) }, (_, number) => {
    const frame = exhibit.entries.find(({ entry }) => entry.body.sequence === number);
    return leafHash(frame === undefined ? utf8(`another entry, ${number}`) : unhex(hashOf(frame.entry.body))!);
  });
  for (const frame of exhibit.entries) frame.path = pathTo(leaves, frame.entry.body.sequence).map(hex).join("");
  const last = exhibit.entries.at(-1)!.entry.body;
  const text = checkpointText(matter, Number(size), rootOf(leaves), last.sequence === Number(size) - 1 ? hashOf(last) : head);
  exhibit.checkpoint = `${text}\n${(["trent", "alice", "bob", "court"] as const).map((role) => lineOf(text, `tallystick/${matter}`, role, inForce(role))).join("")}`;
  const bytes = utf8(textOf(exhibit as unknown as Json));
  return changed(changed(files, "exhibit.json", bytes), "certification.txt", null);
}

export const hashOf = (body: unknown): string => hex(entryHash(encode(body as Json)));

/** Signs each entry again, with the hashes of those before it that are no longer the same. Returns the keys at the end. */
function resign(frames: readonly Frame[], before: ReadonlyMap<Frame, string>, signers: ReadonlyMap<Role, readonly KeyObject[]>): (role: Role) => KeyObject {
  const now = new Map<string, string>();
  const granted: Partial<Record<Role, number>> = {};
  const key = (role: Role): KeyObject => signers.get(role)![granted[role] ?? 0]!;
  for (const frame of frames) {
    const renamed = JSON.parse(textOf(frame.entry.body as unknown as Json), (_, value: unknown) => (typeof value === "string" ? (now.get(value) ?? value) : value)) as Frame["entry"]["body"];
    const { statement } = renamed;
    if (statement.author !== "trent") renamed.signature = hex(signed(key(statement.author), "statement", statement));
    frame.entry = { body: renamed, signature: hex(signed(key("trent"), "entry", renamed)) };
    now.set(before.get(frame)!, hashOf(renamed));
    if (statement.kind === "rekeyed" && statement.content["granted"] === true) granted[statement.content["role"] as Role] = (granted[statement.content["role"] as Role] ?? 0) + 1;
  }
  return key;
}

export function keyIn(name: string): KeyObject {
  return createPrivateKey(readFileSync(name).toString().replace(/^[^]*?-----BEGIN/, "-----BEGIN"));
}

export function signed(key: KeyObject, tag: string, value: unknown): Uint8Array {
  return new Uint8Array(sign(null, concat(tagBytes(tag), encode(value as Json)), key));
}

function lineOf(text: string, origin: string, role: Role, key: KeyObject): string {
  const name = role === "trent" ? origin : `${origin}/${role}`;
  const point = unbase64((key.export({ format: "jwk" }).x ?? "").replaceAll("-", "+").replaceAll("_", "/") + "=");
  // The public half of a key is in its private one.
  const id = keyId(name, role === "trent" ? 1 : 4, point!);
  const time = new Uint8Array(8);
  const bytes = role === "trent" ? sign(null, utf8(text), key) : concat(time, sign(null, utf8(`cosignature/v1\ntime 0\n${text}`), key));
  return `\u2014 ${name} ${base64(concat(id, bytes))}\n`;
}

/** The largest power of two below a size. */
const split = (size: number): number => 2 ** Math.floor(Math.log2(size - 1));

function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 1) return leaves[0]!;
  const at = split(leaves.length);
  return nodeHash(rootOf(leaves.slice(0, at)), rootOf(leaves.slice(at)));
}

function pathTo(leaves: readonly Uint8Array[], index: number): Uint8Array[] {
  if (leaves.length === 1) return [];
  const at = split(leaves.length);
  return index < at ? [...pathTo(leaves.slice(0, at), index), rootOf(leaves.slice(at))] : [...pathTo(leaves.slice(at), index - at), rootOf(leaves.slice(0, at))];
}
