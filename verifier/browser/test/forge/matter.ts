/**
 * A copy, taken apart so that it can be changed and made anew under the forger's own keys.
 *
 * While it is changed, everything goes by the names of the genuine copy: an entry's hash stays its name, and a genuine key
 * the name of the forger's. What was right in the copy as it came is made right again at the end. What was wrong stays
 * wrong, and so does what a change puts into `keep`.
 */
import { base64, concat, hex, unbase64, unhex, utf8 } from "../../src/engine/bytes.ts";
import { acceptableKey } from "../../src/engine/ed25519.ts";
import { commitment, entryHash, noteHash, openedLeaf, openingsHash, statementHash } from "../../src/engine/hash.ts";
import { depthOf, encode, isObject, type Json, locate, textOf } from "../../src/engine/json.ts";
import { merkleRoot } from "../../src/engine/merkle.ts";
import { sha256 } from "../../src/engine/sha256.ts";
import { hasExactly, isBody, isHash, isManifest, openingsFault, saltsOf } from "../../src/engine/shapes.ts";
import type { Audience, Role } from "../../src/engine/verdict.ts";
import { isTagged, Ring, signTagged } from "./keys.ts";
import { type Checkpoint, isProofOf, loggedLeaf, ownLogKey, proofAnew, readCheckpoint, renderCheckpoint } from "./note.ts";

export interface Sealed {
  audiences: string[];
  commitments: string[];
}
/** What a content holds is for the verifiers to judge. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Free = any;
export interface Statement {
  answers: string | null;
  author: Role;
  content: Record<string, Free>;
  kind: string;
  matter: string;
  replaces: string[];
  round: number;
  sealed: Record<string, Sealed>;
}
export interface Release {
  audience: string;
  entry: number;
  field: string;
  indices: number[] | null;
}
export interface Body {
  asks: string[];
  matter: string;
  previous: string;
  releases: Release[];
  sequence: number;
  signature: string | null;
  statement: Statement;
  time: number;
}
export interface Opening {
  index: number;
  salt: string;
  value: Free;
}
/** A party's answer within a conflict. */
interface Evidence {
  /** The hash of its statement, as it came. */
  readonly id: string;
  /** The genuine key that signs it: null for that in force, "" for a signature that stays as it is. */
  signer: string | null;
}
/** What is not made right again: `commitments/FIELD/INDEX` too. */
type Part = "answer" | "openings" | "previous" | "proof" | "releases" | "root" | "sequence" | "signature" | "trent" | `commitments/${string}`;

export interface Entry {
  /** The hash of the body as it came: its name until the end. */
  id: string;
  statementId: string;
  /** The number by which releases and conflicts name it until the end. */
  number: number;
  body: Body;
  /** Trent's signature as it came. */
  signature: string;
  /** Null if the copy opens something of another shape: `raw` then. */
  opened: Record<string, Opening[]> | null;
  raw: Json;
  readonly keep: Set<Part>;
  /** A genuine key that signs the statement, if it is not its author's in force. */
  signer: string | null;
  /** A genuine key that signs the body, if it is not Trent's. */
  trents: string | null;
  evidence: Evidence | null;
  /** Whether the body has the shape of one, so that changes may look into it. */
  isShaped: boolean;
  tail: Tail[];
}
export type Tail = { kind: "line"; value: Free } | { kind: "checkpoint"; point: Checkpoint };
type ManifestPart = "checkpoints" | "head" | "openings" | "openings_root" | "root" | "signature" | "size";

export interface Matter {
  manifest: Record<string, Free>;
  signature: string;
  readonly keepOfManifest: Set<ManifestPart>;
  /** A genuine key that signs the manifest, if it is not Trent's. */
  manifestSigner: string | null;
  entries: Entry[];
  /** The genuine keys. */
  keys: string[];
  /** Attachments that were changed: the new bytes by the old hash. */
  readonly attachments: Map<string, Uint8Array>;
}

const ZEROS = "00".repeat(32);

export const hashOfBody = (body: unknown): string => hex(entryHash(encode(body as Json)));
export const hashOfStatement = (statement: unknown): string => hex(statementHash(encode(statement as Json)));
export const hashOfOpenings = (openings: unknown): string => hex(openingsHash(encode(openings as Json)));

function commitmentOf(opening: Opening): string {
  return hex(commitment(unhex(opening.salt)!, encode(opening.value as Json)));
}

