/**
 * The entries of an exhibit, each by the rules of the chain as far as its neighbours are there (docs/exhibits.md, step 2).
 *
 * Nobody signs an exhibit as a whole, so what is missing or does not fit is damage. Only what breaks a rule above a
 * party's own signature is a finding.
 */
import { equalBytes, hex, unhex } from "../engine/bytes.ts";
import type { Chain, Entry } from "../engine/chain.ts";
import { contentFault } from "../engine/contents.ts";
import { readPath } from "../engine/documents.ts";
import { damaged, DamageFound, FaultFound } from "../engine/failures.ts";
import { commitment, openingsHash } from "../engine/hash.ts";
import { type Json, type JsonObject, encode, isObject, hasOwn } from "../engine/json.ts";
import { KINDS } from "../engine/kinds.ts";
import { needFrom } from "../engine/matter.ts";
import { verifyConsistency, verifyInclusion } from "../engine/merkle.ts";
import { CALLED } from "../engine/names.ts";
import { type Checkpoint, keyId, parseCheckpoint, verifyCosignature, verifyNoteLine } from "../engine/note.ts";
import { type Body, PARTIES, type Openings, hasExactly, isAscending, isBody, openingsFault, saltsOf } from "../engine/shapes.ts";
import { ROLES, type Role } from "../engine/verdict.ts";

/** A finding at an entry. */
export class FoundAt extends Error {
  constructor(readonly fault: FaultFound, readonly entry: number) {
    super(fault.rule);
  }
}

export interface ReadExhibit {
  readonly entries: readonly Entry[];
  readonly frames: readonly Frame[];
  readonly checkpoint: Checkpoint;
}

/** Reads what `exhibit.json` holds. `chain` then has the keys, also if it breaks off. */
export async function readEntries(chain: Chain, raw: readonly Json[], note: string): Promise<ReadExhibit> {
  const checkpoint = parseCheckpoint(note);
  if (checkpoint === null) damaged("the checkpoint is not a note");
  const entries: Entry[] = [];
  const frames = raw.map(frameOf);
  for (const frame of frames) {
    const { body } = frame;
    if (entries.length === 0) {
      if (body.sequence !== 0) damaged("the opening is missing");
      chain.enrol(body.statement as unknown as JsonObject);
    } else if (body.sequence > chain.size) chain.skipTo(body);
    entries.push(await foundAt(body.sequence, () => admit(chain, frame)));
  }
  return { entries, frames, checkpoint };
}

/** Whether the entries after the opening have the contents of their kinds. An unknown kind the replay judges. */
export async function needContents(entries: readonly Entry[]): Promise<void> {
  for (const { body, statement } of entries) {
    const { author, content, kind } = statement;
    const wrong = KINDS.has(kind) ? contentFault(kind, content) : null;
    await foundAt(body.sequence, async () => needFrom(wrong === null, "V05", author, "`content` has the fields of its kind.", null, wrong));
  }
}

/** The checkpoint, and whether it covers all entries. Returns who has signed it. */
export async function covered({ entries, frames, checkpoint }: ReadExhibit, chain: Chain): Promise<Role[]> {
  if (chain.matter !== checkpoint.matter) damaged("the checkpoint is of another matter");
  const signers = await cosigned(checkpoint, chain);
  entries.forEach((entry, index) => placed(frames[index]!, entry, checkpoint));
  if (BigInt(chain.size) === checkpoint.size && chain.head !== checkpoint.head) damaged("the checkpoint's head is not its last entry");
  return signers;
}

export async function foundAt<T>(entry: number, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof FaultFound) throw new FoundAt(error, entry);
    if (error instanceof DamageFound) damaged(`entry ${entry}: ${error.what}`);
    throw error;
  }
}

interface Frame {
  readonly body: Body;
  readonly signature: Uint8Array;
  readonly openings: Openings;
  readonly path: readonly Uint8Array[];
  readonly prefix: readonly Uint8Array[];
}

