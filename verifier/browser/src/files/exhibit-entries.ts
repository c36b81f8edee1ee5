/**
 * The entries of an exhibit, each by the rules of the chain as far as its neighbours are there (docs/exhibits.md, step 2).
 *
 * Nobody signs an exhibit as a whole, so what is missing or does not fit is damage. Only what breaks a rule above a
 * party's own signature is a finding.
 */
import { equalBytes, hex, unhex } from "../engine/bytes.ts";
import { contentFault } from "../engine/contents.ts";
import { readPath } from "../engine/documents.ts";
import { acceptableKey, verifyTagged } from "../engine/ed25519.ts";
import { commitment, entryHash } from "../engine/hash.ts";
import { type Json, type JsonObject, encode, isObject } from "../engine/json.ts";
import { verifyConsistency, verifyInclusion } from "../engine/merkle.ts";
import { type Checkpoint, keyId, parseCheckpoint, verifyCosignature, verifyNoteLine } from "../engine/note.ts";
import { type Body, type Openings, type Statement, isBody, openingsFault, saltsOf } from "../engine/shapes.ts";
import type { Party, Role } from "../engine/verdict.ts";

export class ExhibitDamage extends Error {}

/** A rule is broken above somebody's signature. */
export class ExhibitFinding extends Error {
  constructor(readonly check: string, readonly blamed: Role, readonly entry: number, what: string) {
    super(what);
  }
}

/** This page does not judge such an exhibit; the Python verifier does. */
export class NotJudgedHere extends Error {}

export interface ExhibitEntry {
  readonly number: number;
  readonly hash: string;
  readonly body: Body;
  readonly statement: Statement;
  readonly openings: Openings;
}

export interface ExhibitKey {
  readonly role: Role;
  readonly key: Uint8Array;
  readonly since: number;
  until: number | null;
}

export interface ReadExhibit {
  readonly entries: readonly ExhibitEntry[];
  readonly keys: readonly ExhibitKey[];
  readonly checkpoint: Checkpoint;
  readonly signers: readonly Role[];
  readonly signatures: number;
}

const ROLES = ["alice", "bob", "court", "trent"] as const;

export async function readEntries(raw: readonly Json[], note: string): Promise<ReadExhibit> {
  const checkpoint = parseCheckpoint(note);
  if (checkpoint === null) throw new ExhibitDamage("the checkpoint is not a note of its form");
  const frames = raw.map(frameOf);
  const keys = enrolled(frames[0]);
  let signatures = 0;
  const entries: ExhibitEntry[] = [];
  for (const frame of frames) {
    const last = entries[entries.length - 1];
    if (last !== undefined && frame.body.sequence <= last.number) throw new ExhibitDamage("the entries are not ascending by number");
    if (frame.body.matter !== checkpoint.matter) throw new ExhibitDamage(`entry ${frame.body.sequence} is of another matter`);
    const entry = await admit(frame, last, keys);
    signatures += entry.statement.author === "trent" ? 1 : 2;
    opened(entry);
    placed(frame, entry, checkpoint);
    rekeyed(entry, keys);
    entries.push(entry);
  }
  const last = entries[entries.length - 1];
  if (last !== undefined && BigInt(last.number) === BigInt(checkpoint.size) - 1n && last.hash !== checkpoint.head) throw new ExhibitDamage("the checkpoint's head is not its last entry");
  const signers = await cosigned(checkpoint, keys);
  return { entries, keys, checkpoint, signers, signatures: signatures + signers.length };
}

interface Frame {
  readonly body: Body;
  readonly signature: Uint8Array;
  readonly openings: Openings;
  readonly path: Json;
  readonly prefix: Json;
}

function frameOf(raw: Json): Frame {
  if (!isObject(raw) || Object.keys(raw).sort().join() !== "entry,openings,path,prefix") throw new ExhibitDamage("an entry does not have its form");
  const { entry, openings, path, prefix } = raw;
  const signature = isObject(entry) ? unhex(entry["signature"], 64) : null;
  const body = isObject(entry) ? entry["body"] : null;
  if (signature === null || !isBody(body) || !isObject(openings)) throw new ExhibitDamage("an entry does not have its form");
  const wrong = openingsFault(openings as JsonObject);
  if (wrong !== null) throw new ExhibitDamage(`openings do not have their form: ${wrong}`);
  return { body: body as unknown as Body, signature, openings: openings as unknown as Openings, path: path ?? null, prefix: prefix ?? null };
}

function enrolled(first: Frame | undefined): ExhibitKey[] {
  if (first === undefined || first.body.sequence !== 0 || first.body.statement.kind !== "open") throw new ExhibitDamage("the opening is missing");
  const stated = first.body.statement.content["keys"] as JsonObject | undefined;
  return ROLES.map((role) => {
    const key = unhex(stated?.[role], 32);
    if (key === null || !acceptableKey(key)) throw new ExhibitDamage(`the opening's key of ${role} is not acceptable`);
    return { role, key, since: 0, until: null };
  });
}

function keyOf(keys: readonly ExhibitKey[], role: Role, at = Number.MAX_SAFE_INTEGER): Uint8Array {
  const key = keys.find((one) => one.role === role && one.since <= at && (one.until === null || at <= one.until));
  if (key === undefined) throw new ExhibitDamage(`no key of ${role} is known`);
  return key.key;
}

