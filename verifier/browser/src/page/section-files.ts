/**
 * What is said of files beyond one copy: two copies, handed documents, production volumes, privilege logs, exhibits.
 */
import type { Comparison } from "../engine/verdict.ts";
import type { ExhibitVerdict, ExhibitWord } from "../files/exhibit.ts";
import type { HandedResult } from "../files/handed.ts";
import type { PrivilegeLogVerdict } from "../files/privilege-log.ts";
import type { ProductionVerdict } from "../files/production.ts";
import { type Child, el, foreign, paragraph, subtitle, strong, code } from "./dom.ts";
import { fieldsLine } from "./document-cell.ts";
import { isOpen } from "../files/proof.ts";
import { type Mark, mark } from "./marks.ts";
import { accountSays } from "./sentences.ts";
import { facts, list, section, table, simulationNotice } from "./table.ts";
import { capital, listing, plural, who } from "./words.ts";

type Tone = "good" | "wait" | "bad" | "plain";

function answered(word: string, tone: Tone, sign: Mark, ...says: readonly Child[]): HTMLElement {
  return el("div", { class: `panel ${tone}` }, el("div", { class: "answer-line" }, mark(sign, 32), el("p", { class: "word" }, strong(word))), says.map((one) => (one === "" ? null : paragraph(one))));
}

export function comparisonSection(comparison: Comparison, first: string, second: string, instead: () => void): HTMLElement {
  const button = el("button", { type: "button", class: "quiet no-print" }, "Verify ", foreign(second), " instead");
  button.addEventListener("click", instead);
  const names = [paragraph("Compared: ", foreign(first), " and ", foreign(second), "."), paragraph(button)];
  const [a, b] = comparison.sizes;
  const key = keyOfTrent(comparison);
  const further = "To see whether that history follows the rules, read the verdict on each copy.";
  switch (comparison.result) {
    case "same history":
      return section("compare", "Two copies", answered("SAME HISTORY", "good", "tick", `Both copies hold the same ${plural(a, "entry", "entries")}.`, key, further), names);
    case "one continues the other":
      return section("compare", "Two copies", answered("SAME HISTORY", "good", "tick", `One copy continues the other: ${plural(Math.min(a, b), "entry", "entries")} are the same, and the longer copy has ${Math.max(a, b)}.`, key, further), names);
    case "two histories":
      return section(
        "compare", "Two copies",
        answered("TWO HISTORIES", "bad", "cross", comparison.reason, key, "Both signatures are valid: only the holder of that key could have made them. Keep both files as they are: they are the evidence."),
        names,
      );
    case "undecided":
      return section("compare", "Two copies", answered("UNDECIDED", "plain", "question", comparison.reason, key, "Nobody is blamed for this."), names);
  }
}

/** Whose key signed the copies, as far as the reader can know. */
function keyOfTrent({ trent }: Comparison): string {
  if (trent === null) return "";
  const says = trent.trusted === null ? "Whose it is was not checked: give the fingerprint that Trent told you" : trent.trusted ? "It is the key that you were told" : "It is NOT the key that you were told, so nobody you know is blamed";
  return `The key that both copies name as Trent's is ${trent.key}. ${says}.`;
}

export function handedSection(handed: HandedResult): HTMLElement {
  const wrong = handed.files.filter((file) => file.part === null);
  const count = `${plural(handed.files.length, "file")} compared with ${plural(handed.contents, "content")} that the record discloses.`;
  const missing = `${plural(handed.missing.length, "content")} without a file`;
  return section(
    "handed",
    "The documents that Bob was handed (V23)",
    wrong.length > 0
      ? answered("FAIL", "bad", "cross", count, `${plural(wrong.length, "file")} with other content; ${missing}. Nobody is blamed: nobody signs a file.`)
      : handed.missing.length > 0
        ? answered("NOT CHECKED", "wait", "limit", count, `Every file is a disclosed document or a part of one, byte for byte. But there is ${missing}: open the folders of all questions together.`)
        : answered("PASS", "good", "tick", count, "Every file is a disclosed document or a part of one, byte for byte, and none is missing."),
    wrong.length === 0 ? null : named("Files with other content", wrong.map((file) => file.path)),
    handed.missing.length === 0 ? null : named("Disclosed, and not among the files", handed.missing),
  );
}

function named(title: string, names: readonly string[]): HTMLElement {
  const most = 200;
  return el("details", {}, el("summary", {}, `${title}: ${names.length}`), list(names.slice(0, most).map((name) => foreign(name))), names.length > most ? paragraph(`and ${names.length - most} more.`) : null);
}

