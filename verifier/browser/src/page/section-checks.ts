/**
 * The checks with their outcomes, and a table of what was not checked, with why and what would show it.
 */
import { type AskedCheck, asked } from "./asked.ts";
import { type Child, el, paragraph } from "./dom.ts";
import type { ReportData } from "./report-data.ts";
import { section, table } from "./table.ts";

export function checksSection(data: ReportData): HTMLElement {
  const checks = asked(data.verdict);
  const count = (ending: AskedCheck["ending"]): number => checks.filter((check) => check.ending === ending).length;
  const notAsked = checks.filter((check) => check.ending === "not asked").map((check) => NOT_ASKED[check.id] ?? "");
  const caption = [`${checks.length - notAsked.length} checks: ${count("pass")} passed, ${count("fail")} failed, ${count("not checked")} not checked`, ...notAsked].join("; ");
  return section(
    "checks",
    "The checks",
    paragraph("Not checked does not mean valid. The specification says what each check needs, and who is blamed if it fails."),
    table(caption, ["Check", "Outcome", "Passed so far", "What is asked, and why it was not checked"], checks.map(row)),
  );
}

const NOT_ASKED: Readonly<Record<string, string>> = {
  V24: "V24 is only asked of a simulation",
  V31: "V31 is only asked where the record was fixed outside",
  V32: "V32 is only asked where a time stamp is on record",
  V33: "V33 is only asked where a proof of a log is on record",
};

const STYLES: Readonly<Record<AskedCheck["ending"], string>> = { pass: "mark-pass", fail: "mark-fail", "not checked": "mark-none", "not asked": "mark-none" };

function row(check: AskedCheck): Child[] {
  const reason = check.reason === "" || check.ending === "pass" ? "" : ` — ${check.reason}`;
  return [`${check.id} ${check.name}`, el("span", { class: STYLES[check.ending] }, check.ending), check.counted, check.question + reason];
}

const CORPUS = "tallystick-verify with --corpus. This page has no corpus checks.";
const COURTS_CORPUS = "tallystick-verify with the court's copy and --corpus. This page has no corpus checks.";

/** Where a reader can get what this page leaves open. */
const SHOWN_BY: Readonly<Record<string, string>> = {
  V04: "Open the file of fingerprints, or type them in above.",
  V10: COURTS_CORPUS,
  V11: COURTS_CORPUS,
  V21: CORPUS,
  V22: COURTS_CORPUS,
  V23: "Open a folder with all the documents that Bob was handed.",
  V24: CORPUS,
  V30: CORPUS,
  V32: "tallystick-verify with --tsa-roots. This page reads no certificates.",
  V33: "Open a policy: the logs and witnesses that you trust.",
};

export function notCheckedSection(data: ReportData): HTMLElement | null {
  const open = asked(data.verdict).filter((check) => check.ending === "not checked");
  if (open.length === 0) return null;
  return section(
    "not-checked",
    "What was not checked, and why",
    table(
      `${open.length} not checked`,
      ["Check", "Why it was not checked", "What would show it"],
      open.map((check) => [`${check.id} ${check.name}`, check.reason, SHOWN_BY[check.id] ?? otherCopy(check)]),
    ),
  );
}

function otherCopy(check: AskedCheck): string {
  if (/open round|No round|no claims|checkpoint|not signed/.test(check.reason)) return "A later copy.";
  if (/all claims/.test(check.reason)) return "Alice's or the court's copy.";
  if (/labels|names no documents|sealed|public/.test(check.reason)) return "Bob's, Alice's or the court's copy.";
  return "";
}
