/**
 * "In plain words": what was done, what may be concluded, and what may not.
 */
import { paragraph, subtitle } from "./dom.ts";
import { type ReportData, closedRounds, countsOf, roundsSay } from "./report-data.ts";
import type { Verdict } from "../engine/verdict.ts";
import { NO_RECORD_SHOWS, brokenAssumptions, certificateSays, checked, claimed, holdersLine, nobodyHasRead, restsOn, silenceSays } from "./sentences.ts";
import { list, section } from "./table.ts";
import { capital, listing, plural, share, who } from "./words.ts";

const RULES: Readonly<Record<string, string>> = {
  "spot-check":
    "The rule was spot checks. Alice says of every document in the batch whether it is responsive, before anybody knows the coins. Bob sees all that she reports as responsive. Every other document has the same small chance to be drawn and shown to him as well. From what the coins find, and do not find, follows how many responsive documents can be hidden. While that is too many, Alice is asked to look again, and all that is withheld is drawn again with fresh coins.",
  label:
    "The rule was the label report. Alice says of every document in the batch whether it is responsive, before anybody knows the coins. Bob sees all that she reports as responsive, all down to the threshold that fits her labels best, and others drawn by coin, with a chance that falls with every position below the threshold. If a drawn document that she reported as not responsive turns out to be responsive, he gets the whole batch.",
  classifier:
    "The rule was the threshold report. Alice names a rank in the batch and labels what stands at or above it, before anybody knows the coins. Bob sees all of that, and others drawn by coin, with a chance that falls with every position below the threshold since the last hit. If the drawn documents show more responsive ones than others, he gets the whole batch.",
  "reveal-all": "The rule was to reveal all: Bob sees every document of every batch, and no coin decides.",
};

export function wordsSection(data: ReportData): HTMLElement | null {
  if (data.verdict.opening === null) return null;
  return section(
    "words",
    "In plain words",
    subtitle("What was done"),
    whatWasDone(data).map((text) => paragraph(text)),
    subtitle("What may be concluded"),
    list(concluded(data)),
    subtitle("What may not be concluded"),
    list(notConcluded(data)),
  );
}

function whatWasDone(data: ReportData): string[] {
  const { verdict } = data;
  const opening = verdict.opening;
  if (opening === null) return [];
  const terms = opening.terms;
  const rounds = closedRounds(data);
  const reviewed = claimed(verdict, "reviewed");
  const validation = terms.validation;
  return [
    `Alice holds ${plural(opening.documents, "document")}, some of which she must hand to Bob: the responsive ones. A neutral, Trent, committed to all of them at the start, chose which were to be reviewed, and kept the record. Each party signed what it said. The court ruled where Alice and Bob disagreed and where Alice claimed privilege, and held in deposit the secrets from which the coins are made.`,
    `The review is held in rounds. The parties agreed on up to ${plural(terms.rounds, "round")} of up to ${plural(terms.batch, "document")} each${amended(verdict)}. ${terms.query === "" ? "" : `The first batch was found by searching for the words “${terms.query}”. `}Until there are both responsive and other labels to learn from, a batch is drawn by coin; from then on a program that learns from the labels so far puts the likeliest documents first. There are ${roundsSay(rounds)} in this record${reviewed === null ? "" : `; ${plural(reviewed, "document")} of ${opening.documents} were reviewed in them`}.`,
    RULES[terms.protocol] ?? "",
    validation === null
      ? "The terms ask for no validation of the whole collection, so nothing can be proven about documents that nobody reviewed."
      : `The terms also ask for validations, which are about the whole collection, reviewed or not: ${validation.review === null ? `every document that Bob has not seen is drawn with the same chance, at most ${share(validation.show)}, and shown to ${who(validation.viewer)}` : `of the documents never reviewed, coins call ${share(validation.review)}; Alice labels them, and Bob sees what she labels as responsive and, by fresh coins, ${share(validation.show)} of the rest. What she withheld before is drawn with the same chance in all`}. The review ends at the first validation that proves that Bob has at least ${share(validation.target)} of all responsive documents.`,
    "The program that made this report is not the one that ran the review, and shares no code with it. It did not take Trent's word: it read every entry, checked the signatures, and recounted and decided again whatever this copy shows. Unless stated otherwise, the numbers on this page are its own.",
  ];
}