/** Openings as a copy has them. */
export function openingsOf(entry: Entry): Json {
  if (entry.opened === null) return entry.raw;
  const fields = Object.entries(entry.opened).filter(([, list]) => list.length > 0);
  return Object.fromEntries(
    fields.map(([name, list]) => {
      const salts = list.map((opening) => opening.salt);
      const isOne = salts.length > 1 && salts.every((salt) => salt === salts[0]);
      return [name, { indices: list.map((opening) => opening.index), salts: isOne ? salts[0]! : salts.join(""), values: list.map((opening) => opening.value as Json) }];
    }),
  );
}

/** A matter that is read, so far. */
class Reading {
  readonly ids: string[] = [];
  readonly leaves: Uint8Array[] = [];
  readonly inForce = {} as Record<Role, string>;
  log: string | null = null;

  constructor(
    readonly matter: string,
    readonly keys: readonly string[],
  ) {}

  get now(): { matter: string; size: number; root: Uint8Array; head: string } {
    return { matter: this.matter, size: this.ids.length, root: merkleRoot(this.leaves), head: this.ids.at(-1) ?? ZEROS };
  }

  /** The key that signed, the one in force first; null if none did. */
  signerOf(first: string, tag: string, value: unknown, signature: unknown): string | null {
    return [first, ...this.keys].find((key) => isTagged(key, tag, value, signature)) ?? null;
  }
}

function readOpenings(value: Json): Record<string, Opening[]> | null {
  if (!isObject(value) || openingsFault(value) !== null) return null;
  const opened: Record<string, Opening[]> = {};
  for (const [name, field] of Object.entries(value) as [string, Free][]) {
    const salts = saltsOf(field)!;
    opened[name] = field.indices.map((index: number, i: number) => ({ index, salt: hex(salts[salts.length === 1 ? 0 : i]!), value: field.values[i] }));
  }
  return opened;
}

function noteWhatIsWrong(entry: Entry, reading: Reading): void {
  const { body, keep } = entry;
  const { statement } = body;
  if (body.sequence !== reading.ids.length) keep.add("sequence");
  if (body.previous !== (reading.ids.at(-1) ?? ZEROS)) keep.add("previous");
  const signer = body.signature === null ? null : reading.signerOf(reading.inForce[statement.author], "statement", statement, body.signature);
  if (signer === null) keep.add("signature");
  else if (signer !== reading.inForce[statement.author]) entry.signer = signer;
  for (const [name, list] of Object.entries(entry.opened ?? {})) {
    for (const opening of list) {
      if (commitmentOf(opening) !== statement.sealed[name]?.commitments[opening.index]) keep.add(`commitments/${name}/${opening.index}`);
    }
  }
  if (statement.content["openings"] !== hashOfOpenings(openingsOf(entry))) keep.add("openings");
  const { now } = reading;
  if (statement.content["root"] !== hex(now.root)) keep.add("root");
  if (reading.log === null || !isProofOf(statement.content["proof"], reading.log, loggedLeaf(now.matter, now.size, now.root, now.head))) keep.add("proof");
  const value = entry.opened?.["evidence"]?.[0]?.value;
  if (hasExactly(value, ["signature", "statement"]) && isObject(value["statement"])) {
    const author = value["statement"]["author"] as Role;
    const evidenceSigner = author in reading.inForce ? reading.signerOf(reading.inForce[author], "statement", value["statement"], value["signature"]) : null;
    entry.evidence = { id: hashOfStatement(value["statement"]), signer: evidenceSigner === null ? "" : evidenceSigner === reading.inForce[author] ? null : evidenceSigner };
  }
}

function readEntry(line: Free, reading: Reading): Entry | null {
  if (!hasExactly(line.entry, ["body", "signature"])) return null;
  const { body, signature } = line.entry as Free;
  const isShaped = isBody(body) && depthOf(body as Json) < 30;
  const opened = readOpenings(line.openings);
  const entry: Entry = {
    id: hashOfBody(body), statementId: isShaped ? hashOfStatement(body.statement) : "", number: reading.ids.length, body: body as Free, signature,
    opened, raw: line.openings, keep: new Set(), signer: null, trents: null, evidence: null, isShaped, tail: [],
  };
  const trents = reading.signerOf(reading.inForce.trent, "entry", body, signature);
  if (trents === null) entry.keep.add("trent");
  else if (trents !== reading.inForce.trent) entry.trents = trents;
  if (isShaped) noteWhatIsWrong(entry, reading);
  reading.ids.push(entry.id);
  reading.leaves.push(unhex(entry.id)!);
  if (isShaped) grant(entry.body.statement, reading.inForce);
  return entry;
}

