/**
 * V23: are the files at hand the documents that were disclosed? (docs/reading-a-verdict.md, `--documents`)
 *
 * Every file must have the content of a disclosed part. Whoever has only some of the files has not checked the others, so
 * V23 passes only if every disclosed content is among them. Nobody is blamed for a wrong file, since nobody signs one.
 */
import { hex } from "../engine/bytes.ts";
import { Sha256 } from "../engine/sha256.ts";
import type { Check, DocumentProven, Finding, Verdict } from "../engine/verdict.ts";
import { type NamedFile, chunksOfFile, foldersWith, isLeftBySystem } from "./named-files.ts";
import { type Proof, holdsWithheld, isOpen, textHash } from "./proof.ts";

export interface HandedFile {
  readonly path: string;
  readonly sha256: string;
  /** The document, and the part, whose content it has; null if no disclosed part has it. */
  readonly part: string | null;
}

export interface HandedResult {
  readonly files: readonly HandedFile[];
  /** How many different contents the record discloses. */
  readonly contents: number;
  /** Documents, and their parts, whose content no file has. */
  readonly missing: readonly string[];
}

/** How many names a sentence gives before it counts the rest. */
const MOST_NAMES = 5;

export async function checkHanded(files: readonly NamedFile[], documents: readonly DocumentProven[]): Promise<HandedResult> {
  const contents = disclosedContents(documents);
  const found = new Set<string>();
  const looked: HandedFile[] = [];
  for (const file of documentsAmong(files)) {
    const hash = new Sha256();
    for await (const chunk of chunksOfFile(file)) hash.update(chunk);
    const sha256 = hex(hash.digest());
    looked.push({ path: file.path, sha256, part: contents.get(sha256) ?? null });
    found.add(sha256);
  }
  const missing = [...contents].filter(([content]) => !found.has(content)).map(([, name]) => name);
  return { files: looked, contents: contents.size, missing: missing.sort() };
}

/**
 * The contents that Bob must have, by their SHA-256. Of a part in which a withheld part lies he gets the text, because
 * the bytes may hold what is withheld.
 */
function disclosedContents(documents: readonly DocumentProven[]): Map<string, string> {
  const contents = new Map<string, string>();
  for (const document of documents) {
    if (document.kind !== "disclosure") continue;
    const parts = (document.proof as Proof).parts;
    parts.forEach((part, index) => {
      if (!isOpen(part)) return;
      const content = holdsWithheld(parts, index) ? textHash(part) : part.content;
      if (!contents.has(content)) contents.set(content, index === 0 ? document.name : `${document.name}, part ${index}`);
    });
  }
  return contents;
}

/** Of a question's folder only the documents are looked at; any other folder is taken as it is. */
export function documentsAmong(files: readonly NamedFile[]): NamedFile[] {
  const questions = foldersWith(files, "question.json");
  return files.filter(({ path }) => !isLeftBySystem(path) && questions.every((base) => !path.startsWith(base) || path.startsWith(`${base}documents/`)));
}

/** The verdict with V23 decided: a file that was not disclosed is a finding, and a content without a file leaves V23 open. */
export function withHanded(verdict: Verdict, handed: HandedResult, disclosed: number): Verdict {
  const replayed = verdict.checks.some((check) => check.id === "V05" && check.outcome === "pass");
  if (!replayed || disclosed === 0) return verdict;
  const wrong = handed.files.filter((file) => file.part === null).map((file) => file.path).sort();
  const isWhole = handed.missing.length === 0;
  const sentences: string[] = [];
  if (wrong.length > 0) sentences.push(`other content in ${some(wrong)}`);
  if (!isWhole) sentences.push(`no file has the content of ${some(handed.missing)}`);
  const found = sentences.join("; ");
  const outcome = wrong.length > 0 ? "fail" : isWhole ? "pass" : "not checked";
  const checks = verdict.checks.map((check): Check => (check.id === "V23" ? { ...check, outcome, items: handed.files.length - wrong.length, reason: found } : check));
  if (wrong.length === 0) return { ...verdict, checks };
  const finding: Finding = {
    check: "V23",
    blamed: null,
    key: null,
    entry: null,
    rule: "Every file that was handed over is a disclosed document or a part of one, byte for byte.",
    expected: `one of the ${handed.contents} contents that the record discloses`,
    found,
  };
  return { ...verdict, verdict: "rejected", checks, findings: [...verdict.findings, finding] };
}

function some(names: readonly string[]): string {
  const first = names.slice(0, MOST_NAMES);
  const rest = names.length - first.length;
  if (rest > 0) return `${first.join(", ")} and ${rest} more`;
  return first.length < 2 ? (first[0] ?? "") : `${first.slice(0, -1).join(", ")} and ${first[first.length - 1]}`;
}
