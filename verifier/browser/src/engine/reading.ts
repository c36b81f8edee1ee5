/** The reading of a copy, line by line, by the steps of the specification. */

import { concat, hex, unbase64, unhex } from "./bytes.ts";
import { Chain, type Entry } from "./chain.ts";
import { DueOpenings, type Reference } from "./due.ts";
import { verifyTagged } from "./ed25519.ts";
import { damaged, DamageFound, FaultFound, UnknownVersion } from "./failures.ts";
import { entryHash, hashOfLong, noteHash, openedLeaf } from "./hash.ts";
import { isObject, locateLine, type JsonObject, type Located, type Unbuilt, isArray } from "./json.ts";
import { MerkleTree } from "./merkle.ts";
import { isLineOf, keyId, parseCheckpoint, verifyCosignature, verifyNoteLine } from "./note.ts";
import { Sha256, sha256 } from "./sha256.ts";
import { hasExactly, isBody, isFrame, isHash, isManifest, isNatural, isOtherVersion, openingsFault, PARTIES } from "./shapes.ts";
import type { Manifest, Openings } from "./shapes.ts";
import type { Role } from "./verdict.ts";

const PIECE = 2 ** 20;
const MAX_TOKEN = 2 ** 16;

/** A checkpoint of which all conditions hold. */
export interface SeenCheckpoint {
  readonly size: number;
  readonly signed: readonly Role[];
}

/** What the replay is told while the copy is read. */
export interface Listener {
  /** An entry whose pieces are there, and about whose openings nothing is suspicious. */
  entry(entry: Entry, attachments: ReadonlyMap<string, Uint8Array>): Promise<void>;
  token(sequence: number): void;
}

/** The attachment whose pieces come next. */
interface Attachment {
  readonly reference: Reference;
  readonly hash: Sha256;
  /** Kept where the replay reads it: the list of what was received. */
  readonly kept: Uint8Array[] | null;
  received: number;
  pieces: number;
}

const RULES = {
  shape: "Every line has a known shape: this entry has another, and Trent signed it.",
  openings: "The openings whose hash the report signs match its commitments.",
  due: "The copy opens just what its audience may see, each as it was sealed.",
  trentsLine: "A checkpoint has exactly one line of Trent's, and it is valid.",
  states: "A checkpoint states the root and the head of the entries so far.",
  lines: "Each other line of a checkpoint is by Alice, Bob or the court, under the key in force, once, and valid.",
  head: "The manifest's head and root are those of the entries.",
};

export class Reading {
  manifest: Manifest | null = null;
  private manifestBytes: Uint8Array | null = null;
  private manifestSignature: Uint8Array | null = null;
  readonly chain = new Chain();
  private due: DueOpenings | null = null;
  readonly checkpoints: SeenCheckpoint[] = [];
  private readonly sizes = new Set<bigint>();
  /** Why the openings are not those that are due; null if nothing is suspicious. */
  suspicion: { what: string; entry: number | null } | null = null;
  private opened = 0;
  /** Trent's, the parties' and those on checkpoints, as far as they are valid. */
  signatures = 0;
  private readonly openedTree = new MerkleTree();
  private waiting: { entry: Entry; attachments: Attachment[]; complete: Map<string, Uint8Array> } | null = null;
  /** The token that the last entry names, while a token may stand here. */
  private token: { sequence: number; hash: unknown } | null = null;
  private lineNumber = 0;

  constructor(private readonly listener: Listener) {}

  /** Reads one line, without its newline. */
  async line(bytes: Uint8Array): Promise<void> {
    this.lineNumber++;
    try {
      const located = locateLine(bytes);
      if ("error" in located) damaged(`the line is not canonical JSON: ${located.error}, at byte ${located.at + 1}`);
      const { value } = located;
      if (this.manifest === null) this.readManifest(located, bytes);
      else if (isFrame(value)) await this.readEntry(located, bytes);
      else {
        if (located.beyond !== null) damaged(`the line is not canonical JSON: it has ${located.beyond}`);
        if (this.chain.size === 0) damaged("the second line is not an entry");
        if (hasExactly(value, ["attachment", "chunk", "data"])) await this.readPiece(value);
        else if (hasExactly(value, ["token"])) this.readToken(value);
        else if (hasExactly(value, ["checkpoint"])) await this.readCheckpoint(value);
        else damaged("the line is none of the five kinds of line");
      }
    } catch (error) {
      if (error instanceof DamageFound && error.line === null) damaged(error.what, this.lineNumber);
      throw error;
    }
  }

