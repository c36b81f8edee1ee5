/**
 * What the page asks its worker to do, and what comes back. All of it is plain data, as messages must be.
 */
import type { Comparison, Trust, Verdict } from "../engine/verdict.ts";
import type { ExhibitVerdict } from "../files/exhibit.ts";
import type { HandedResult } from "../files/handed.ts";
import type { PrivilegeLogVerdict } from "../files/privilege-log.ts";
import type { ProductionVerdict } from "../files/production.ts";
import type { Story } from "../files/story.ts";
import type { KnownDocument } from "./document-cell.ts";

/** A file with its folders. A `File` alone does not keep the path of what was dropped. */
export interface OpenedFile {
  readonly path: string;
  readonly file: File;
}

export type Job =
  | { readonly sort: "verify"; readonly copy: OpenedFile; readonly trust: Trust; readonly policy: string | null; readonly handed: readonly OpenedFile[] }
  | { readonly sort: "compare"; readonly copies: readonly [OpenedFile, OpenedFile] }
  | { readonly sort: "production"; readonly copy: OpenedFile; readonly trust: Trust; readonly volumes: readonly OpenedFile[] }
  | { readonly sort: "privilege log"; readonly copy: OpenedFile; readonly trust: Trust; readonly proofs: OpenedFile }
  | { readonly sort: "exhibit"; readonly files: readonly OpenedFile[]; readonly trust: Trust };

export interface VerifyResult {
  readonly verdict: Verdict;
  /** The SHA-256 of the file as it was opened: who repeats the verification knows that it is the same file. */
  readonly sha256: string;
  readonly documents: readonly KnownDocument[];
  /** What the record says round by round; null where it could not be read to its end. */
  readonly story: Story | null;
  readonly handed: HandedResult | null;
}

export type Result =
  | { readonly sort: "verify"; readonly value: VerifyResult }
  | { readonly sort: "compare"; readonly value: Comparison }
  | { readonly sort: "production"; readonly value: ProductionVerdict }
  | { readonly sort: "privilege log"; readonly value: PrivilegeLogVerdict }
  | { readonly sort: "exhibit"; readonly value: ExhibitVerdict };

export type Message =
  | { readonly sort: "progress"; readonly bytes: number; readonly total: number; readonly entries: number; readonly size: number | null }
  | { readonly sort: "done"; readonly result: Result }
  | { readonly sort: "failed"; readonly message: string };
