/**
 * The check of an exhibit: the story of one document, by itself (docs/exhibits.md).
 *
 * The numbers of the steps are those of that page. Each round is replayed by the rules of a copy. Time stamps need
 * certificates, which this page does not read: they are told and not checked.
 */
import { type Alone, agreeAlone, beginAlone, learnLateAlone, needListAlone, placeAlone } from "../engine/alone.ts";
import { hex, unhex, utf8 } from "../engine/bytes.ts";
import { Chain, type Entry, type Key } from "../engine/chain.ts";
import { documentLeaf, readPath } from "../engine/documents.ts";
import { damaged, DamageFound, FaultFound, UnknownVersion } from "../engine/failures.ts";
import { fingerprint } from "../engine/hash.ts";
import { type Json, isObject, parseCanonical, isArray } from "../engine/json.ts";
import { parseLogProof, parsePolicy, policySatisfied, verifyLogProof } from "../engine/logproof.ts";
import { Matter, need } from "../engine/matter.ts";
import { rootFromPath } from "../engine/merkle.ts";
import { CALLED } from "../engine/names.ts";
import { type Note, checkpointText } from "../engine/note.ts";
import { Replay } from "../engine/replay.ts";
import type { Doc } from "../engine/round.ts";
import { sha256 } from "../engine/sha256.ts";
import { seedOf } from "../engine/step-draws.ts";
import { hasExactly, isNatural, isOtherVersion } from "../engine/shapes.ts";
import { logKey } from "../engine/terms.ts";
import { isTrusted, normalTrust } from "../engine/trust.ts";
import type { Opening, Role, Trust } from "../engine/verdict.ts";
import { certificationFault } from "./exhibit-certification.ts";
import { FoundAt, type ReadExhibit, covered, foundAt, isSeen, needContents, readEntries } from "./exhibit-entries.ts";
import { type Judged, storyOf } from "./exhibit-story.ts";
import { type Course, type Stated, openingOf, wholeOf } from "./exhibit-whole.ts";
import { type Folder, type NamedFile, folderAt, foldersWith, isLeftBySystem } from "./named-files.ts";
import { type Part, type Proof, holdsWithheld, isOpen, textHash } from "./proof.ts";

export type ExhibitWord = "verified" | "not closed" | "rejected" | "undecided" | "commitment only";

/** A rule that is broken. `party` is null if nobody is blamed. */
export interface Finding {
  readonly check: string;
  readonly party: Role | null;
  readonly entry: number | null;
  readonly rule: string;
}

export interface ExhibitVerdict {
  readonly verdict: ExhibitWord;
  /** What is damaged or unknown, so that nothing further is decided; empty otherwise. */
  readonly trouble: string;
  readonly findings: readonly Finding[];
  readonly document: { readonly number: number; readonly name: string; readonly parts: readonly Part[] } | null;
  readonly opening: Opening | null;
  readonly matter: string;
  readonly head: string;
  readonly size: number;
  readonly signers: readonly Role[];
  readonly signatures: number;
  readonly keys: readonly { readonly role: Role; readonly fingerprint: string; readonly until: number | null; readonly trusted: boolean | null }[];
  readonly story: readonly string[];
  readonly notChecked: readonly string[];
  /** What lies beside the files of an exhibit that holds: nobody vouches for it. */
  readonly besides: readonly string[];
}

/** A folder that knows which of its files were asked for. */
class Asked extends Map<string, NamedFile> {
  readonly paths = new Set(["README.txt"]);

  override get(path: string): NamedFile | undefined {
    this.paths.add(path);
    return super.get(path);
  }
}

/** The object `document` of `exhibit.json`. */
interface DocumentJson {
  readonly files: readonly (string | null)[];
  readonly name: string;
  readonly number: number;
  readonly proof: Proof & { readonly path: string };
}

/** Checks the exhibit in a folder. `policy` is the reader's policy of logs and witnesses. */
export async function checkExhibit(files: readonly NamedFile[], trust: Trust, policy: string | Uint8Array | null = null): Promise<ExhibitVerdict> {
  return new ExhibitCheck(trust, policy).check(files);
}

class ExhibitCheck {
  private readonly trust: Trust;
  private readonly chain = new Chain();
  private readonly faults: FoundAt[] = [];
  private readonly notChecked: string[] = [];
  private readonly seen: string[] = [];
  private trouble = "";
  private document: DocumentJson | null = null;
  private read: ReadExhibit | null = null;
  private signers: readonly Role[] = [];
  private opening: Opening | null = null;
  /** The document as the first round knows it in which Alice labels it. */
  private reported: Doc | null = null;
  private story: readonly string[] = [];
  private word: ExhibitWord = "not closed";
  private besides: readonly string[] = [];