export function productionSection(production: ProductionVerdict): HTMLElement {
  const { manifest } = production;
  const title = manifest === null ? "Production volume" : `Production volume ${manifest.volume}`;
  const simulated = production.copyVerdict?.isSimulation ? simulationNotice() : null;
  if (production.verdict === "undecided") return section("production", title, answered("UNDECIDED", "plain", "question", production.reason, "Nobody is blamed for this."), simulated);
  if (manifest === null) return section("production", title, answered("REJECTED", "bad", "cross", production.reason), simulated);
  const answer =
    production.verdict === "verified"
      ? answered("VERIFIED", "good", "tick", `It is what the record says: ${plural(production.documents, "document")}, nothing missing, nothing added, each file the committed one.`)
      : answered("REJECTED", "bad", "cross", blame(production), ...(production.reason === "" ? [] : [production.reason]));
  return section(
    "production",
    title,
    answer,
    simulated,
    production.findings.length === 0 ? null : table(plural(production.findings.length, "finding"), ["Check", "Found", "Blamed"], production.findings.map((finding) => [finding.check, foreign(finding.what), finding.blamed === null ? "nobody" : "Trent"])),
    table(
      "The checks of the volume",
      ["Check", "Outcome", "Counted, or why not", "What is asked"],
      production.checks.map((check) => [`${check.id} ${check.name}`, el("span", { class: check.outcome === "pass" ? "mark-pass" : check.outcome === "fail" ? "mark-fail" : "mark-none" }, check.outcome), check.detail, check.question]),
    ),
    facts([
      ["Folder", foreign(production.volume)],
      ["Numbers", manifest.begin === "" ? "none" : foreign(`${manifest.begin} to ${manifest.last}`)],
      ["Records", `${production.records}, of which ${plural(production.withheld, "slip sheet")}`],
      ["Record at", plural(manifest.size, "entry", "entries")],
      ["Manifest", code(manifest.hash)],
    ]),
    paragraph("A volume does not show: whether the text of a part is what a person reads in its native; whether Bob got this folder; and what the record itself does not prove."),
  );
}

function blame(production: ProductionVerdict): string {
  return production.findings.some((finding) => finding.blamed === "trent") ? "It is not what the record says, and Trent signed it." : "It is not what Trent signed, or not complete. Nobody is blamed: anybody could have done it.";
}

export function privilegeLogSection(log: PrivilegeLogVerdict): HTMLElement {
  const words = { verified: ["VERIFIED", "good", "tick"], rejected: ["REJECTED", "bad", "cross"], undecided: ["UNDECIDED", "plain", "question"] } as const;
  const [word, tone, sign] = words[log.verdict];
  const says = log.verdict === "verified" ? `The proofs hold: the log has all that this copy shows as withheld as privileged, ${plural(log.rows.length, "document")}, with what the corpus committed to before the first round. Compare it with the spreadsheet.` : log.copyVerdict?.verdict === log.verdict ? log.reason : `${log.reason} Nobody signs this file, so nobody is blamed.`;
  return section(
    "privilege-log",
    "Privilege log",
    answered(word, tone, sign, says),
    log.rows.length === 0
      ? null
      : table(
          "The log that is proven",
          ["Control number", "Part", "Date", "Author", "Recipients", "Type", "Attached to", "Basis"],
          log.rows.flatMap((row) => row.parts.map((part, index) => [`R${row.round}-P${row.position}`, index, foreign(part.date ?? ""), foreign(part.author ?? ""), foreign(part.recipients ?? ""), foreign(part.type ?? ""), part.parent === undefined ? "" : `part ${part.parent}`, index === 0 ? foreign(row.basis ?? "") : ""])),
        ),
    paragraph("The check does not show that a date or an author is true. It shows that Trent fixed them before the first round."),
  );
}

const EXHIBIT_WORDS: Readonly<Record<ExhibitWord, readonly [string, Tone, Mark]>> = {
  verified: ["VERIFIED", "good", "tick"],
  "not closed": ["NOT CLOSED", "wait", "clock"],
  rejected: ["REJECTED", "bad", "cross"],
  undecided: ["UNDECIDED", "plain", "question"],
  "commitment only": ["COMMITMENT ONLY", "wait", "limit"],
};

/** So many files are named that lie beside an exhibit. */
const MOST_BESIDES = 20;

