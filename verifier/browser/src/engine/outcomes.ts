/** How each of the 33 checks ends: the first rule that applies decides. */

import { countOf } from "./counts.ts";
import type { Matter } from "./matter.ts";
import { CALLED, listing } from "./names.ts";
import type { Reading } from "./reading.ts";
import type { Replay } from "./replay.ts";
import type { Check, CheckOutcome, Finding, KeyInForce, Party, Role, Trust } from "./verdict.ts";
import { ROLES } from "./verdict.ts";

const CHECKS: readonly (readonly [id: string, name: string, question: string])[] = [
  ["V01", "format", "Is every line canonical and of a known shape and version?"],
  ["V02", "chain", "Does every entry name the one before it, up to the head of the copy?"],
  ["V03", "signatures", "Did Trent sign every entry, and each party its own statements?"],
  ["V04", "identities", "Are the keys those of the people you know?"],
  ["V05", "order", "Did everyone answer when asked, and what was asked, in the order of a matter?"],
  ["V06", "openings", "Does the copy open just what its audience may see, each as it was sealed?"],
  ["V07", "terms", "Can the agreed terms be run, and did all sign them?"],
  ["V08", "coins", "Is every coin the one that the parties' chains give?"],
  ["V09", "batches", "Has each batch its due size, by coin or by model as it must, and no document twice that the copy names?"],
  ["V10", "ranking", "Does each batch hold the documents that its model or its coins choose, to the last rank?"],
  ["V11", "models", "Is each model optimal for the labels so far, by its certificate?"],
  ["V12", "reports", "Is each of Alice's reports complete, and as she committed to it?"],
  ["V13", "disclosures", "Was Bob shown just what the rule and the coins say, wave by wave?"],
  ["V14", "documents", "Is each document that was disclosed, or shown to the court alone, one of the committed corpus, with all parts but those that the court withheld?"],
  ["V15", "answers", "Did Bob label just what he was shown, and the court rule on just what was disputed?"],
  ["V16", "outcomes", "Does each round end with the labels and numbers that follow from it?"],
  ["V17", "claims", "Are the counts that Trent claims those of the entries?"],
  ["V18", "certificates", "Are the certificates those that the coins give?"],
  ["V19", "conflicts", "Did everyone give one answer to each question?"],
  ["V20", "cosignatures", "Have Alice, Bob and the court signed the end of this very history, except for anyone the court excused?"],
  ["V21", "corpus", "Is the corpus at hand the one that the matter committed to?"],
  ["V22", "features", "Are the feature rows those of the documents' texts?"],
  ["V23", "handed documents", "Are the files at hand the documents that were disclosed?"],
  ["V24", "simulated truth", "Is a simulation's true recall that of the labels it was given?"],
  ["V25", "privilege", "Did every document that Alice claims as privileged go to the court before Bob, when it was due, and no other?"],
  ["V26", "orders", "Is every order on silence, new key and amendment about what was asked, and by those who must sign it?"],
  ["V27", "escalations", "Did coins draw again from all that is withheld whenever the terms ask for it?"],
  ["V28", "validations", "Was the whole collection validated when and as the terms say?"],
  ["V29", "stopping", "Did the review end by the rule in its terms?"],
  ["V30", "account", "Do the counts of what was received add up, and does the corpus hold what they say?"],
  ["V31", "witnesses", "Was the record seen from outside before each round, as the terms ask?"],
  ["V32", "time stamps", "Is each time stamp on record valid, by an authority that you trust?"],
  ["V33", "log", "Was the operator's log witnessed as your policy asks, each time that it is on record?"],
];

export interface Ending {
  readonly reading: Reading;
  readonly replay: Replay | null;
  readonly findings: readonly Finding[];
  readonly endedEarly: boolean;
  readonly keys: readonly KeyInForce[];
  readonly trust: Trust;
  /** V33: null if no policy is given, else why it is not satisfied, or empty. */
  readonly policy: string | null;
}

const NO_CORPUS = "It needs the sealed corpus, which this program does not read. The Python verifier checks it.";

/** Why a check was not checked; null if it passes. */
type Judge = (m: Matter, ending: Ending) => string | null;

/** Nothing passes of which there is none. */
const some =
  (id: string, otherwise: string): Judge =>
  (_, ending) =>
    countOf(id, ending) > 0 ? null : otherwise;
const hidden: Judge = (m) => (hidesLabels(m) ? "This copy seals labels of Alice's." : null);
const openReport: Judge = (m) => (m.round?.report === "sealed" ? "The report of the open round is sealed." : null);
const noRound: Judge = (m) => (m.closed.length === 0 ? "No round is closed." : null);
const noClaims: Judge = (m) => (m.hasClaims ? null : "There are no claims yet.");
const someClaimHidden: Judge = (m) => (m.allClaimsOpened ? null : "The copy does not open all claims of privilege of a closed round.");
const corpus: Judge = () => NO_CORPUS;
const first =
  (...judges: readonly Judge[]): Judge =>
  (m, ending) => {
    for (const judge of judges) {
      const reason = judge(m, ending);
      if (reason !== null) return reason;
    }
    return null;
  };