  constructor(trust: Trust, private readonly policy: string | Uint8Array | null) {
    this.trust = normalTrust(trust);
  }

  async check(files: readonly NamedFile[]): Promise<ExhibitVerdict> {
    try {
      await this.steps(files);
    } catch (error) {
      if (error instanceof FoundAt) this.faults.push(error);
      else if (error instanceof DamageFound) this.trouble = `The exhibit is damaged: ${error.what.replace(/\.$/, "")}. Nobody is blamed for this. Get the folder again from where it came.`;
      else if (error instanceof UnknownVersion) this.trouble = `The exhibit is of another version: ${error.what}. Use a verifier that knows this version.`;
      else throw error;
    }
    return this.verdict();
  }

  private async steps(files: readonly NamedFile[]): Promise<void> {
    const base = foldersWith(files, "exhibit.json").sort((a, b) => a.length - b.length)[0];
    if (base === undefined) damaged("it holds no exhibit.json");
    const folder = new Asked(folderAt(files, base));
    const { checkpoint, document, entries, leaf } = await form(folder); // 1
    this.document = document;
    const read = await readEntries(this.chain, entries, checkpoint); // 2
    this.read = read;
    this.signers = await covered(read, this.chain);
    const opening = openingOf(read.entries);
    const { name, number } = document;
    const matter = await this.afterOpening(opening, { document: number, name, position: 0, positions: 0 }); // 3
    this.opening = matter.opening!;
    await needContents(read.entries.slice(opening.length));
    const stated = { name, number, leaf };
    const whole = wholeOf(read, opening, stated); // 4
    needInCorpus(document, leaf, this.opening); // 5
    const judged: Judged[] = [];
    for (const course of whole.courses) judged.push(await this.round(opening, course)); // 6
    await this.fixedOutside(read, matter, folder); // 7
    const named = await partFiles(folder, document); // 8
    await certification(folder, read, this.chain, stated, this.opening, named); // 9
    const isSigned = this.signers.length === 4;
    if (judged.length === 0) this.word = "commitment only";
    else if (isSigned && whole.courses.every((course) => course.isClosed)) this.word = "verified";
    const told = storyOf(read, this.signers, { ...stated, parts: document.proof.parts }, this.opening, judged, whole);
    this.besides = files.map(({ path }) => path).filter((path) => !isLeftBySystem(path) && !(path.startsWith(base) && folder.paths.has(path.slice(base.length)))).sort();
    this.story = [...told.slice(0, -1), ...this.seen, ...told.slice(-1)];
  }

  /** The opening with its answers, replayed. */
  private async afterOpening(opening: readonly Entry[], alone: Alone): Promise<Matter> {
    const m = new Matter("court", { withoutPositions: true });
    m.alone = alone;
    await this.replay(m, opening, () => undefined);
    return m;
  }

  private async round(opening: readonly Entry[], course: Course): Promise<Judged> {
    const m = await this.afterOpening(opening, course.alone);
    beginAlone(m, course.entries[0]!.statement.round);
    agreeAlone(m, course.entries);
    let judged: Judged | null = null;
    const replayed = this.replay(m, course.entries, (entry) => {
      if (m.round !== null) learnLateAlone(m.round);
      if (entry !== course.list || m.round === null) return;
      needListAlone(m, entry);
      const doc = placeAlone(m.round, course.alone, this.reported);
      const labelled = m.round.validation?.called ?? m.round.size;
      if (m.round.report === "awaited" && course.alone.position <= labelled) this.reported ??= doc;
      judged = { ...course, m, round: m.round, listSeed: m.round.validation === null ? null : seedOf(m, m.queryHash) };
    });
    await replayed.finally(() => this.keepFindings(m));
    return judged!;
  }

  /** Replays entries, up to the first that breaks a rule. */
  private async replay(m: Matter, entries: readonly Entry[], after: (entry: Entry) => void): Promise<void> {
    const replay = new Replay(m, (role) => this.chain.key(role));
    for (const entry of entries) {
      const { sequence, statement } = entry.body;
      await foundAt(sequence, async () => {
        await replay.entry(entry, new Map());
        const { stopped } = replay;
        if (stopped === null) return after(entry);
        if (/^(rekey|rekeyed|amend|amended)$/.test(statement.kind)) damaged(`only the whole record tells whether it fits: ${stopped.fault.rule}`);
        throw stopped.fault;
      });
    }
  }

