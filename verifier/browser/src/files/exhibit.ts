/**
 * The check of an exhibit: the story of one document, by itself (docs/exhibits.md).
 *
 * The steps keep the order of that page. Time stamps need certificates, which this page does not read: they are told
 * and not checked.
 */
import { fromUtf8, hex, unhex } from "../engine/bytes.ts";
import { documentLeaf, readPath } from "../engine/documents.ts";
import { fingerprint } from "../engine/hash.ts";
import { type Json, type JsonObject, isObject, parseCanonical } from "../engine/json.ts";
import { parseLogProof, verifyLogProof } from "../engine/logproof.ts";
import { rootFromPath } from "../engine/merkle.ts";
import { checkpointText } from "../engine/note.ts";
import { sha256 } from "../engine/sha256.ts";
import { logKey, termsFault } from "../engine/terms.ts";
import { utf8 } from "../engine/bytes.ts";
import type { Account, Role, Terms, Trust } from "../engine/verdict.ts";
import { certificationFault } from "./exhibit-certification.ts";
import { type ExhibitEntry, ExhibitDamage, ExhibitFinding, NotJudgedHere, type ReadExhibit, readEntries } from "./exhibit-entries.ts";
import { type ExhibitSetting, type JudgedRound, judgeRound } from "./exhibit-round.ts";
import { type Folder, type NamedFile, folderAt, foldersWith } from "./named-files.ts";
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
  /** Why nothing is decided; empty otherwise. */
  readonly trouble: string;
  readonly findings: readonly Finding[];
  readonly document: { readonly number: number; readonly name: string; readonly parts: readonly Part[] } | null;
  readonly simulation: boolean;
  readonly account: Account | null;
  readonly documents: number;
  readonly matter: string;
  readonly head: string;
  readonly size: number;
  readonly signers: readonly Role[];
  readonly signatures: number;
  readonly keys: readonly { readonly role: Role; readonly fingerprint: string; readonly until: number | null; readonly trusted: boolean | null }[];
  readonly story: readonly string[];
  readonly notChecked: readonly string[];
}

const NOTHING: ExhibitVerdict = {
  verdict: "undecided", trouble: "", findings: [], document: null, simulation: false, account: null, documents: 0, matter: "", head: "", size: 0, signers: [],
  signatures: 0, keys: [], story: [], notChecked: [],
};

interface Stated {
  readonly files: readonly (string | null)[];
  readonly name: string;
  readonly number: number;
  readonly proof: Proof & { readonly path: string };
}

export async function checkExhibit(files: readonly NamedFile[], trust: Trust): Promise<ExhibitVerdict> {
  const base = foldersWith(files, "exhibit.json")[0];
  if (base === undefined) return { ...NOTHING, trouble: "There is no exhibit.json in what was opened." };
  const folder = folderAt(files, base);
  let so_far: ExhibitVerdict = NOTHING;
  try {
    const { checkpoint, document, entries } = await form(folder); // 1
    const read = await readEntries(entries, checkpoint); // 2
    so_far = told(read, document, trust);
    const setting = opening(read, document); // 4, 5
    const rounds = whole(read).map((round) => judgeRound(round, setting)); // 3, 6
    const notChecked = await outsiders(read, setting.terms, folder); // 7
    await partFiles(folder, document); // 8
    await certification(folder, read, document, setting); // 9
    const untrusted = so_far.keys.find((key) => key.trusted === false);
    const rule = `the key ${untrusted?.fingerprint} of ${untrusted?.role} is not one of those that you were told`;
    if (untrusted !== undefined) return { ...so_far, verdict: "rejected", findings: [{ check: "V04", party: null, entry: null, rule }] };
    return { ...so_far, verdict: answer(read, rounds), story: story(read, document, rounds), notChecked };
  } catch (error) {
    if (error instanceof ExhibitFinding) return { ...so_far, verdict: "rejected", findings: [{ check: error.check, party: distrusted(so_far, error.blamed) ? null : error.blamed, entry: error.entry, rule: error.message }] };
    if (error instanceof ExhibitDamage) return { ...so_far, trouble: `The exhibit is damaged: ${error.message}. Nobody is blamed for this. Get the folder again from where it came.` };
    if (error instanceof NotJudgedHere) return { ...so_far, trouble: `This page does not judge this exhibit: ${error.message}. Nobody is blamed for this. Use tallystick-verify exhibit.` };
    throw error;
  }
}