function concluded(data: ReportData): string[] {
  const { verdict } = data;
  if (verdict.verdict === "rejected") {
    const blamed = verdict.blamed.map(who);
    return [blamed.length > 0 ? `A rule was broken, and the signature of ${listing(blamed)} proves it. What follows from the rest of the record was not judged further than stated below.` : "The copy breaks a rule, or does not fit what was given with it. No signature proves who caused that."];
  }
  if (verdict.verdict === "undecided") return ["Nothing: the file could not be read to its end as it was signed."];
  const sentences: string[] = [];
  if (verdict.verdict === "verified") {
    const signers = (verdict.checkpoints[verdict.checkpoints.length - 1]?.signed ?? []).filter((role) => role !== "trent").map(who);
    sentences.push(`The record is whole: nothing was changed, added or left out since ${listing(signers)} signed its end with the keys below.`);
  } else {
    sentences.push("The record is whole up to its last entry here. It is not at its end: more may follow, or there may be a later version of it.");
  }
  const counts = closedRounds(data).map((round) => countsOf(data, round));
  const sum = (pick: (one: (typeof counts)[number]) => number): number => counts.reduce((all, one) => all + pick(one), 0);
  const [shown, found, disputes, against] = [sum((one) => one.shown), sum((one) => one.found), sum((one) => one.disputes), sum((one) => one.against)];
  const reviewed = claimed(verdict, "reviewed");
  const exact = checked(verdict, "V13") ? "He was shown exactly what the agreed rule and the coins say, document by document." : "This copy does not fully show whether that is exactly what the rule says.";
  sentences.push(`${reviewed === null ? "So far" : `Of ${plural(reviewed, "document")} reviewed,`} Bob was shown ${shown}: ${found} responsive, and ${shown - found} not responsive (the non-responsive disclosure). ${exact}`);
  if (disputes > 0) {
    const hedge = checked(verdict, "V15") ? "." : ", if Trent asked the court about disputes only: this copy does not show her labels.";
    sentences.push(`The court ruled on ${plural(disputes, "document")} on which Alice and Bob disagreed; ${against} of these rulings agree with Bob, and show an error in Alice's report${hedge}`);
  }
  const ruled = verdict.privilege.filter((row) => row.class === null && row.upheld !== null);
  const upheld = claimed(verdict, "privileged") ?? ruled.filter((row) => row.upheld).length;
  if (ruled.length > 0) {
    sentences.push(`For ${plural(ruled.length, "document")} that were due to Bob, Alice claimed privilege and the court ruled: ${upheld} withheld as privileged, ${ruled.length - upheld} overruled. What is withheld as privileged counts as neither found nor hidden; only Alice has said whether it is responsive.`);
  }
  sentences.push(...silenceSays(verdict));
  if (verdict.claims !== null) {
    sentences.push(certificateSays(verdict, "reviewed"), certificateSays(verdict, "collection"));
    const opening = verdict.opening;
    if (opening !== null && opening.unit === "family") {
      const tail = data.parts === 0 ? "" : `, and the ${plural(shown, "document")} that Bob was shown have ${data.parts}`;
      sentences.push(`Certificates count families, each as one document: the ${plural(opening.documents, "document")} of the collection have ${plural(opening.account.parts, "part")}${tail}.`);
    }
    if (checked(verdict, "V18")) {
      sentences.push(restsOn(verdict));
      const doubt = verdict.claims.reviewed.doubt;
      const both = verdict.claims.collection.atMost === null ? "" : ` Each of the two has its own ${doubt}, so quote them apart: one of them is wrong with a probability of at most ${Number((Number(doubt) * 2).toPrecision(6))}.`;
      sentences.push(`The confidence is about the coins: whatever Alice does, they make a certificate wrong with a probability of at most ${doubt}.${both}`);
    }
    sentences.push(guarantee(data));
  }
  const broken = brokenAssumptions(verdict);
  if (broken !== null) sentences.push(broken);
  return sentences.filter((sentence) => sentence !== "");
}

function amended({ events, opening }: Verdict): string {
  const last = events.findLast((event) => event.sort === "amendment" && event.accepted === true);
  return last?.sort === "amendment" && last.rounds !== opening?.terms.rounds ? `, and later, with the signatures of all, on ${plural(last.rounds, "round")}` : "";
}

function guarantee({ verdict }: ReportData): string {
  const terms = verdict.opening?.terms;
  if (verdict.claims === null || terms === undefined) return "";
  const numbers: string[] = [];
  if (terms.target !== undefined) numbers.push(`the target is ${terms.target}`, `the doubt ${terms.doubt}`);
  if (terms.delta !== undefined) numbers.push(`delta is ${terms.delta}`);
  if (terms.k !== undefined && terms.protocol === "label") numbers.push(`k is ${terms.k}`);
  const here = numbers.length === 0 ? "" : ` Here ${listing(numbers)}.`;
  const hedge = checked(verdict, "V13") ? "" : " This holds only if the rule was followed, which this copy does not show.";
  return `The guarantee of the method: ${verdict.claims.guarantee}${here}${hedge}`;
}

function notConcluded(data: ReportData): string[] {
  const { verdict } = data;
  const sentences: string[] = [];
  if (verdict.isSimulation) sentences.push("Anything about real people or documents: this is a simulation, and anyone can derive its keys.");
  if (holdersLine(verdict).startsWith("Who holds")) sentences.push("Who the people are: a record names its own keys. Compare the fingerprints below with those that each party gave you.");
  if (verdict.blamed.length > 0) sentences.push("That there is only this fault, since the replay ends at the first entry that breaks a rule; or why it was done, since a signature shows what was signed, not what was meant.");
  const unread = nobodyHasRead(verdict);
  if (verdict.claims !== null && !(verdict.claims.collection.atMost !== null && checked(verdict, "V18")) && unread !== null && unread > 0) {
    sentences.push(`Anything about the ${plural(unread, "document")} that nobody has read.`);
  }
  sentences.push("That the right documents were put up for review: their ranking was not fully checked, and rests on Trent's word. The court's copy with the sealed corpus can show it.");
  const granted = (sort: "default" | "new key"): boolean => verdict.events.some((event) => event.sort === sort && event.granted === true);
  if (granted("default")) sentences.push("That a party was silent, or why: Trent says so, and the court ordered the matter to go on.");
  if (granted("new key")) sentences.push("That a new key is in the hands of the right party: the court only ordered it. Ask the party, and compare the old and the new fingerprint.");
  sentences.push("That Alice meant to mislead, where she erred: an error and a lie look alike in a record.");
  sentences.push(capital(NO_RECORD_SHOWS));
  return sentences;
}
