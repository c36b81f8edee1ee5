/** The chain: whether an entry comes next, by the conditions of the specification, in their order. */

import { hex, unhex } from "./bytes.ts";
import { acceptableKey, verifyTagged } from "./ed25519.ts";
import { damaged, FaultFound, UnknownVersion } from "./failures.ts";
import { entryHash, statementHash } from "./hash.ts";
import { hasOwn, isArray, type JsonObject, type Values } from "./json.ts";
import { MerkleTree } from "./merkle.ts";
import { CALLED } from "./names.ts";
import { isAscending, isOtherVersion, type Body, type Openings, type Statement } from "./shapes.ts";
import { ROLES, type Party, type Role } from "./verdict.ts";

/** An entry of which the chain's conditions hold. */
export interface Entry {
  readonly body: Body;
  readonly statement: Statement;
  readonly hash: string;
  readonly statementHash: string;
  /** The values of a copy's line last as long as the line that is read. */
  readonly openings: Openings<Values>;
  /** The hash of the openings on its line. */
  readonly openingsHash: string;
  /** The root over the hashes of all entries before this one, and the hash of the last of them. */
  readonly rootBefore: () => Uint8Array;
  readonly headBefore: string;
}

export interface Key {
  readonly role: Role;
  readonly bytes: Uint8Array;
  readonly since: number;
  until: number | null;
}

const ZERO = "0".repeat(64);
const RULES = {
  previous: "`previous` is the hash of the entry before.",
  matter: "The statement's `matter` is the body's.",
  open: "The first entry is of kind `open`, and no other is.",
  keys: "The first entry enrols four different keys.",
  trent: "Where Trent speaks, `answers` and the body's `signature` are null, and `replaces` is empty.",
  signature: "Where a party speaks, its signature of the statement is valid under its key in force.",
  answers:
    "Where a party speaks, it answers an entry that asked it, that it has not answered yet, and that none of its new keys has made void.",
  round: "Where a party speaks, `round` is that of the entry that it answers.",
  form: "`asks`, `replaces`, `audiences`, `releases` and `indices` are ascending, and name what they may name.",
  rekeyed: "A new key is granted to Alice or Bob, is acceptable, and none of the four has or had it.",
};

/** Names a key for comparisons. */
const nameOf = (key: Uint8Array): string => hex(key);

export class Chain {
  size = 0;
  head = ZERO;
  matter: string | null = null;
  readonly tree = new MerkleTree();
  readonly keys: Key[] = [];
  private readonly inForce = new Map<Role, Key>();
  private hasGap = false;
  private readonly everUsed = new Set<string>();
  /** The entries that somebody has still to answer, by their hashes. */
  private readonly open = new Map<string, { readonly round: number; readonly asked: Set<Role> }>();

  /** Told of every entry that Trent validly signed as the next one, whatever else is wrong with it. */
  onSigned: (hash: string, matter: string) => void = () => {};

  key(role: Role): Uint8Array {
    return this.inForce.get(role)!.bytes;
  }

  /** Goes on at a later entry of an exhibit. What an entry that is left out could explain is damage from here on. */
  skipTo({ sequence, previous }: Body): void {
    this.hasGap = true;
    this.size = sequence;
    this.head = previous;
  }

  /** Looks at the keys that the first entry enrols, before its signature can be looked at. */
  enrol(statement: JsonObject): void {
    const content = statement["content"] as JsonObject;
    if (isOtherVersion(content["format"], 1)) throw new UnknownVersion("the opening's format is not 1");
    if (content["format"] !== 1) damaged("the opening states no format");
    const keys = content["keys"];
    if (typeof keys !== "object" || keys === null || isArray(keys)) damaged("the opening enrols no keys");
    if (Object.keys(keys).length !== 4) damaged("the opening does not enrol four keys");
    for (const role of ROLES) {
      const bytes = hasOwn(keys, role) ? unhex(keys[role], 32) : null;
      if (bytes === null || !acceptableKey(bytes)) damaged(`the opening's key of ${CALLED[role]} is not acceptable`);
      const key: Key = { role, bytes, since: 0, until: null };
      this.keys.push(key);
      this.inForce.set(role, key);
    }
  }