/** From the next entry on a key that is granted is in force. */
function grant({ kind, author, content }: Statement, inForce: Record<Role, string>): void {
  if (kind === "rekeyed" && author === "court" && content["granted"] === true && isHash(content["key"]) && content["role"] in inForce) inForce[content["role"] as Role] = content["key"];
}

function linesOf(bytes: Uint8Array): Record<string, Free>[] | null {
  const text = new TextDecoder().decode(bytes);
  if (!text.endsWith("\n")) return null;
  const values: Record<string, Free>[] = [];
  for (const line of text.slice(0, -1).split("\n")) {
    const read = locate(utf8(line));
    if ("error" in read || !isObject(read.value) || textOf(read.value) !== line) return null;
    values.push(read.value);
  }
  return values;
}

const isKey = (value: unknown): value is string => isHash(value) && acceptableKey(unhex(value)!);

/** A copy by its bytes, not compressed; null if it is too broken to be made anew. */
export function load(bytes: Uint8Array): Matter | null {
  const lines = linesOf(bytes);
  if (lines === null || lines.length < 2 || !hasExactly(lines[0], ["manifest", "signature"]) || !isManifest(lines[0]["manifest"])) return null;
  const { manifest, signature } = lines.shift() as Free;
  const opening = (lines[0]!["entry"] as Free)?.body;
  const first = opening?.statement?.content;
  const own = isObject(first?.keys) ? first.keys : {};
  if (Object.keys(own).sort().join() !== "alice,bob,court,trent" || !Object.values(own).every(isKey)) return null;
  const asked = lines.map((line) => line["entry"]?.body?.statement?.content?.key).filter(isKey);
  const keys = [...new Set([...Object.values(own), ...asked])] as string[];
  const reading = new Reading(opening.matter, keys);
  Object.assign(reading.inForce, own);
  reading.log = typeof first.terms?.witnesses?.log === "string" ? first.terms.witnesses.log : null;
  const entries: Entry[] = [];
  const points: string[] = [];
  let openings = 0;
  for (const line of lines) {
    if ("entry" in line && isObject(line.openings)) {
      const entry = readEntry(line, reading);
      if (entry === null) return null;
      entries.push(entry);
      for (const list of Object.values(entry.opened ?? {})) openings += list.length;
    } else if (entries.length === 0) return null;
    else if (hasExactly(line, ["checkpoint"]) && typeof line.checkpoint === "string") {
      const id = hex(noteHash(line.checkpoint));
      const point = readCheckpoint(line.checkpoint, id, reading.now, keys);
      points.push(id);
      entries.at(-1)!.tail.push(point === null ? { kind: "line", value: line } : { kind: "checkpoint", point });
    } else entries.at(-1)!.tail.push({ kind: "line", value: line });
  }
  const matter: Matter = { manifest, signature, keepOfManifest: new Set(), manifestSigner: null, entries, keys, attachments: new Map() };
  const { keepOfManifest } = matter;
  const signer = reading.signerOf(own.trent, "manifest", manifest, signature);
  if (signer === null) keepOfManifest.add("signature");
  else if (signer !== own.trent) matter.manifestSigner = signer;
  const right: Record<string, Json> = { head: reading.now.head, root: hex(reading.now.root), size: entries.length, openings, openings_root: openedRoot(entries.map((entry) => [entry.body?.sequence, openingsOf(entry)])) };
  for (const [part, value] of Object.entries(right)) if (manifest[part] !== value) keepOfManifest.add(part as ManifestPart);
  if (textOf(manifest.checkpoints) !== textOf(points)) keepOfManifest.add("checkpoints");
  return matter;
}

function openedRoot(lines: readonly (readonly [number, Json])[]): string {
  const leaves = lines.filter(([, openings]) => isObject(openings) && Object.keys(openings).length > 0);
  return hex(merkleRoot(leaves.map(([sequence, openings]) => openedLeaf(sequence, openingsHash(encode(openings))))));
}