async function form(folder: Folder): Promise<{ checkpoint: string; document: Stated; entries: readonly Json[] }> {
  const bytes = (await folder.get("exhibit.json")?.read()) ?? new Uint8Array();
  const parsed = parseCanonical(bytes[bytes.length - 1] === 10 ? bytes.subarray(0, -1) : bytes);
  if ("error" in parsed || !isObject(parsed.value)) throw new ExhibitDamage("exhibit.json is not canonical JSON");
  const { format, checkpoint, document, entries } = parsed.value;
  if (typeof format === "number" && format !== 3) throw new NotJudgedHere(`it has the format ${format}, and this page knows format 3`);
  const shaped = Object.keys(parsed.value).sort().join() === "checkpoint,document,entries,format" && format === 3 && typeof checkpoint === "string" && Array.isArray(entries) && isObject(document);
  if (!shaped || !isStated(document as JsonObject)) throw new ExhibitDamage("exhibit.json does not have its form");
  return { checkpoint: checkpoint as string, document: document as unknown as Stated, entries: entries as Json[] };
}

function isStated(document: JsonObject): boolean {
  const { files, name, number, proof } = document;
  return (
    Object.keys(document).sort().join() === "files,name,number,proof" && Array.isArray(files) && files.every((file) => file === null || (typeof file === "string" && /^content(-\d+)?\.(txt|eml)$/.test(file))) &&
    typeof name === "string" && typeof number === "number" && number >= 0 && isObject(proof) && Object.keys(proof).sort().join() === "parts,path,row" && Array.isArray(proof["parts"]) && proof["parts"].length === files.length
  );
}

function told(read: ReadExhibit, document: Stated, trust: Trust): ExhibitVerdict {
  const content = read.entries[0]?.statement.content as JsonObject;
  const corpus = content["corpus"] as unknown as { account: Account; documents: number };
  return {
    ...NOTHING,
    document: { number: document.number, name: document.name, parts: document.proof.parts },
    simulation: content["simulation"] !== null,
    account: corpus.account,
    documents: corpus.documents,
    matter: read.checkpoint.matter,
    head: read.checkpoint.head,
    size: Number(read.checkpoint.size),
    signers: read.signers,
    signatures: read.signatures,
    keys: read.keys.map(({ role, key, until }) => {
      const digits = fingerprint(key);
      const lines = trust[role];
      return { role, fingerprint: digits, until, trusted: lines === undefined || lines.length === 0 ? null : lines.includes(digits) };
    }),
  };
}

function distrusted(verdict: ExhibitVerdict, role: Role): boolean {
  return verdict.keys.some((key) => key.role === role && key.trusted === false);
}