export function exhibitReport(exhibit: ExhibitVerdict, name: string): HTMLElement {
  const [word, tone, sign] = EXHIBIT_WORDS[exhibit.verdict];
  const document = exhibit.document;
  const keys = byRole(exhibit.keys);
  return el(
    "section",
    { id: "exhibit", "aria-labelledby": "exhibit-answer" },
    el("p", { class: "kicker" }, "Check of the exhibit ", foreign(name)),
    el("div", { class: `answer ${tone}` }, el("div", { class: "answer-line" }, mark(sign, 48), el("h1", { id: "exhibit-answer", tabindex: -1 }, word)), exhibitSays(exhibit).map((text) => paragraph(text))),
    exhibit.opening?.simulation != null ? simulationNotice() : null,
    document === null ? null : el("h2", {}, `Document ${document.number}, `, foreign(document.name)),
    exhibit.story.length === 0 ? null : list(exhibit.story.map(storyLine)),
    document === null
      ? null
      : [
          subtitle("The document, as the corpus states it"),
          list(document.parts.map((part, index) => [`Part ${index}: `, isOpen(part) ? foreign(part.rest.name ?? "without a name") : "withheld", fieldsLine(part)])),
        ],
    exhibit.opening === null ? null : paragraph(`What was received, as Trent states it in the opening: ${accountSays(exhibit.opening.account, exhibit.opening.documents)} Nothing is proven about what was never received.`),
    exhibit.keys.length === 0
      ? null
      : facts([
          ["Matter", code(exhibit.matter)],
          ["Head", [code(exhibit.head), `, of ${plural(exhibit.size, "entry", "entries")}`]],
          ...keys.map((key): [string, Child] => [capital(who(key.role)), [el("span", { class: "mono" }, key.fingerprint), ` (${key.until === null ? "" : `until entry ${key.until}, `}${key.trusted === null ? "not checked" : key.trusted ? "as you were told" : "NOT one that you were told"})`]]),
        ]),
    exhibit.notChecked.length === 0 ? null : [paragraph("Not checked here:"), list(exhibit.notChecked)],
    exhibit.besides.length === 0 ? null : [paragraph("Not part of the exhibit, and not looked at:"), list([...exhibit.besides.slice(0, MOST_BESIDES).map((path) => foreign(path)), ...(exhibit.besides.length > MOST_BESIDES ? [`${exhibit.besides.length - MOST_BESIDES} more`] : [])])],
    paragraph("An exhibit does not show: whether the batch was ranked correctly; the rest of the matter: its other rounds, in which the document may have been drawn or shown, its claims, whether anybody gave two answers to one question, and whether the court replaced a key, beyond the orders that are here; whether an escalation or a validation was due, with what chance an escalation draws, and what else was drawn; whether the text was extracted correctly, and whether Bob and the court judged the document correctly."),
  );
}

/** Those of a role stay in the order in which they were in force. */
function byRole(keys: ExhibitVerdict["keys"]): ExhibitVerdict["keys"] {
  return [...keys].sort((a, b) => (a.role < b.role ? -1 : a.role > b.role ? 1 : 0));
}

function storyLine(text: string): Child {
  const end = text.indexOf(". ");
  return end < 0 ? text : [strong(text.slice(0, end + 1)), text.slice(end + 1)];
}

function exhibitSays(exhibit: ExhibitVerdict): string[] {
  const cosigners = exhibit.signers.filter((role) => role !== "trent").map(who);
  const signed = cosigners.length === 0 ? "" : `The keys of ${listing(cosigners)} have signed the record that it is a part of.`;
  const unknown = byRole(exhibit.keys).filter((key) => key.until === null && key.trusted === null).map((key) => who(key.role));
  const holders = unknown.length === 0 ? "The keys are those of the fingerprints that you gave." : `Who holds the keys of ${listing(unknown)} was not checked.`;
  switch (exhibit.verdict) {
    case "verified":
      return [`${plural(exhibit.signatures, "signature")} and every proof, opening, link and coin hold. ${signed} ${holders}`];
    case "not closed":
      return [`${plural(exhibit.signatures, "signature")} and every proof, opening, link and coin hold, as far as they are here. A round in it is not closed, or Alice, Bob and the court have not all cosigned its checkpoint. ${holders}`];
    case "commitment only":
      return [`${plural(exhibit.signatures, "signature")} and every proof hold. They show that the document is in the corpus that Alice, Bob and the court agreed on, and NOTHING about its review: not that it was reviewed or shown to Bob, and not that it was not. ${signed} ${holders}`];
    case "rejected":
      return exhibit.findings.flatMap(({ check, party, entry, rule }) => [
        `${check}${entry === null ? "" : `, entry ${entry}`}: ${rule}`,
        party === null ? "Nobody is blamed." : `This is signed with the key that the exhibit names as that of ${who(party)}. Keep the folder as it is: it is the evidence.`,
      ]);
    case "undecided":
      return [exhibit.trouble];
  }
}