/** A value in which every text that has a new name stands under it. */
function renamed(value: Free, now: ReadonlyMap<string, string>): Free {
  if (typeof value === "string") return now.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => renamed(item, now));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renamed(item, now)]));
}

class Making {
  readonly ring: Ring;
  readonly now = new Map<string, string>();
  private readonly numbers: ReadonlyMap<number, number>;
  private readonly inForce: Record<Role, string>;
  private readonly heads: Uint8Array[] = [];
  private readonly log: string | null;
  private readonly lines: string[] = [];
  private readonly points: string[] = [];
  private readonly opened: [number, Json][] = [];
  private openings = 0;
  private waiting: { statement: Statement; id: string }[];

  constructor(
    private readonly matter: Matter,
    seed: string,
  ) {
    this.ring = new Ring(seed);
    for (const key of matter.keys) this.now.set(key, this.ring.pair(key).key);
    const { keys, terms } = matter.entries[0]!.body.statement.content as Free;
    this.inForce = { ...keys };
    const log = terms?.witnesses?.log;
    const own = ownLogKey(log, this.ring);
    this.log = own === null ? null : log;
    if (own !== null) this.now.set(log, own);
    for (const [hash, bytes] of matter.attachments) this.now.set(hash, hex(sha256(bytes)));
    this.numbers = new Map(matter.entries.map((entry, i) => [entry.number, i]));
    this.waiting = matter.entries.flatMap(({ evidence, opened }) => {
      const value = opened?.["evidence"]?.[0]?.value;
      return evidence === null || !isObject(value?.statement) ? [] : [{ statement: value.statement, id: evidence.id }];
    });
  }

  private get state(): { matter: string; size: number; root: Uint8Array; head: string } {
    return { matter: this.matter.entries[0]!.body.matter, size: this.heads.length, root: merkleRoot(this.heads), head: this.heads.length === 0 ? ZEROS : hex(this.heads.at(-1)!) };
  }

  /** An answer on record may name the other one by its hash, which comes later: so it is named as soon as can be. */
  private nameEvidence(): void {
    const left = this.waiting.filter(({ statement, id }) => {
      const names = [statement.answers, ...(Array.isArray(statement.replaces) ? statement.replaces : [])];
      if (names.some((name) => name !== null && !this.now.has(name) && this.isYetToCome(name))) return true;
      this.now.set(id, hashOfStatement(renamed(statement, this.now)));
      return false;
    });
    this.waiting = left;
  }

  private isYetToCome(name: string): boolean {
    return this.matter.entries.some((entry) => entry.id === name || entry.statementId === name) || this.waiting.some(({ id }) => id === name);
  }

  private opening(entry: Entry, body: Body): void {
    for (const [name, list] of Object.entries(entry.opened ?? {})) {
      for (const opening of list) {
        opening.value = renamed(opening.value, this.now);
        this.fitSize(opening.value);
        if (name === "evidence" && entry.evidence !== null && entry.evidence.signer !== "" && isObject(opening.value?.statement)) this.signEvidence(entry.evidence, opening.value);
        const commitments = body.statement.sealed[name]?.commitments;
        if (commitments !== undefined && opening.index < commitments.length && !entry.keep.has(`commitments/${name}/${opening.index}`)) commitments[opening.index] = commitmentOf(opening);
      }
    }
    if (!entry.keep.has("openings")) body.statement.content["openings"] = hashOfOpenings(openingsOf(entry));
  }

  private fitSize(value: Free): void {
    for (const [hash, bytes] of this.matter.attachments) if (isObject(value) && value["attachment"] === this.now.get(hash)) value["size"] = bytes.length;
  }

  private signEvidence(evidence: Evidence, value: Free): void {
    const key = evidence.signer ?? this.inForce[value.statement.author as Role];
    if (key !== undefined) value.signature = signTagged(this.ring.pair(key), "statement", value.statement);
  }

  private witness(entry: Entry, body: Body): void {
    const { content } = body.statement;
    const { matter, size, root, head } = this.state;
    if (!entry.keep.has("root")) content["root"] = hex(root);
    if (!entry.keep.has("proof") && this.log !== null) content["proof"] = proofAnew(content["proof"], this.log, loggedLeaf(matter, size, root, head), this.ring.pair(this.log));
  }