  /** What breaks a rule without ending the replay: a claim for parts that the document does not have. */
  private keepFindings(m: Matter): void {
    for (const { fault, entry } of m.findings) this.faults.push(new FoundAt(fault, entry.body.sequence));
  }

  /** Step 7: first the proofs of a log, then the files. Who vouches for a stamp is not checked. */
  private async fixedOutside({ entries }: ReadExhibit, m: Matter, folder: Folder): Promise<void> {
    const key = m.terms.witnesses?.log ? logKey(m.terms.witnesses.log) : null;
    const notes = new Map<Entry, Note>();
    for (const entry of entries.filter(({ statement }) => statement.kind === "logged")) {
      const parsed = parseLogProof(entry.statement.content["proof"] as string);
      await foundAt(entry.body.sequence, async () => {
        need(parsed !== null && key !== null && (await verifyLogProof(parsed, key, utf8(leafBefore(entry)))), "V31", "The log has the record before this entry, as its proof says.");
      });
      notes.set(entry, parsed!.note);
    }
    for (const entry of entries.filter(({ statement }) => isSeen(statement.kind))) {
      const number = entry.body.sequence;
      const { proof, token } = entry.statement.content as Readonly<Record<string, string>>;
      const note = notes.get(entry);
      if (note === undefined) {
        this.notChecked.push(`the time stamp in entry ${number}: this page reads no certificates (tallystick-verify exhibit --tsa-roots)`);
        await sameFile(folder, `stamps/${number}.tsr`, token!);
        await sameFile(folder, `stamps/${number}.txt`, hex(sha256(utf8(textBefore(entry)))));
        continue;
      }
      await sameFile(folder, `log/${number}.tlog-proof`, hex(sha256(utf8(proof!))));
      await sameFile(folder, `log/${number}.leaf`, hex(sha256(utf8(leafBefore(entry)))));
      const unsure = await this.vouched(note);
      if (unsure === null) this.seen.push(`Seen from outside. The record up to entry ${number - 1} is in the operator's log, with the signatures that your policy asks for (entry ${number}).`);
      else this.notChecked.push(`who has cosigned the log in entry ${number}: ${unsure}`);
    }
  }

  /** Why the log is not known to be witnessed as the policy asks; null if it is. */
  private async vouched(note: Note): Promise<string | null> {
    const policy = this.policy === null ? { error: "open a policy of logs and witnesses" } : parsePolicy(this.policy);
    if ("error" in policy) return policy.error;
    return (await policySatisfied(policy, note)) ? null : "it does not satisfy your policy";
  }

  private verdict(): ExhibitVerdict {
    const { read, document } = this;
    const keys = this.chain.keys.map(({ role, bytes, until }) => ({ role, fingerprint: fingerprint(bytes), until, trusted: isTrusted(this.trust, role, fingerprint(bytes)) }));
    const findings = this.faults.map(({ fault, entry }) => this.finding(fault, entry));
    for (const key of keys.filter(({ trusted }) => trusted === false)) {
      findings.push({ check: "V04", party: null, entry: null, rule: `the key ${key.fingerprint} of ${CALLED[key.role]} is not one of those that you were told.` });
    }
    return {
      verdict: findings.length > 0 ? "rejected" : this.trouble !== "" ? "undecided" : this.word,
      trouble: this.trouble,
      findings,
      document: document === null ? null : { number: document.number, name: document.name, parts: document.proof.parts },
      opening: this.opening,
      matter: read?.checkpoint.matter ?? "",
      head: read?.checkpoint.head ?? "",
      size: Number(read?.checkpoint.size ?? 0),
      signers: this.signers,
      signatures: this.signers.length + (read?.entries ?? []).reduce((sum, { body }) => sum + (body.signature === null ? 1 : 2), 0),
      keys,
      story: this.story,
      notChecked: this.notChecked,
      besides: this.besides,
    };
  }

  /** A finding blames nobody if the reader does not trust the key that was in force. */
  private finding({ check, blamed, rule }: FaultFound, entry: number): Finding {
    const inForce = ({ role, since, until }: Key): boolean => role === blamed && (since === 0 || since < entry) && (until === null || entry <= until);
    const key = this.chain.keys.find(inForce);
    const isDistrusted = key !== undefined && isTrusted(this.trust, blamed, fingerprint(key.bytes)) === false;
    return { check, party: isDistrusted ? null : blamed, entry, rule };
  }
}

const MALFORMED = "exhibit.json does not have its form";