/** Steps 4 and 5: all have signed the opening, and the document's leaf is in its corpus. */
function opening(read: ReadExhibit, document: Stated): ExhibitSetting {
  const [open, ...rest] = read.entries;
  const content = open?.statement.content as JsonObject;
  const terms = content["terms"] as unknown as Terms;
  if (content["method"] !== 6) throw new NotJudgedHere("its method is another than 6");
  const wrong = termsFault(terms);
  if (wrong !== null) throw new ExhibitFinding("V07", "trent", 0, `the terms cannot be run: ${wrong}`);
  const answers = (role: Role, kind: string): ExhibitEntry => {
    const entry = rest.find((one) => one.statement.kind === kind && one.statement.author === role && one.statement.answers === open?.hash);
    if (entry === undefined) throw new ExhibitDamage(`the answer of ${role} to the opening is missing`);
    return entry;
  };
  const anchors = {
    alice: answers("alice", "agreed").statement.content["anchor"] as string,
    bob: answers("bob", "agreed").statement.content["anchor"] as string,
    trent: content["anchor"] as string,
  };
  const deposited = answers("court", "deposited");
  const held = deposited.statement.content["anchors"] as JsonObject;
  if ((["alice", "bob", "trent"] as const).some((role) => held[role] !== anchors[role])) throw new ExhibitFinding("V08", "trent", deposited.number, "the court holds other anchors than the parties named");
  const corpus = content["corpus"] as unknown as { documents: number; root: string };
  const { path, ...proof } = document.proof;
  const leaf = documentLeaf(document.number, proof as unknown as Json);
  const hashes = readPath(path);
  const root = leaf === null || hashes === null || document.number >= corpus.documents ? null : rootFromPath(corpus.documents, [[document.number, leaf]], hashes);
  if (leaf === null || root === null || hex(root) !== corpus.root) throw new ExhibitDamage("the document's proof does not lead to the root of the corpus");
  const first = proof.parts[0];
  if (first !== undefined && isOpen(first) && first.rest.name !== document.name) throw new ExhibitDamage("the document's name is not that of its part 0");
  return { matter: read.checkpoint.matter, terms, corpusRoot: corpus.root, anchors, document: { number: document.number, name: document.name, leaf: hex(leaf) } };
}

const OPENED: Readonly<Record<string, readonly string[]>> = { batch: ["documents"], validation: ["documents"], call: ["documents"], report: ["labels", "threshold", "privilege"], claim: ["privilege"], reclaim: ["privilege"], disclosure: ["proofs"], camera: ["proofs"] };

/** Step 3: the entries after the opening, by rounds; what stands between rounds may only be of some kinds. */
function whole(read: ReadExhibit): ExhibitEntry[][] {
  const rounds = new Map<number, ExhibitEntry[]>();
  const answered = Math.max(...read.entries.filter((one) => one.statement.kind === "agreed" || one.statement.kind === "deposited").map((one) => one.number));
  for (const entry of read.entries) {
    const { kind, round } = entry.statement;
    for (const field of Object.keys(entry.openings)) if (!(OPENED[kind] ?? []).includes(field)) throw new ExhibitDamage(`entry ${entry.number} opens '${field}', which an exhibit does not hold`);
    if (entry.number <= answered || kind === "stamped" || kind === "logged" || kind === "rekey" || kind === "rekeyed") continue;
    if (kind === "clawback" || kind === "reclaim" || kind === "returned") throw new NotJudgedHere("Alice asked the document back");
    if (round === 0) throw new NotJudgedHere(`entry ${entry.number} (${kind}) stands in a round`);
    rounds.set(round, [...(rounds.get(round) ?? []), entry]);
  }
  const head = read.entries.slice(0, answered + 1);
  if (head.some((entry, index) => entry.number !== index)) throw new ExhibitDamage("an entry between the opening and its last answer is missing");
  return [...rounds.values()];
}

/** Step 7: proofs of a log are checked; what a stamp shows is not. */
async function outsiders(read: ReadExhibit, terms: Terms, folder: Folder): Promise<string[]> {
  const open: string[] = [];
  for (const entry of read.entries) {
    const { kind, content } = entry.statement;
    if (kind === "stamped") {
      open.push(`the time stamp in entry ${entry.number}: this page reads no certificates (tallystick-verify exhibit --tsa-roots)`);
      const token = await folder.get(`stamps/${entry.number}.tsr`)?.read();
      if (token !== undefined && hex(sha256(token)) !== content["token"]) throw new ExhibitDamage(`stamps/${entry.number}.tsr is not the token of its entry`);
    }
    if (kind !== "logged") continue;
    const proof = parseLogProof(content["proof"] as string);
    const key = terms.witnesses?.log ? logKey(terms.witnesses.log) : null;
    const root = unhex(content["root"]);
    if (root === null) continue;
    const leaf = utf8(checkpointText(read.checkpoint.matter, entry.number, root, entry.body.previous));
    if (proof === null || key === null || !(await verifyLogProof(proof, key, leaf))) throw new ExhibitFinding("V31", "trent", entry.number, "the proof of the log does not hold");
    open.push(`whether witnesses of your choice have cosigned the log in entry ${entry.number} (tallystick-verify exhibit --policy)`);
  }
  return open;
}

