/**
 * The check of a privilege log's proofs against a copy (docs/privilege-log.md).
 *
 * Nobody signs the file of proofs, so nobody is blamed for it, whatever the answer.
 */
import { hex, isHex, unhex } from "../engine/bytes.ts";
import { type DocumentProof, leafOf, readPath, readProof } from "../engine/documents.ts";
import { commitment } from "../engine/hash.ts";
import { verifyCopy } from "../engine/index.ts";
import { type Json, type JsonObject, encode, isObject, parseCanonical, isArray } from "../engine/json.ts";
import { Lines } from "../engine/lines.ts";
import { rootFromPath } from "../engine/merkle.ts";
import { isNatural, isPositive } from "../engine/shapes.ts";
import type { Trust, Verdict } from "../engine/verdict.ts";
import { type NamedFile, chunksOfFile } from "./named-files.ts";
import type { PartLog, Proof } from "./proof.ts";
import type { Place, Story } from "./story.ts";
import { readStory } from "./teller.ts";

export interface ProvenRow extends Place {
  readonly document: number;
  readonly basis: string | null;
  readonly parts: readonly PartLog[];
}

export interface PrivilegeLogVerdict {
  readonly verdict: "verified" | "rejected" | "undecided";
  readonly reason: string;
  readonly copyVerdict: Verdict | null;
  /** The log that is proven; empty unless it is verified. */
  readonly rows: readonly ProvenRow[];
}

interface Line extends Place {
  readonly proof: DocumentProof;
  readonly parts: readonly PartLog[];
}

interface Opened {
  readonly round: number;
  readonly salt: string;
  readonly value: readonly number[];
}

interface LogFile {
  readonly matter: string;
  readonly numbers: readonly Opened[];
  readonly path: readonly Uint8Array[];
  readonly lines: readonly Line[];
}

/** What the log says does not follow from the record. */
class Refused extends Error {}

function refuse(why: string): never {
  throw new Refused(why);
}

export async function checkPrivilegeLog(proofs: NamedFile, copy: NamedFile, trust: Trust): Promise<PrivilegeLogVerdict> {
  const file = await readLog(proofs);
  if (typeof file === "string") return { verdict: "undecided", reason: file, copyVerdict: null, rows: [] };
  const verdict = await verifyCopy(chunksOfFile(copy), { trust, withoutPositions: true });
  if (verdict.verdict === "rejected" || verdict.verdict === "undecided") {
    return { verdict: verdict.verdict, reason: `The copy is ${verdict.verdict}: see its verdict.`, copyVerdict: verdict, rows: [] };
  }
  const story = await readStory(copy);
  const other =
    story.audience === "public"
      ? "The public copy does not show what is withheld. Use Bob's, Alice's or the court's."
      : file.matter !== story.matter
        ? "The proofs are of another matter than the copy."
        : null;
  if (other !== null) return { verdict: "undecided", reason: other, copyVerdict: verdict, rows: [] };
  try {
    return { verdict: "verified", reason: "", copyVerdict: verdict, rows: judge(file, story, verdict) };
  } catch (error) {
    if (error instanceof Refused) return { verdict: "rejected", reason: error.message, copyVerdict: verdict, rows: [] };
    throw error;
  }
}

/** The file by its form, or a sentence that says what is wrong with it. A packed file does not have it. */
async function readLog(file: NamedFile): Promise<LogFile | string> {
  const reader = new Lines();
  let head: Omit<LogFile, "lines"> | string | null = null;
  const lines: Line[] = [];
  for await (const chunk of chunksOfFile(file)) {
    for (const bytes of reader.push(chunk)) {
      const parsed = bytes === null ? null : parseCanonical(bytes);
      if (parsed === null || "error" in parsed || !isObject(parsed.value)) return `Line ${head === null ? 1 : lines.length + 2} of the proofs is not canonical JSON.`;
      if (head === null) {
        head = headOf(parsed.value);
        if (typeof head === "string") return head;
        continue;
      }
      const line = lineOf(parsed.value);
      if (line === null) return `Line ${lines.length + 2} of the proofs does not have its form.`;
      lines.push(line);
    }
  }
  if (reader.unfinished) return "The last line of the proofs has no end: the file is cut off.";
  if (head === null) return "The file of proofs is empty.";
  if (!isAscending(lines, ({ round, position }, next) => round < next.round || (round === next.round && position < next.position))) return "The lines of the proofs are not ascending by round and position.";
  return { ...head, lines };
}

function headOf(value: JsonObject): Omit<LogFile, "lines"> | string {
  const { format, matter, numbers } = value;
  if (typeof format === "number" && format !== 1) return `The proofs have the format ${format}, which this page does not know.`;
  const path = readPath(value["path"] ?? null);
  if (format !== 1 || keys(value) !== "format,matter,numbers,path" || !isHex(matter, 32) || path === null || !isOpenedList(numbers)) {
    return "The first line of the proofs does not have its form.";
  }
  return { matter, numbers: numbers as unknown as Opened[], path };
}

