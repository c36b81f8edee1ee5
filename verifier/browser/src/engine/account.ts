/** The population account: whether the counts of what was received add up, and whether the sealed list has them. */

import { parseCanonical, type JsonObject, isArray } from "./json.ts";
import { hasExactly, isNatural } from "./shapes.ts";
import type { Account } from "./verdict.ts";

/** Which of the sums is wrong; null if all hold. */
export function sumsFault(account: Account, documents: number, unit: "family" | "document"): string | null {
  const { items, containers, exceptions, families, duplicates, entered } = account;
  if (items !== containers + exceptions + families) return "`items` is not `containers` + `exceptions` + `families`";
  if (families !== duplicates + entered) return "`families` is not `duplicates` + `entered`";
  let reasons = 0;
  for (const count of Object.values(account.reasons)) reasons += count;
  if (exceptions !== reasons) return "`exceptions` is not the sum of `reasons`";
  const expected = unit === "family" ? entered : account.parts;
  return documents === expected ? null : `\`documents\` is not ${unit === "family" ? "`entered`" : "`parts`"}`;
}

interface Item {
  readonly documents: readonly number[];
  readonly outcome: string;
  readonly reason: string;
}

function readItem(line: Uint8Array): Item | null {
  const parsed = parseCanonical(line);
  if ("error" in parsed || !hasExactly(parsed.value, ["documents", "outcome", "reason", "where"])) return null;
  const { documents, outcome, reason, where } = parsed.value as JsonObject;
  if (!isArray(documents) || !documents.every(isNatural)) return null;
  if (typeof where !== "string" || typeof reason !== "string" || typeof outcome !== "string") return null;
  if (!["container", "exception", "duplicate", "entered"].includes(outcome)) return null;
  if (outcome !== "exception" && reason !== "") return null;
  if (outcome !== "entered" && outcome !== "duplicate" && documents.length > 0) return null;
  return { documents: documents as number[], outcome, reason };
}

/** How a document entered. */
const ALONE = 1;
const TOGETHER = 2;

const ascending = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b);

/** What is wrong with the list of what was received; null if it is as the account states. */
export function listFault(list: Uint8Array, account: Account, documents: number, unit: "family" | "document"): string | null {
  // Each document's number takes a byte at least: so nobody makes this reserve more than the list is long.
  if (documents > list.length) return "it does not enter every document";
  const counts: Record<string, number> = { container: 0, exception: 0, duplicate: 0, entered: 0 };
  const reasons = new Map<string, number>();
  const entered = new Uint8Array(documents);
  /** The documents of the items that entered with more than one, by the first of them. */
  const families = new Map<number, string>();
  let numbered = 0;
  let from = 0;
  for (let number = 1; from < list.length; number++) {
    const end = list.indexOf(0x0a, from);
    if (end < 0) return "its last line has no newline";
    const item = readItem(list.subarray(from, end));
    from = end + 1;
    if (item === null) return `line ${number} of it is no item of its shape`;
    counts[item.outcome]!++;
    if (item.outcome === "exception") reasons.set(item.reason, (reasons.get(item.reason) ?? 0) + 1);
    if (item.outcome === "entered") {
      if (item.documents.length === 0 || (unit === "family" && item.documents.length !== 1)) return `line ${number} of it has a wrong number of documents`;
      for (const document of item.documents) {
        if (document >= documents || entered[document] !== 0) return `line ${number} of it enters a document that cannot enter there`;
        entered[document] = item.documents.length === 1 ? ALONE : TOGETHER;
        numbered++;
      }
      const sorted = ascending(item.documents);
      if (sorted.length > 1) families.set(sorted[0]!, sorted.join());
    }
    if (item.outcome === "duplicate") {
      const sorted = ascending(item.documents);
      const first = sorted[0] ?? documents;
      const isAgain = sorted.length === 1 ? entered[first] === ALONE : families.get(first) === sorted.join();
      if (!isAgain) return `line ${number} of it is a duplicate of no item before it`;
    }
  }
  if (numbered !== documents) return "it does not enter every document";
  if (counts["container"] !== account.containers || counts["exception"] !== account.exceptions) return "it has another number of items";
  if (counts["duplicate"] !== account.duplicates || counts["entered"] !== account.entered) return "it has another number of items";
  const stated = Object.entries(account.reasons);
  if (stated.length !== reasons.size || stated.some(([reason, count]) => reasons.get(reason) !== count)) return "its exceptions have other reasons";
  return null;
}