async function admit(frame: Frame, before: ExhibitEntry | undefined, keys: readonly ExhibitKey[]): Promise<ExhibitEntry> {
  const { body } = frame;
  const number = body.sequence;
  const bytes = encode(body as unknown as Json);
  const statement = body.statement;
  if (!(await verifyTagged(keyOf(keys, "trent"), "entry", bytes, frame.signature))) throw new ExhibitDamage(`entry ${number} does not carry Trent's signature`);
  if (before !== undefined && before.number === number - 1 && body.previous !== before.hash) throw new ExhibitFinding("V02", "trent", number, "it does not name the entry before it, which he signed too: two histories");
  if (statement.matter !== body.matter) throw new ExhibitFinding("V02", "trent", number, "the statement's matter is not the body's");
  if ((statement.kind === "open") !== (number === 0)) throw new ExhibitFinding("V05", "trent", number, "only the first entry is an opening");
  if (statement.author === "trent") {
    if (statement.answers !== null || body.signature !== null || statement.replaces.length > 0) throw new ExhibitFinding("V05", "trent", number, "Trent speaks, and answers or signs as a party");
  } else {
    const signature = unhex(body.signature, 64);
    const valid = signature !== null && (await verifyTagged(keyOf(keys, statement.author, number), "statement", encode(statement as unknown as Json), signature));
    // A key that an entry outside this exhibit granted could have made it.
    if (!valid) throw new ExhibitDamage(`no known key made the signature of ${statement.author} in entry ${number}`);
  }
  const wrong = contentFault(statement.kind, statement.content as JsonObject);
  if (wrong !== null) throw new ExhibitFinding("V05", statement.author, number, `the content of ${statement.kind}: ${wrong}`);
  return { number, hash: hex(entryHash(bytes)), body, statement, openings: frame.openings };
}

function opened({ number, statement, openings }: ExhibitEntry): void {
  for (const [field, values] of Object.entries(openings)) {
    const sealed = statement.sealed[field];
    const salts = saltsOf(values);
    values.indices.forEach((index, at) => {
      const salt = salts?.[at];
      const committed = sealed?.commitments[index];
      if (salt === undefined || committed === undefined || hex(commitment(salt, encode(values.values[at] as Json))) !== committed) {
        throw new ExhibitDamage(`entry ${number}: the opening of '${field}' ${index} does not match its commitment`);
      }
    });
  }
}

/** Its inclusion under the checkpoint's root, and for a `stamped` or `logged` the tree of the entries before it. */
function placed(frame: Frame, entry: ExhibitEntry, checkpoint: Checkpoint): void {
  const path = readPath(frame.path);
  const hash = unhex(entry.hash) ?? new Uint8Array();
  if (path === null || !verifyInclusion(hash, entry.number, BigInt(checkpoint.size), path, checkpoint.root)) {
    throw new ExhibitDamage(`the path of entry ${entry.number} does not lead to the checkpoint`);
  }
  const outside = entry.statement.kind === "stamped" || entry.statement.kind === "logged";
  if (!outside) {
    if (frame.prefix !== "") throw new ExhibitDamage(`entry ${entry.number} has a prefix that it does not need`);
    return;
  }
  const prefix = readPath(frame.prefix);
  const root = unhex(entry.statement.content["root"], 32);
  if (prefix === null || root === null || !verifyConsistency(entry.number, BigInt(checkpoint.size), prefix, root, checkpoint.root)) {
    throw new ExhibitDamage(`the prefix of entry ${entry.number} does not lead to the checkpoint`);
  }
}

function rekeyed({ number, statement }: ExhibitEntry, keys: ExhibitKey[]): void {
  if (statement.kind !== "rekeyed" || statement.author !== "court" || statement.content["granted"] !== true) return;
  const { role, key } = statement.content;
  const bytes = unhex(key, 32);
  const used = bytes !== null && keys.some((one) => equalBytes(one.key, bytes));
  if ((role !== "alice" && role !== "bob") || bytes === null || !acceptableKey(bytes) || used) throw new ExhibitFinding("V03", "trent", number, "the court granted an invalid new key");
  for (const one of keys) if (one.role === role && one.until === null) one.until = number;
  keys.push({ role, key: bytes, since: number + 1, until: null });
}

/** The checkpoint by Trent, and by those who have cosigned it, with the keys in force at its size. */
async function cosigned(checkpoint: Checkpoint, keys: readonly ExhibitKey[]): Promise<Role[]> {
  const origin = `tallystick/${checkpoint.matter}`;
  const at = Number(checkpoint.size) - 1;
  const signers: Role[] = [];
  for (const line of checkpoint.lines) {
    const role = line.name === origin ? "trent" : ((["alice", "bob", "court"] as const).find((party: Party) => line.name === `${origin}/${party}`) ?? null);
    if (role === null || signers.includes(role)) throw new ExhibitDamage("the checkpoint has a line of somebody else, or two of one party");
    const key = keyOf(keys, role, role === "trent" ? 0 : Math.max(at, 0));
    const id = keyId(line.name, role === "trent" ? 1 : 4, key);
    const valid = equalBytes(line.id, id) && (role === "trent" ? await verifyNoteLine(key, checkpoint.text, line) : (await verifyCosignature(key, checkpoint.text, line)) !== null);
    if (!valid) throw new ExhibitDamage(`the checkpoint's signature of ${role} is not valid under a known key`);
    signers.push(role);
  }
  if (!signers.includes("trent")) throw new ExhibitDamage("Trent has not signed the checkpoint");
  return ROLES.filter((role) => signers.includes(role));
}