function lineOf(value: JsonObject): Line | null {
  const { round, position } = value;
  if (keys(value) !== "position,proof,round" || !isPositive(round) || !isPositive(position)) return null;
  const proof = readProof(value["proof"] ?? null);
  if (proof === null) return null;
  return { round, position, proof, parts: (value["proof"] as unknown as Proof).parts.map((part) => part.log ?? {}) };
}

function isOpenedList(value: Json | undefined): boolean {
  return (
    isArray(value) &&
    value.every((one) => isObject(one) && keys(one) === "round,salt,value" && isPositive(one["round"]) && isHex(one["salt"], 32) && isArray(one["value"]) && one["value"].every(isNatural)) &&
    isAscending(value as unknown as Opened[], (one, next) => one.round < next.round)
  );
}

function isAscending<T>(all: readonly T[], isBefore: (one: T, next: T) => boolean): boolean {
  return all.every((one, index) => index === 0 || isBefore(all[index - 1]!, one));
}

/** Steps 3 to 6 of the check. */
function judge(file: LogFile, story: Story, verdict: Verdict): ProvenRow[] {
  const numbers = openNumbers(file, story);
  const due = verdict.privilege.filter((row) => row.upheld === true && row.basis !== null && row.class === null && row.claimedParts === null);
  const wanted = due.map((row) => `${row.round}/${row.position}`).sort(byPlace);
  const stated = file.lines.map((line) => `${line.round}/${line.position}`);
  if (stated.join() !== wanted.join()) refuse("The lines are not exactly the positions that the copy shows as withheld as privileged.");
  const needed = new Set<number>();
  const placed = file.lines.map((line) => ({ line, number: numberOf(story, numbers, line, needed) }));
  for (const round of numbers.keys()) if (!needed.has(round)) refuse(`The numbers of the batch of round ${round} are opened, and no line needs them.`);
  leadToRoot(file, story, placed);
  return placed.map(({ line, number }) => ({
    round: line.round,
    position: line.position,
    document: number,
    basis: due.find((row) => row.round === line.round && row.position === line.position)?.basis ?? null,
    parts: line.parts,
  }));
}

/** Step 3. */
function openNumbers(file: LogFile, story: Story): Map<number, readonly number[]> {
  const numbers = new Map<number, readonly number[]>();
  for (const { round, salt, value } of file.numbers) {
    const batch = story.rounds[round - 1];
    if (batch === undefined || batch.sort !== "batch") refuse(`The numbers of round ${round} are opened, which is no batch.`);
    const seal = commitment(unhex(salt) ?? new Uint8Array(), encode(value as unknown as Json));
    if (hex(seal) !== batch.numbersCommitment || value.length !== batch.size) refuse(`The numbers of round ${round} do not match the commitment in its batch.`);
    numbers.set(round, value);
  }
  return numbers;
}

/** Step 5: by the place where the document was first put up. */
function numberOf(story: Story, numbers: ReadonlyMap<number, readonly number[]>, place: Place, needed: Set<number>): number {
  const round = story.rounds[place.round - 1];
  if (round === undefined) refuse(`There is no round ${place.round}.`);
  const own = round.size - (round.places?.length ?? 0);
  const earlier = round.places?.[place.position - own - 1];
  if (earlier !== undefined) return numberOf(story, numbers, earlier, needed);
  if (round.sort === "batch") needed.add(round.number);
  const list = round.sort === "batch" ? numbers.get(round.number) : round.numbers;
  const number = list?.[place.position - 1];
  if (number === undefined) refuse(`The number of the document at round ${place.round}, position ${place.position} is not opened.`);
  return number;
}

/** Step 6. */
function leadToRoot(file: LogFile, story: Story, placed: readonly { readonly line: Line; readonly number: number }[]): void {
  if (placed.length === 0) {
    if (file.path.length > 0) refuse("There is a path, though nothing is withheld.");
    return;
  }
  const leaves = placed.map(({ line, number }): [number, Uint8Array] => {
    if (line.proof.parts.some((part) => part.open !== null)) refuse(`The proof at round ${line.round}, position ${line.position} opens a part that is withheld.`);
    return [number, leafOf(number, line.proof)];
  });
  leaves.sort(([a], [b]) => a - b);
  const corpus = story.opening["corpus"] as { readonly documents: number; readonly root: string };
  const root = rootFromPath(corpus.documents, leaves, file.path);
  if (root === null || hex(root) !== corpus.root) refuse("The proofs do not lead to the root of the corpus.");
}

function byPlace(a: string, b: string): number {
  const [r, p] = a.split("/").map(Number);
  const [s, q] = b.split("/").map(Number);
  return (r ?? 0) - (s ?? 0) || (p ?? 0) - (q ?? 0);
}

function keys(value: object): string {
  return Object.keys(value).sort().join(",");
}
