/**
 * The 33 checks as a reader counts them: what was asked, how it ended, and in which unit it was counted.
 */
import type { Check, Verdict } from "../engine/verdict.ts";
import { plural } from "./words.ts";

export type Ending = "pass" | "fail" | "not checked" | "not asked";

export interface AskedCheck extends Check {
  readonly ending: Ending;
  /** "75 lines"; empty where nothing of a check that does not pass was counted. */
  readonly counted: string;
}

/** What is counted of each check: one, and several where it is not one with an s. */
const UNITS: Readonly<Record<string, readonly [string, string?]>> = {
  V01: ["line"],
  V02: ["entry", "entries"],
  V03: ["signature"],
  V04: ["key"],
  V05: ["entry", "entries"],
  V06: ["opening"],
  V07: ["statement"],
  V08: ["link"],
  V09: ["batch", "batches"],
  V10: ["batch", "batches"],
  V11: ["model"],
  V12: ["report"],
  V13: ["round"],
  V14: ["document"],
  V15: ["answer or dispute", "answers and disputes"],
  V16: ["round"],
  V17: ["number"],
  V18: ["round"],
  V19: ["second answer on record", "second answers on record"],
  V20: ["signature"],
  V21: ["document"],
  V22: ["row"],
  V23: ["file"],
  V24: ["round"],
  V25: ["claimed document"],
  V26: ["request or answer", "requests and answers"],
  V27: ["escalation and second look", "escalations and second looks"],
  V28: ["validation"],
  V29: ["end"],
  V30: ["item"],
  V31: ["stamp or proof on record", "stamps and proofs on record"],
  V32: ["time stamp"],
  V33: ["proof"],
};

export function asked(verdict: Verdict): AskedCheck[] {
  return verdict.checks.map((check) => {
    const ending = endingOf(verdict, check);
    return { ...check, reason: (ending === "not asked" && notAskedBecause(verdict, check)) || check.reason, ending, counted: countedBy(check) };
  });
}

/** What is not on record so far can come later, where the copy was not read to its end. */
function notAskedBecause({ checks, isSimulation }: Verdict, { id }: Check): string {
  if (id === "V24") return isSimulation === false ? "This is not a simulation: nobody knows the true labels." : "";
  return checks.some((check) => check.id === "V05" && check.outcome === "pass") ? "Nothing of this kind is on record." : "";
}

function endingOf({ isSimulation, logProofs, opening, stamps }: Verdict, { id, outcome }: Check): Ending {
  /** What there is for a check that not every record has something for. */
  const there: Readonly<Record<string, unknown>> = { V24: isSimulation, V31: opening?.terms.witnesses ?? stamps.length + logProofs.length, V32: stamps.length, V33: logProofs.length };
  return id in there && !there[id] && outcome !== "fail" ? "not asked" : outcome;
}

function countedBy(check: Check): string {
  const { id, items, outcome } = check;
  return outcome !== "pass" && items === 0 ? "" : plural(items, ...UNITS[id]!);
}

/** What each group of checks shows, in the words of a report. */
export const GROUPS: readonly (readonly [string, readonly string[]])[] = [
  ["That the record is whole, in order and signed, and that its end is signed", ["V01", "V02", "V03", "V05", "V06", "V19", "V20"]],
  ["Who holds the keys", ["V04"]],
  [
    "That the review followed its rules: what was agreed, drawn, reported, shown, labelled and ruled",
    ["V07", "V08", "V09", "V12", "V13", "V14", "V15", "V16", "V27", "V28", "V29"],
  ],
  ["Privilege, silence, new keys and changes", ["V25", "V26"]],
  ["The numbers that are claimed, and what is certified", ["V17", "V18", "V24"]],
  ["What was received, and how documents were ranked", ["V10", "V11", "V21", "V22", "V30"]],
  ["The files that Bob was handed", ["V23"]],
  ["That the record was fixed outside", ["V31", "V32", "V33"]],
];
