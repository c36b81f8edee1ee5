/**
 * What the page asks its worker to do, and what comes back. All of it is plain data, as messages must be.
 */
import type { Comparison, Trust, Verdict } from "../engine/verdict.ts";
import type { ExhibitVerdict } from "../files/exhibit.ts";
import type { HandedResult } from "../files/handed.ts";
import type { PrivilegeLogVerdict } from "../files/privilege-log.ts";
import type { ProductionVerdict } from "../files/production.ts";
import type { Marks } from "../files/marks.ts";
import type { Place } from "../files/story.ts";
import type { Found, Question } from "./finding.ts";
import type { Told } from "./told.ts";

/** A file with its folders. A `File` alone does not keep the path of what was dropped. */
export interface OpenedFile<F = File> {
  readonly path: string;
  readonly file: F;
}

/** A file as the worker knows it: the page reads it, since WebKit lets no worker of a page from disk read a file. */
export interface NumberedFile {
  readonly number: number;
  readonly size: number;
}

/** So many bytes of a file are read at a time. */
export const PIECE = 1 << 20;

/** What the page answers to a message that asks to read: null if the file cannot be read. */
export interface Piece {
  readonly asked: number;
  readonly bytes: ArrayBuffer | null;
}

export type Job<F = File> =
  | { readonly sort: "verify"; readonly copy: OpenedFile<F>; readonly trust: Trust; readonly policy: Uint8Array | null; readonly handed: readonly OpenedFile<F>[] }
  | { readonly sort: "story"; readonly copy: OpenedFile<F>; readonly sha256: string; readonly wanted: readonly Place[]; readonly lines: number; readonly proven: Marks }
  | { readonly sort: "search"; readonly copy: OpenedFile<F>; readonly sha256: string; readonly question: Question }
  | { readonly sort: "compare"; readonly copies: readonly [OpenedFile<F>, OpenedFile<F>]; readonly trust: Trust; readonly sha256: string }
  | { readonly sort: "production"; readonly copy: OpenedFile<F>; readonly sha256: string; readonly trust: Trust; readonly volumes: readonly OpenedFile<F>[] }
  | { readonly sort: "privilege log"; readonly copy: OpenedFile<F>; readonly sha256: string; readonly trust: Trust; readonly proofs: OpenedFile<F> }
  | { readonly sort: "exhibit"; readonly files: readonly OpenedFile<F>[]; readonly trust: Trust; readonly policy: Uint8Array | null };

export interface VerifyResult {
  readonly verdict: Verdict;
  /** The SHA-256 of the file as it was opened: who repeats the verification knows that it is the same file. */
  readonly sha256: string;
  /** The documents whose proofs lead to the corpus, and how many parts those have that Bob was shown. */
  readonly proven: Marks;
  readonly parts: number;
  readonly handed: HandedResult | null;
  /** What a program has done to a damaged copy on its way, as far as that can be seen. */
  readonly changed: string | null;
}

export type Result =
  | { readonly sort: "verify"; readonly value: VerifyResult }
  | { readonly sort: "story"; readonly value: Told }
  | { readonly sort: "search"; readonly value: Found }
  | { readonly sort: "compare"; readonly value: Comparison }
  | { readonly sort: "production"; readonly value: ProductionVerdict }
  | { readonly sort: "privilege log"; readonly value: PrivilegeLogVerdict }
  | { readonly sort: "exhibit"; readonly value: ExhibitVerdict };

export type Message =
  | { readonly sort: "progress"; readonly bytes: number; readonly total: number; readonly entries: number; readonly size: number | null }
  | { readonly sort: "read"; readonly asked: number; readonly number: number; readonly from: number }
  | { readonly sort: "done"; readonly result: Result }
  | { readonly sort: "failed"; readonly message: string; readonly isUnreadable: boolean };

/** The file cannot be read, or is another one by now. */
export class Unreadable extends Error {
  constructor() {
    super("The file could not be read. It may have been moved or changed since you opened it: open it again.");
  }
}