export function hidesLabels(m: Matter): boolean {
  return m.audience === "public" || !m.allShown;
}

/** Checks that rest on the replay. The reading and the replay must have come to their end. */
const AFTER_REPLAY: Readonly<Record<string, Judge>> = {
  V05: () => null,
  V08: () => null,
  V26: () => null,
  V31: () => null,
  V07: (m) => (m.allSigned ? null : "Not all four have signed the opening."),
  V09: some("V09", "There is no batch."),
  V10: corpus,
  V11: corpus,
  V12: first(hidden, openReport, someClaimHidden, some("V12", "No report was opened.")),
  V13: first(hidden, (m) => ((m.round?.sheet.waves ?? 0) > 0 ? "Bob was shown documents in the open round, which is judged when it closes." : null), noRound),
  V14: first(
    (m) => (m.audience === "public" ? "The public copy has no proofs of documents." : null),
    some("V14", "No proof was followed."),
  ),
  V15: first(hidden, openReport, some("V15", "There are no labels, disputes or rulings.")),
  V16: first(hidden, noRound),
  V17: noClaims,
  V18: first(noClaims, hidden),
  V19: (m) => (m.hiddenEvidence ? "This copy does not show a second answer that is on record." : null),
  V23: () => "No files are given.",
  V24: corpus,
  V25: first(
    hidden,
    (m) => {
      const { round } = m;
      if (round === null) return null;
      const ruled = round.events.some((event) => event.kind === "ruled in camera");
      return round.reportSealsPrivilege || round.sheet.late.size > 0 || ruled ? "The open round has a claim of privilege or a ruling in camera." : null;
    },
    someClaimHidden,
  ),
  V27: (m, ending) => (m.terms.protocol === "spot-check" ? hidden(m, ending) : null),
  V28: (m, ending) => (m.terms.validation !== null ? hidden(m, ending) : null),
  V29: first(noClaims, (m, ending) => (m.terms.validation !== null ? hidden(m, ending) : null)),
  V32: () => "Time stamps are not checked by this program. The Python verifier checks them (--tsa-roots).",
  V33: (m, ending) => {
    if (ending.policy === null) return "No policy is given.";
    if (m.logProofs.length === 0) return "There is no proof of a log on record.";
    return ending.policy === "" ? null : ending.policy;
  },
};

/** Who must have signed the end, and has not. */
export function unsignedEnd(reading: Reading, m: Matter): readonly Party[] | null {
  const last = reading.checkpoints.at(-1);
  if (last === undefined || last.size !== reading.chain.size) return null;
  return (["alice", "bob", "court"] as const).filter((party) => !last.signed.includes(party) && !m.endedWithout.has(party));
}

function notChecked(id: string, ending: Ending): string | null {
  const { reading, replay, endedEarly } = ending;
  if (id === "V04") return identities(ending);
  if (endedEarly || replay === null) return "The reading ended early.";
  if (["V01", "V02", "V03", "V06"].includes(id)) return null;
  const { m } = replay;
  if (id === "V20") {
    const missing = unsignedEnd(reading, m);
    if (missing === null) return "There is no checkpoint of the whole copy.";
    return missing.length === 0 ? null : `The end is not signed by ${anyOf(missing)}.`;
  }
  if (["V21", "V22", "V30"].includes(id)) return replay.openingBroken ? "The opening broke a rule." : NO_CORPUS;
  if (replay.stopped !== null) return "The replay stopped at a broken rule.";
  return AFTER_REPLAY[id]!(m, ending);
}

function identities({ keys, trust }: Ending): string | null {
  if (keys.length === 0) return "No keys could be read.";
  const missing = ROLES.filter((role) => (trust[role]?.length ?? 0) === 0);
  return missing.length === 0 ? null : `You gave no fingerprint for ${anyOf(missing)}.`;
}

/** "Alice, Bob or the court" */
function anyOf(roles: readonly Role[]): string {
  return listing(roles.map((role) => CALLED[role]), "or");
}

export function endChecks(ending: Ending): Check[] {
  return CHECKS.map(([id, name, question]) => {
    const finding = ending.findings.find((found) => found.check === id);
    let outcome: CheckOutcome = "pass";
    let reason = "";
    if (finding !== undefined) {
      outcome = "fail";
      reason = finding.rule;
    } else {
      const why = notChecked(id, ending);
      if (why !== null) {
        outcome = "not checked";
        reason = why;
      }
    }
    return { id, name, question, outcome, reason, items: countOf(id, ending) };
  });
}
