/**
 * The parties and their keys, the codes of the record, how it was fixed outside, and what this report is about.
 */
import type { KeyInForce, Role } from "../engine/verdict.ts";
import { quoted } from "../engine/quoted.ts";
import { type Child, el, foreign, paragraph, code } from "./dom.ts";
import type { ReportData } from "./report-data.ts";
import { section, table } from "./table.ts";
import { capital, clock, listing, megabytes, who } from "./words.ts";

const PARTS: Readonly<Record<Role, string>> = {
  alice: "reports which documents are responsive",
  bob: "asked for the responsive documents and labels what he is shown",
  court: "rules on disputes and privilege, gives orders if somebody is silent, holds the secrets of the coins",
  trent: "the neutral who holds the documents, runs the review and keeps the record",
};

export function partiesSection({ verdict }: ReportData): HTMLElement | null {
  if (verdict.keys.length === 0) return null;
  const names = verdict.opening?.caption?.names;
  const order: readonly Role[] = ["alice", "bob", "court", "trent"];
  const keys = [...verdict.keys].sort((a, b) => order.indexOf(a.role) - order.indexOf(b.role) || a.since - b.since);
  const codes: Child[][] = [];
  const add = (name: string, value: string | null): void => void (value === null ? null : codes.push([name, code(value)]));
  add("Matter", verdict.matter);
  add(verdict.damage === null ? "Head" : "Head, read so far", verdict.head);
  add("Root", verdict.root);
  add("Corpus root", verdict.opening?.corpusRoot ?? null);
  for (const checkpoint of verdict.checkpoints) codes.push([`Signed at ${checkpoint.size} entries`, listing(order.filter((role) => checkpoint.signed.includes(role)).map(who))]);
  return section(
    "parties",
    "The parties and their keys",
    table(
      "Keys by their fingerprints",
      ["Party", "Part", "Fingerprint of the key", "Whose it is"],
      keys.map((key) => [
        [capital(who(key.role)), names ? [" (", foreign(quoted(names[key.role], "“”")), ")"] : ""], PARTS[key.role],
        [el("span", { class: "mono" }, key.fingerprint), key.since === 0 ? "" : ` from entry ${key.since + 1} on`, key.until === null ? "" : ` until entry ${key.until}`], whose(key),
      ]),
    ),
    el("p", { class: "hint" }, "A record names its own keys, so anyone could make one with keys of their own. Compare the fingerprints with those that each party gave you."),
    keys.some((key) => key.until !== null) ? paragraph("A key was replaced by the court's order. What came before was signed with the old one.") : null,
    table("The record, by its codes", ["What", "Code"], codes),
    verdict.stamps.length + verdict.logProofs.length === 0
      ? null
      : table(
          "Fixed outside",
          ["Entry", "What", "Of how many entries"],
          [
            ...verdict.stamps.map((stamp) => [stamp.entry, ["a time stamp, token ", code(stamp.token), stamp.present ? "" : " (the token is not in this copy)"], stamp.size]),
            ...verdict.logProofs.map((proof) => [proof.entry, ["the log ", foreign(proof.log), `, leaf ${proof.index} of ${proof.treeSize}; signed by `, foreign(proof.signers.join(", "))], proof.size]),
          ],
        ),
  );
}

function whose(key: KeyInForce): string {
  if (key.trusted === null) return "not checked: only the copy says whose it is";
  return key.trusted ? "as you were told" : "NOT one of the fingerprints that you were told";
}

export function aboutSection({ verdict, file, given }: ReportData): HTMLElement {
  return section(
    "repeat",
    "About this report",
    paragraph("This report is about the file ", foreign(file.name), ` (${megabytes(file.size)}). The file's SHA-256 is `, code(file.sha256), `. ${given.length === 0 ? "Nothing was given with it." : `Given with it: ${listing(given)}.`} Nobody signs this report, and by itself it proves nothing: the file does. Anyone can repeat the verification with this page, version ${__VERSION__}, or with `, code("tallystick-verify"), "."),
    verdict.opening === null ? null : paragraph(`Trent's clock, which decides nothing, says that the record was opened on ${clock(verdict.opening.time)}.`),
  );
}

declare const __VERSION__: string;