  /** How many values the copy opens. */
  get openings(): number {
    return this.opened;
  }

  get lines(): number {
    return this.lineNumber;
  }

  /** Step 1. */
  private readManifest(located: Located, bytes: Uint8Array): void {
    const { value } = located;
    if (!hasExactly(value, ["manifest", "signature"])) damaged("the first line is not a manifest");
    const manifest = value["manifest"]!;
    if (isObject(manifest) && isOtherVersion(manifest["format"], 1)) throw new UnknownVersion("the manifest's format is not 1");
    const signature = unhex(value["signature"], 64);
    if (located.beyond !== null || signature === null || !isManifest(manifest)) damaged("the manifest does not have its shape");
    const [from, to] = located.spans.get(manifest)!;
    this.manifestBytes = bytes.slice(from, to);
    this.manifestSignature = signature;
    this.manifest = manifest;
    this.due = new DueOpenings(manifest.audience);
  }

  /** Steps 2 to 6. */
  private async readEntry(located: Located, bytes: Uint8Array): Promise<void> {
    const line = located.value as { entry: { body: JsonObject; signature: string }; openings: JsonObject } & JsonObject;
    const { body, signature: signatureText } = line.entry;
    this.missingPieces("the next entry");
    const isFirst = this.chain.size === 0;
    const signature = unhex(signatureText)!;
    if (isFirst) this.lookForVersion(body);
    const span = typeof body === "object" && body !== null ? located.spans.get(body) : undefined;
    if (!isBody(body) || isBeyond(located, body)) {
      const signed =
        !isFirst &&
        span !== undefined &&
        isObject(body) &&
        body["matter"] === this.chain.matter &&
        body["sequence"] === this.chain.size &&
        (await verifyTagged(this.chain.key("trent"), "entry", bytes.subarray(span[0], span[1]), signature));
      if (signed) {
        this.chain.onSigned(hex(entryHash(bytes.subarray(span[0], span[1]))), this.chain.matter!);
        throw new FaultFound("V01", "trent", RULES.shape);
      }
      damaged("the entry does not have its shape");
    }
    if (located.beyond !== null) damaged(`the line is not canonical JSON: it has ${located.beyond}`);
    const wrong = openingsFault(line.openings);
    if (wrong !== null) damaged(wrong);
    if (this.chain.size >= this.manifest!.size) damaged("there are more entries than the manifest states");
    if (isFirst) this.chain.enrol(body.statement as unknown as JsonObject);
    const rootBefore = this.chain.tree.root();
    const headBefore = this.chain.head;
    const bodyBytes = bytes.subarray(span![0], span![1]);
    const [from, to] = located.spans.get(body.statement)!;
    const [openFrom, openTo] = located.spans.get(line.openings)!;
    const hashing = hashOfLong("openings", bytes.subarray(openFrom, openTo));
    const hashes = await this.chain.admit(body, bodyBytes, bytes.subarray(from, to), signature);
    this.signatures += body.signature === null ? 1 : 2;
    this.token = body.statement.kind === "stamped" ? { sequence: body.sequence, hash: body.statement.content["token"] } : null;

    const openings = line.openings as unknown as Openings<Unbuilt>;
    const openedHash = await hashing;
    const names = Object.keys(openings);
    if (names.length > 0) {
      for (const name of names) this.opened += openings[name]!.values.length;
      this.openedTree.append(openedLeaf(body.sequence, openedHash));
    }
    const entry: Entry = {
      body,
      statement: body.statement,
      ...hashes,
      openings,
      openingsHash: hex(openedHash),
      rootBefore: () => rootBefore,
      headBefore,
    };
    const looked = this.due!.look(body, openings);
    const { author, content } = body.statement;
    if (looked.unmatched && author !== "trent" && content["openings"] === entry.openingsHash) {
      throw new FaultFound("V12", author, RULES.openings);
    }
    if (looked.suspicion !== null) this.suspicion ??= { what: looked.suspicion, entry: body.sequence };
    if (isFirst) {
      const valid = await verifyTagged(this.chain.key("trent"), "manifest", this.manifestBytes!, this.manifestSignature!);
      if (!valid) damaged("Trent's signature of the manifest is not valid", 1);
      this.signatures++;
      if (this.manifest!.matter !== body.matter) damaged("the manifest is of another matter than the entries", 1);
    }
    // The bytes of this line are gone by the time that the pieces are there.
    const waiting = looked.references.length > 0 ? { ...entry, openings: lasting(bytes.slice()) } : entry;
    if (this.suspicion === null) await this.awaitPieces(waiting, looked.references);
  }