/** Step 8: the files of each open part, byte for byte. */
async function partFiles(folder: Folder, { files, proof }: Stated): Promise<void> {
  const expected = new Map<string, string>();
  proof.parts.forEach((part, index) => {
    const name = files[index];
    if (!isOpen(part)) {
      if (name !== null) throw new ExhibitDamage(`part ${index} is withheld, and a file is named for it`);
      return;
    }
    if (name === null && !holdsWithheld(proof.parts, index)) throw new ExhibitDamage(`no file is named for part ${index}`);
    if (typeof name === "string") expected.set(`document/${name}`, part.content);
    expected.set(index === 0 ? "document/text.txt" : `document/text-${index}.txt`, textHash(part));
  });
  for (const [path, hash] of expected) {
    const file = folder.get(path);
    if (file === undefined) throw new ExhibitDamage(`${path} is missing`);
    if (hex(sha256(await file.read())) !== hash) throw new ExhibitDamage(`${path} is not what the corpus commits to`);
  }
  for (const path of folder.keys()) {
    if (path.startsWith("document/") && !expected.has(path)) throw new ExhibitDamage(`${path} does not belong to the exhibit`);
  }
}

/** Step 9. */
async function certification(folder: Folder, read: ReadExhibit, document: Stated, setting: ExhibitSetting): Promise<void> {
  const file = folder.get("certification.txt");
  if (file === undefined) return;
  const text = fromUtf8(await file.read());
  const hashes = new Map<string, string>();
  for (const [path, other] of folder) {
    if (path === "certification.txt" || path.startsWith("stamps/") || path.startsWith("log/")) continue;
    hashes.set(path, hex(sha256(await other.read())));
  }
  const wrong = text === null ? "it is not UTF-8" : certificationFault(text, read, document, setting.corpusRoot, hashes);
  if (wrong !== null) throw new ExhibitDamage(`certification.txt: ${wrong}`);
}

function answer(read: ReadExhibit, rounds: readonly JudgedRound[]): ExhibitWord {
  if (rounds.length === 0) return "commitment only";
  const cosigned = (["alice", "bob", "court"] as const).every((role) => read.signers.includes(role));
  return cosigned && rounds.every((round) => round.closed) ? "verified" : "not closed";
}

function story(read: ReadExhibit, document: Stated, rounds: readonly JudgedRound[]): string[] {
  const content = read.entries[0]?.statement.content as JsonObject;
  const corpus = content["corpus"] as unknown as { documents: number };
  const parts = document.proof.parts;
  const open = parts.filter(isOpen).length;
  const handed = parts.length === 1 ? "The files here are that document and its text, byte for byte." : `It has ${parts.length} parts. The files here are ${open} of them and their texts, byte for byte.`;
  const cosigners = read.signers.filter((role) => role !== "trent").map((role) => (role === "court" ? "the court" : role.charAt(0).toUpperCase() + role.slice(1)));
  const by = cosigners.length === 0 ? "" : `, cosigned by ${cosigners.length === 1 ? cosigners[0] : `${cosigners.slice(0, -1).join(", ")} and ${cosigners[cosigners.length - 1]}`}`;
  return [
    `Committed. The document is number ${document.number} of the ${corpus.documents} to which the matter's first entry commits, under the name '${document.name}'. Alice, Bob and the court signed that entry before anything was reviewed. ${handed}`,
    ...(rounds.length === 0 ? ["Reviewed. Nothing here shows that the document was ever reviewed, disclosed or withheld, nor that it was not: the exhibit proves the commitment alone. If there was a review, its round was left out."] : rounds.flatMap((round) => round.says)),
    `Signed. The record of ${read.checkpoint.size} entries, with the head ${read.checkpoint.head}, is signed by Trent${by}.`,
  ];
}