async function form(folder: Folder): Promise<{ checkpoint: string; document: DocumentJson; entries: readonly Json[]; leaf: Uint8Array }> {
  const parsed = parseCanonical(await folder.get("exhibit.json")!.read());
  if ("error" in parsed || !isObject(parsed.value)) damaged(MALFORMED);
  const { format, checkpoint, document, entries } = parsed.value;
  if (isOtherVersion(format, 3)) throw new UnknownVersion(`its format is ${String(format)}, and this page knows format 3`);
  const shaped = hasExactly(parsed.value, ["checkpoint", "document", "entries", "format"]) && format === 3 && typeof checkpoint === "string" && isArray(entries);
  const leaf = shaped && isStated(document!) ? leafOf(document as unknown as DocumentJson) : null;
  if (leaf === null) damaged(MALFORMED);
  return { checkpoint: checkpoint as string, document: document as unknown as DocumentJson, entries: entries as Json[], leaf };
}

/** The name of a file of a part. */
function ofPart(name: string, index: number, ending: string): string {
  return `${name}${index === 0 ? "" : `-${index}`}.${ending}`;
}

function isStated(document: Json): boolean {
  if (!hasExactly(document, ["files", "name", "number", "proof"])) return false;
  const { files, name, number, proof } = document;
  const parts = hasExactly(proof, ["parts", "path", "row"]) ? proof["parts"] : null;
  const fits = isArray(files) && isArray(parts) && parts.length === files.length && typeof name === "string" && isNatural(number);
  return fits && files.every((file, index) => file === null || ["txt", "eml"].some((ending) => file === ofPart("content", index, ending)));
}

/** The leaf to which the proof leads; null if the proof or its path does not have its form. */
function leafOf({ number, proof }: DocumentJson): Uint8Array | null {
  const { path, ...rest } = proof;
  return readPath(path) === null ? null : documentLeaf(number, rest as unknown as Json);
}

/** Step 5: whether the leaf is in the corpus. */
function needInCorpus({ name, number, proof }: DocumentJson, leaf: Uint8Array, { corpusRoot, documents }: Opening): void {
  const root = number >= documents ? null : rootFromPath(documents, [[number, leaf]], readPath(proof.path)!);
  if (root === null || hex(root) !== corpusRoot) damaged("the document's proof does not lead to the corpus");
  const first = proof.parts[0]!;
  if (isOpen(first) && first.rest.name !== name) damaged("the document's name is not that of its part 0");
}

/** The text of the entries before a `stamped` or a `logged`, and the leaf that the log has of them. */
const textBefore = ({ body, statement }: Entry): string => checkpointText(body.matter, body.sequence, unhex(statement.content["root"])!, body.previous);
const leafBefore = (entry: Entry): string => `${textBefore(entry)}state open\n`;

async function sameFile(folder: Folder, path: string, hash: string): Promise<void> {
  const file = folder.get(path);
  if (file !== undefined && hex(sha256(await file.read())) !== hash) damaged(`${path} has other bytes than the record states`);
}

/** Step 8: the files of each open part, byte for byte. Returns their names. */
async function partFiles(folder: Folder, { files, proof }: DocumentJson): Promise<string[]> {
  const named: string[] = [];
  const same = async (path: string, hash: string): Promise<void> => {
    named.push(path);
    if (!folder.has(path)) damaged(`${path} is missing`);
    await sameFile(folder, path, hash);
  };
  for (const [index, part] of proof.parts.entries()) {
    const name = files[index]!;
    if ((name === null) !== (!isOpen(part) || holdsWithheld(proof.parts, index))) damaged(`part ${index} has a file too many, or none`);
    if (!isOpen(part)) continue;
    if (name !== null) await same(`document/${name}`, part.content);
    await same(`document/${ofPart("text", index, "txt")}`, textHash(part));
  }
  return named;
}

/** Step 9. */
async function certification(folder: Folder, read: ReadExhibit, chain: Chain, document: Stated, opening: Opening, named: readonly string[]): Promise<void> {
  const file = folder.get("certification.txt");
  if (file === undefined) return;
  const hashes = new Map<string, string>();
  for (const path of ["exhibit.json", "README.txt", ...named]) hashes.set(path, hex(sha256((await folder.get(path)?.read()) ?? new Uint8Array())));
  const wrong = certificationFault(new TextDecoder("utf-8", { ignoreBOM: true }).decode(await file.read()), read, chain, document, opening.corpusRoot, hashes);
  if (wrong !== null) damaged(`certification.txt: ${wrong}`);
}