  /** The version of an opening comes before its shape. */
  private lookForVersion(body: unknown): void {
    const statement = isObject(body) ? body["statement"] : null;
    const content = isObject(statement) ? statement["content"] : null;
    if (isObject(content) && isOtherVersion(content["format"], 1)) throw new UnknownVersion("the opening's format is not 1");
  }

  private async awaitPieces(entry: Entry, references: readonly Reference[]): Promise<void> {
    const attachments = references.map((reference) => ({
      reference,
      hash: new Sha256(),
      kept: entry.statement.kind === "open" ? [] : null,
      received: 0,
      pieces: 0,
    }));
    this.waiting = { entry, attachments, complete: new Map() };
    await this.completeAttachments();
  }

  /** Goes on to the next attachment that has pieces, and to the replay once all are there. */
  private async completeAttachments(): Promise<void> {
    const waiting = this.waiting!;
    for (;;) {
      const next = waiting.attachments[0];
      if (next === undefined) break;
      if (next.received < next.reference.size) return;
      if (hex(next.hash.digest()) !== next.reference.attachment) damaged("the pieces of an attachment do not have its hash");
      if (next.kept !== null) waiting.complete.set(next.reference.attachment, concat(...next.kept));
      waiting.attachments.shift();
    }
    this.waiting = null;
    await this.listener.entry(waiting.entry, waiting.complete);
  }

  private missingPieces(before: string): void {
    if (this.waiting !== null && this.suspicion === null) damaged(`pieces of an attachment are missing before ${before}`);
  }

  /** Step 7. */
  private async readPiece(value: JsonObject): Promise<void> {
    const { attachment, chunk, data } = value;
    if (!isHash(attachment) || !isNatural(chunk) || typeof data !== "string") damaged("the piece does not have its shape");
    if (this.suspicion !== null) return;
    const bytes = unbase64(data);
    if (bytes === null) damaged("the piece is not in the one base64 that its bytes have");
    const next = this.waiting?.attachments[0];
    if (next === undefined) damaged("a piece of an attachment stands here, and none is due");
    const length = Math.min(PIECE, next.reference.size - next.received);
    if (attachment !== next.reference.attachment || chunk !== next.pieces || bytes.length !== length) {
      damaged("this is not the piece that is due");
    }
    next.hash.update(bytes);
    if (next.kept !== null) next.kept.push(bytes);
    next.received += bytes.length;
    next.pieces++;
    await this.completeAttachments();
  }

  /** Step 8. */
  private readToken(value: JsonObject): void {
    const due = this.token;
    const bytes = unbase64(value["token"]);
    if (bytes === null || bytes.length < 1 || bytes.length > MAX_TOKEN) damaged("the token does not have its shape");
    this.missingPieces("a token");
    if (due === null) damaged("a token stands here, and none is due");
    if (hex(sha256(bytes)) !== due.hash) damaged("the token is not the one that its entry names");
    this.token = null;
    this.listener.token(due.sequence);
  }