  private number(body: Body, keep: ReadonlySet<Part>): void {
    if (!keep.has("sequence")) body.sequence = this.heads.length;
    if (!keep.has("previous")) body.previous = this.state.head;
    if (!keep.has("releases")) {
      for (const release of body.releases) release.entry = this.numbers.get(release.entry) ?? release.entry;
    }
    const { answer } = body.statement.content;
    if (!keep.has("answer") && typeof answer === "number") body.statement.content["answer"] = this.numbers.get(answer) ?? answer;
  }

  private sign(entry: Entry, body: Body): void {
    const { author } = body.statement;
    const key = entry.signer ?? this.inForce[author];
    if (!entry.keep.has("signature")) body.signature = signTagged(this.ring.pair(key), "statement", body.statement);
  }

  entry(entry: Entry): void {
    if (entry.isShaped) this.nameEvidence();
    const body = renamed(entry.body, this.now) as Body;
    if (entry.isShaped) {
      this.opening(entry, body);
      this.witness(entry, body);
      this.number(body, entry.keep);
      this.sign(entry, body);
      this.now.set(entry.statementId, hashOfStatement(body.statement));
    }
    const signature = entry.keep.has("trent") ? entry.signature : signTagged(this.ring.pair(entry.trents ?? this.matter.entries[0]!.body.statement.content["keys"].trent), "entry", body);
    this.now.set(entry.id, hashOfBody(body));
    const openings = openingsOf(entry);
    this.line({ entry: { body, signature }, openings });
    this.heads.push(unhex(hashOfBody(body))!);
    this.opened.push([body.sequence, openings]);
    for (const list of Object.values(entry.opened ?? {})) this.openings += list.length;
    if (entry.isShaped) grant(entry.body.statement, this.inForce);
    for (const tail of entry.tail) this.tail(tail);
  }

  private tail(tail: Tail): void {
    if (tail.kind === "line") {
      const bytes = this.matter.attachments.get(tail.value.attachment);
      if (bytes === undefined) this.line(tail.value);
      else if (tail.value.chunk === 0) this.pieces(this.now.get(tail.value.attachment)!, bytes);
      return;
    }
    const { point } = tail;
    // What is wrong in its head may be another entry's name.
    const note = renderCheckpoint({ ...point, head: point.head === null ? null : (this.now.get(point.head) ?? point.head) }, this.state, this.ring);
    this.now.set(point.id, hex(noteHash(note)));
    this.points.push(hex(noteHash(note)));
    this.line({ checkpoint: note });
  }

  private pieces(hash: string, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 2 ** 20) this.line({ attachment: hash, chunk: at / 2 ** 20, data: base64(bytes.subarray(at, at + 2 ** 20)) });
  }

  private line(value: unknown): void {
    this.lines.push(textOf(value as Json));
  }

  bytes(): Uint8Array {
    for (const entry of this.matter.entries) this.entry(entry);
    const { keepOfManifest: keep } = this.matter;
    const { root, head, size } = this.state;
    const right = { head, root: hex(root), size, openings: this.openings, openings_root: openedRoot(this.opened), checkpoints: this.points };
    const manifest = renamed(this.matter.manifest, this.now);
    for (const [part, value] of Object.entries(right)) if (!keep.has(part as ManifestPart)) manifest[part] = value;
    const key = this.matter.manifestSigner ?? this.matter.entries[0]!.body.statement.content["keys"].trent;
    const signature = keep.has("signature") ? this.matter.signature : signTagged(this.ring.pair(key), "manifest", manifest);
    const first = textOf({ manifest, signature } as Json);
    return utf8([first, ...this.lines, ""].join("\n"));
  }
}

/** The bytes of a matter under keys from this seed. The matter is used up. */
export function renew(matter: Matter, seed: string): Uint8Array {
  return new Making(matter, seed).bytes();
}

/** The bytes of an attachment, as its pieces in the copy say; null if they are not there. */
export function attachmentBytes(matter: Matter, hash: string): Uint8Array | null {
  const pieces = matter.entries.flatMap(({ tail }) => tail.flatMap((one) => (one.kind === "line" && one.value.attachment === hash ? [unbase64(one.value.data)] : [])));
  return pieces.length === 0 || pieces.includes(null) ? null : concat(...(pieces as Uint8Array[]));
}

export const audienceOf = (matter: Matter): Audience => matter.manifest["audience"] as Audience;