function frameOf(raw: Json): Frame {
  const { entry, openings, path, prefix } = hasExactly(raw, ["entry", "openings", "path", "prefix"]) ? raw : {};
  const { body, signature } = hasExactly(entry, ["body", "signature"]) ? entry : {};
  const bytes = unhex(signature, 64);
  const inclusion = readPath(path ?? null);
  const consistency = readPath(prefix ?? null);
  if (bytes === null || inclusion === null || consistency === null || !isBody(body) || !isObject(openings)) damaged("an entry does not have its form");
  const wrong = openingsFault(openings);
  if (wrong !== null) damaged(wrong);
  return { body, signature: bytes, openings: openings as unknown as Openings, path: inclusion, prefix: consistency };
}

async function admit(chain: Chain, { body, signature, openings }: Frame): Promise<Entry> {
  const { statement } = body;
  const headBefore = chain.head;
  const hashes = await chain.admit(body, encode(body as unknown as Json), encode(statement as unknown as Json), signature);
  const openingsBytes = hex(openingsHash(encode(openings as unknown as Json)));
  const unmatched = Object.entries(openings).filter(([field, values]) => {
    const salts = saltsOf(values)!;
    const commitments = hasOwn(statement.sealed, field) ? statement.sealed[field]!.commitments : [];
    return values.indices.some((index, at) => hex(commitment(salts[at]!, encode(values.values[at]!))) !== commitments[index]);
  });
  const isSigned = statement.content["openings"] === openingsBytes && statement.author !== "trent";
  needFrom(unmatched.length === 0 || !isSigned, "V12", statement.author, "The openings that a report signs match its commitments.");
  if (unmatched.length > 0 || !Object.values(openings).every(({ indices }) => isAscending(indices))) damaged("an opening does not match its commitment");
  // Of entries that stand alone, the tree before them is not known; `placed` proves the root that a stamp names.
  return { body, statement, ...hashes, openings, openingsHash: openingsBytes, rootBefore: () => unhex(statement.content["root"]) ?? new Uint8Array(), headBefore };
}

/** Its inclusion under the checkpoint's root, and for a `stamped` or `logged` the tree of the entries before it. */
function placed({ path, prefix }: Frame, { body, hash, statement }: Entry, checkpoint: Checkpoint): void {
  const number = body.sequence;
  if (!verifyInclusion(unhex(hash)!, number, checkpoint.size, path, checkpoint.root)) damaged(`the path of entry ${number} does not fit`);
  let fits = prefix.length === 0;
  if (isSeen(statement.kind)) {
    const root = unhex(statement.content["root"], 32);
    // A root that is no hash is a content of another type, and found as that.
    fits = root === null || verifyConsistency(number, checkpoint.size, prefix, root, checkpoint.root);
  }
  if (!fits) damaged(`the prefix of entry ${number} does not fit`);
}

/** Whether entries of a kind say that somebody outside has seen the record. */
export function isSeen(kind: string): boolean {
  return kind === "stamped" || kind === "logged";
}

/** The checkpoint by Trent, and by those who have cosigned it, with the keys in force at its size. */
async function cosigned(checkpoint: Checkpoint, chain: Chain): Promise<Role[]> {
  const origin = `tallystick/${checkpoint.matter}`;
  const signers: Role[] = [];
  for (const line of checkpoint.lines) {
    const role = line.name === origin ? "trent" : PARTIES.find((party) => line.name === `${origin}/${party}`);
    if (role === undefined || signers.includes(role)) damaged("the checkpoint has a line too many");
    const key = chain.key(role);
    const id = keyId(line.name, role === "trent" ? 1 : 4, key);
    const valid = role === "trent" ? await verifyNoteLine(key, checkpoint.text, line) : (await verifyCosignature(key, checkpoint.text, line)) !== null;
    if (!valid || !equalBytes(line.id, id)) damaged(`the checkpoint's signature of ${CALLED[role]} is not valid`);
    signers.push(role);
  }
  if (!signers.includes("trent")) damaged("Trent has not signed the checkpoint");
  return ROLES.filter((role) => signers.includes(role));
}