  /** Steps 9 to 15. */
  private async readCheckpoint(value: JsonObject): Promise<void> {
    const note = value["checkpoint"];
    const checkpoint = typeof note === "string" ? parseCheckpoint(note) : null;
    if (checkpoint === null) damaged("the checkpoint is not a note by the grammar"); // 9
    this.missingPieces("a checkpoint");
    const { chain } = this;
    if (this.sizes.has(checkpoint.size)) damaged("this is the second checkpoint of its size"); // 10
    if (this.manifest!.checkpoints[this.checkpoints.length] !== hex(noteHash(note as string))) damaged("the manifest names another checkpoint, or none"); // 11
    if (checkpoint.matter !== chain.matter || checkpoint.size !== BigInt(chain.size)) {
      damaged("the checkpoint is of another matter or size than the entries so far"); // 12
    }
    const fault = (rule: string): never => {
      throw new FaultFound("V20", "trent", rule, null, `the checkpoint of ${chain.size} entries`, false);
    };
    const origin = `tallystick/${chain.matter}`;
    const trentsId = keyId(origin, 1, chain.key("trent"));
    const trents = checkpoint.lines.filter((line) => isLineOf(line, origin, trentsId));
    if (trents.length !== 1 || !(await verifyNoteLine(chain.key("trent"), checkpoint.text, trents[0]!))) fault(RULES.trentsLine); // 13
    if (hex(checkpoint.root) !== hex(chain.tree.root()) || checkpoint.head !== chain.head) fault(RULES.states); // 14
    const signed: Role[] = ["trent"];
    for (const line of checkpoint.lines) {
      if (line === trents[0]) continue;
      const role = PARTIES.find((party) => line.name === `${origin}/${party}`);
      if (role === undefined || signed.includes(role)) return fault(RULES.lines); // 15
      const key = chain.partyKey(role);
      if (!isLineOf(line, line.name, keyId(line.name, 4, key))) return fault(RULES.lines);
      if ((await verifyCosignature(key, checkpoint.text, line)) === null) return fault(RULES.lines);
      signed.push(role);
    }
    this.token = null;
    this.sizes.add(checkpoint.size);
    this.signatures += signed.length;
    this.checkpoints.push({ size: chain.size, signed: signed.sort() });
  }

  /** Steps 16 to 20. */
  end(): void {
    const { manifest, chain } = this;
    if (manifest === null) damaged("the file is empty");
    if (chain.size === 0) damaged("the file ends after its first line");
    this.missingPieces("the end of the file");
    if (chain.size !== manifest.size) {
      damaged(`the manifest states ${manifest.size} entries, and the file has ${chain.size}`); // 16
    }
    if (this.checkpoints.length !== manifest.checkpoints.length) damaged("a checkpoint that the manifest names is missing"); // 17
    if (manifest.head !== chain.head || manifest.root !== hex(chain.tree.root())) {
      throw new FaultFound("V02", "trent", RULES.head, null, null, false); // 18
    }
    if (manifest.openings !== this.opened || manifest.openings_root !== hex(this.openedTree.root())) {
      damaged("the openings are not those that the manifest states"); // 19
    }
    if (this.suspicion !== null) throw new FaultFound("V06", "trent", RULES.due, null, this.suspicion.what, false); // 20
    if (!this.due!.allReleased) {
      throw new FaultFound("V06", "trent", RULES.due, null, "something is opened that is not released to this audience", false);
    }
  }
}

/** The openings of a line that was read before, in bytes of their own. */
function lasting(line: Uint8Array): Openings<Unbuilt> {
  const { value } = locateLine(line) as Located;
  return (value as JsonObject)["openings"] as unknown as Openings<Unbuilt>;
}

/** Whether what is outside the limits of canonical JSON stands in the body. */
function isBeyond(located: Located, body: JsonObject): boolean {
  return located.beyond !== null && reaches(body, 3);
}

function reaches(value: unknown, depth: number): boolean {
  if (typeof value === "bigint") return true;
  if (typeof value !== "object" || value === null) return false;
  if (depth > 32) return true;
  if (isArray(value)) return value.some((item) => reaches(item, depth + 1));
  return Object.entries(value).some(([key, item]) => !/^[\x00-\x7f]*$/.test(key) || reaches(item, depth + 1));
}