  /** Conditions 2 to 13, for an entry whose body has its shape. */
  async admit(
    body: Body,
    bodyBytes: Uint8Array,
    statementBytes: Uint8Array,
    signature: Uint8Array,
  ): Promise<{ hash: string; statementHash: string }> {
    const { statement } = body;
    const { author } = statement;
    const trentSigned = verifyTagged(this.key("trent"), "entry", bodyBytes, signature);
    const authorSignature = body.signature === null ? null : unhex(body.signature);
    const authorSigned =
      author === "trent" || authorSignature === null
        ? false
        : verifyTagged(this.key(author), "statement", statementBytes, authorSignature);
    const hash = hex(entryHash(bodyBytes));
    if (!(await trentSigned)) damaged("Trent's signature of the entry is not valid"); // 2
    if (body.sequence !== this.size) damaged(`entry ${this.size} was expected, and here is entry ${body.sequence}`); // 3
    if (this.matter !== null && body.matter !== this.matter) damaged("the entry is of another matter"); // 3
    this.onSigned(hash, body.matter);
    const fault = (check: string, rule: string, expected: string | null = null, found: string | null = null): never => {
      throw new FaultFound(check, "trent", rule, expected, found);
    };
    if (body.previous !== this.head) fault("V02", RULES.previous, this.head, body.previous); // 4
    if (statement.matter !== body.matter) fault("V02", RULES.matter, body.matter, statement.matter); // 5
    if ((statement.kind === "open") !== (this.size === 0)) fault("V05", RULES.open, null, statement.kind); // 6
    const unexplained: typeof fault = (...broken) => {
      if (this.hasGap) damaged(`a rule is broken, if no entry that is left out explains it: ${broken[1]}`);
      return fault(...broken);
    };
    if (this.size === 0 && new Set(this.keys.map((key) => nameOf(key.bytes))).size !== 4) fault("V03", RULES.keys); // 7
    if (author === "trent") {
      if (statement.answers !== null || body.signature !== null || statement.replaces.length > 0) fault("V05", RULES.trent); // 8
    } else {
      if (!(await authorSigned)) unexplained("V03", RULES.signature); // 9
      const question = statement.answers === null ? undefined : this.open.get(statement.answers);
      if (question === undefined || !question.asked.has(author)) unexplained("V05", RULES.answers); // 10
      else if (question.round !== statement.round) fault("V05", RULES.round, `${question.round}`, `${statement.round}`); // 11
    }
    const wrong = formFault(body);
    if (wrong !== null) fault("V01", RULES.form, null, wrong); // 12
    const granted = this.grantedKey(statement); // 13
    if (granted === "wrong") fault("V03", RULES.rekeyed);
    this.append(body, hash, granted as Key | null);
    return { hash, statementHash: hex(statementHash(statementBytes)) };
  }

  /** The key that a `rekeyed` grants; null if the entry grants none. */
  private grantedKey(statement: Statement): Key | "wrong" | null {
    if (statement.author !== "court" || statement.kind !== "rekeyed" || statement.content["granted"] !== true) return null;
    const { role, key } = statement.content;
    const bytes = unhex(key, 32);
    if ((role !== "alice" && role !== "bob") || bytes === null || !acceptableKey(bytes)) return "wrong";
    if (this.everUsed.has(nameOf(bytes))) return "wrong";
    return { role, bytes, since: this.size, until: null };
  }

  private append(body: Body, hash: string, granted: Key | null): void {
    const { statement } = body;
    if (this.size === 0) for (const key of this.keys) this.everUsed.add(nameOf(key.bytes));
    this.matter = body.matter;
    if (statement.author !== "trent") {
      const question = this.open.get(statement.answers!)!;
      question.asked.delete(statement.author);
      if (question.asked.size === 0) this.open.delete(statement.answers!);
    }
    if (body.asks.length > 0) this.open.set(hash, { round: statement.round, asked: new Set(body.asks) });
    if (granted !== null) {
      for (const [name, question] of this.open) {
        question.asked.delete(granted.role);
        if (question.asked.size === 0) this.open.delete(name);
      }
      this.inForce.get(granted.role)!.until = this.size;
      this.inForce.set(granted.role, granted);
      this.keys.push(granted);
      this.everUsed.add(nameOf(granted.bytes));
    }
    this.tree.append(unhex(hash)!);
    this.head = hash;
    this.size++;
  }

  /** The key of a party that was in force for its lines on a checkpoint of the entries so far. */
  partyKey(role: Party): Uint8Array {
    return this.key(role);
  }
}

/** What of condition 12 does not hold. */
function formFault(body: Body): string | null {
  const { statement } = body;
  if (!isAscending(body.asks)) return "`asks` is not ascending";
  if (body.asks.includes("trent")) return "`asks` names trent";
  if (!isAscending(statement.replaces)) return "`replaces` is not ascending";
  const seen = new Set<string>();
  for (const [name, field] of Object.entries(statement.sealed)) {
    if (!isAscending(field.audiences)) return `the audiences of \`${name}\` are not ascending`;
    if (field.audiences.includes("public")) return `\`${name}\` is sealed for the public`;
    if (field.commitments.length === 0) return `\`${name}\` has no commitment`;
    for (const commitment of field.commitments) {
      if (seen.has(commitment)) return "two commitments are equal";
      seen.add(commitment);
    }
  }
  for (let i = 0; i < body.releases.length; i++) {
    const release = body.releases[i]!;
    if (release.audience === "public") return "a release is to the public";
    if (release.entry >= body.sequence) return "a release names no earlier entry";
    if (release.indices !== null && (release.indices.length === 0 || !isAscending(release.indices))) {
      return "the indices of a release are not ascending, or none";
    }
    if (i > 0 && !releaseBefore(body.releases[i - 1]!, release)) return "`releases` is not ascending";
  }
  return null;
}

function releaseBefore(a: Body["releases"][number], b: Body["releases"][number]): boolean {
  if (a.audience !== b.audience) return a.audience < b.audience;
  if (a.entry !== b.entry) return a.entry < b.entry;
  return a.field < b.field;
}

