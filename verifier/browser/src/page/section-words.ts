/**
 * "In plain words": what was done, what may be concluded, and what may not.
 */
import { paragraph, subtitle } from "./dom.ts";
import { type ReportData, type RoundCounts, closedRounds, countsOf } from "./report-data.ts";
import type { Verdict } from "../engine/verdict.ts";
import { quoted } from "../files/quoted.ts";
import { NO_RECORD_SHOWS, TRENTS_WORD, brokenAssumptions, certificateSays, certifies, checked, claimed, holdersLine, nobodyHasRead, restsOn, silenceSays } from "./sentences.ts";
import { list, section } from "./table.ts";
import { capital, listing, plural, share, who } from "./words.ts";

const REPORTS = "Alice says of every document in the batch whether it is responsive, before anybody knows the coins. Bob sees all that she reports as responsive.";
const RULES: Readonly<Record<string, string>> = {
  "spot-check":
    `The rule was spot checks. ${REPORTS} Every other document has the same small chance to be drawn and shown to him as well. What the coins find, and do not find, limits how many responsive documents can be hidden. While that is too many, Alice is asked to look again, and coins draw again from all that is withheld.`,
  label:
    `The rule was the label report. ${REPORTS} He also sees all down to the threshold that fits her labels best, and others drawn by coin, with a chance that falls with every position below it. If a drawn document that she reported as not responsive turns out to be responsive, he gets the whole batch.`,
  classifier:
    "The rule was the threshold report. Alice names a rank in the batch and labels what stands at or above it, before anybody knows the coins. Bob sees all of that, and others drawn by coin, with a chance that falls from position to position, and rises again after each responsive one that is found. If those ever outnumber all others passed below the threshold, he gets the whole batch.",
  "reveal-all": "The rule was to reveal all: Bob sees every document of every batch, and no coin decides. Nothing that was reviewed can be hidden from him.",
};

/** So many classes are named. */
const MOST_NAMES = 20;

/** The guarantees in plain words, where the exact ones are formulas. */
const BATCH = "Of each batch by itself, Bob almost surely gets all responsive documents but for";
const PLAINLY: Readonly<Record<string, string>> = {
  label: `${BATCH} about as many as the best threshold would get wrong. If Alice leaves out more, a coin almost surely finds one, and he gets the whole batch. Exactly: `,
  classifier: `${BATCH} at most three times as many as the best threshold would get wrong. Exactly: `,
};

export function wordsSection(data: ReportData): HTMLElement | null {
  if (data.verdict.opening === null) return null;
  return section(
    "words",
    "In plain words",
    subtitle("What was done"),
    whatWasDone(data).map((text) => (text === "" ? null : paragraph(text))),
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
  const validation = terms.validation;
  return [
    `Of ${plural(opening.documents, "document")}, Alice must hand the responsive ones to Bob. A neutral, Trent, holds all of them, committed to them at the start, chose which were to be reviewed, and kept the record. Each party signed what it said. The court ruled where Alice and Bob disagreed and where Alice claimed privilege, and held the secrets from which the coins are made.`,
    `The review is held in rounds. The parties agreed on up to ${plural(terms.rounds, "round")} of up to ${plural(terms.batch, "document")} each${amended(verdict)}. ${terms.query === "" ? "" : `The first batch was found by searching for the words ${quoted(terms.query, "“”")}. `}Until there are labels of both sorts to learn from, a batch is drawn by coin; from then on a program that learns from them puts the likeliest documents first.`,
    RULES[terms.protocol] ?? "",
    validation === null
      ? "The terms ask for no validation of the whole collection."
      : `The terms also ask for validations of the whole collection: ${validation.review === null ? `every document that Bob has not seen is drawn with the same chance, ${validation.hits === null ? "" : "at most "}${share(validation.show)}, and shown to ${validation.viewer === "bob" ? "Bob" : "the court in camera, and Bob gets what is responsive"}` : `of the documents never reviewed, coins call ${share(validation.review)}; Alice labels them, and Bob sees what she labels as responsive and, by fresh coins, ${share(validation.show)} of the rest. What she withheld before is drawn with the same chance in all`}. The review ends at the first validation that proves that Bob has at least ${share(validation.target)} of all responsive documents.`,
    terms.classes === null ? "" : `Documents of sensitive classes (${listing(terms.classes.names.slice(0, MOST_NAMES).map((name) => quoted(name)))}${terms.classes.names.length > MOST_NAMES ? " and more" : ""}), at most ${share(terms.classes.share)} of all, go to the court first if coins draw them, and to Bob only if they are responsive.`,
    terms.witnesses === null ? "" : `Before each round and before the claims the state of the record is fixed outside: ${listing([...(terms.witnesses.authorities.length > 0 ? ["an authority stamps its hash with the time"] : []), ...(terms.witnesses.log === null ? [] : ["the operator's log takes the hash in"])])}.`,
    "The program that made this report shares no code with the one that ran the review. It took nobody's word: it read every entry, checked the signatures, and decided again whatever this copy shows. Unless stated otherwise, the numbers here are its own.",
  ];
}

function concluded(data: ReportData): string[] {
  const { verdict } = data;
  if (verdict.verdict === "rejected") {
    const blamed = verdict.blamed.map(who);
    return [blamed.length > 0 ? `A rule was broken, and the signature of ${listing(blamed)} proves it.` : "The copy breaks a rule, or does not fit what was given with it. No signature proves who caused that."];
  }
  if (verdict.verdict === "undecided") return ["Nothing: the file could not be read to its end as it was signed."];
  const sentences: string[] = [];
  if (verdict.verdict === "verified") {
    const signers = (verdict.checkpoints[verdict.checkpoints.length - 1]?.signed ?? []).filter((role) => role !== "trent").map(who);
    sentences.push(`The record is whole: nothing was changed, added or left out since ${listing(signers)} signed its end with the keys below.`);
  } else {
    sentences.push("The record is whole up to its last entry here. It is not at its end, so all that follows may still change.");
  }
  const counts = closedRounds(data).map((round) => countsOf(data, round));
  const sum = (pick: (one: (typeof counts)[number]) => number): number => counts.reduce((all, one) => all + pick(one), 0);
  const [shown, found, disputes, against] = [sum((one) => one.shown), sum((one) => one.found), sum((one) => one.disputes), sum((one) => one.against)];
  const reviewed = claimed(verdict, "reviewed");
  const untold = data.told.untold !== "";
  const exact = checked(verdict, "V13") ? "He was shown exactly what the agreed rule and the coins say, document by document." : "This copy does not fully show whether that is exactly what the rule says.";
  sentences.push(`${reviewed === null ? "So far" : `Of ${plural(reviewed, "document")} reviewed,`} Bob was shown ${shown}${untold ? "" : `: ${found} responsive, and ${shown - found} not responsive (the non-responsive disclosure)`}. ${exact}`);
  if (disputes > 0 && !untold) {
    const hedge = checked(verdict, "V15") ? "." : ", if Trent asked the court about disputes only: this copy does not show her labels.";
    sentences.push(`The court ruled on ${plural(disputes, "document")} on which Alice and Bob disagreed; ${against} of these rulings ${against === 1 ? "agrees with Bob, and shows" : "agree with Bob, and show"} an error in Alice's report${hedge}`);
  }
  const ruled = verdict.privilege.filter((row) => row.answer === "ruling");
  const upheld = ruled.filter((row) => row.upheld).length;
  if (ruled.length > 0) {
    sentences.push(`For ${plural(ruled.length, "document")} that were due to Bob, Alice claimed privilege and the court ruled: ${upheld} withheld as privileged, ${ruled.length - upheld} overruled. Only Alice has said whether what is withheld is responsive.`);
  }
  sentences.push(...silenceSays(verdict));
  if (verdict.claims !== null) {
    sentences.push(certificateSays(verdict, "reviewed"), certificateSays(verdict, "collection"));
    const opening = verdict.opening;
    if (opening !== null && opening.unit === "family") {
      // Parts are counted in an open round too, and documents only in closed ones.
      const tail = data.parts === 0 || verdict.claims.ended === null ? "" : `, and the ${plural(shown, "document")} that Bob was shown have ${data.parts}`;
      sentences.push(`Certificates count families, each as one document: the ${plural(opening.documents, "document")} of the collection have ${plural(opening.account.parts, "part")}${tail}.`);
    }
    if (certifies(verdict)) {
      sentences.push(restsOn(verdict));
      const doubt = verdict.claims.reviewed.doubt;
      const both = verdict.claims.collection.atMost === null ? "" : ` Each of the two has its own doubt of ${doubt}, so quote them separately: at least one is wrong with a probability of at most ${Number((Number(doubt) * 2).toPrecision(6))}.`;
      sentences.push(`The confidence is about the coins: whatever Alice does, they make a certificate wrong with a probability of at most ${doubt}.${both}`);
    }
    sentences.push(guarantee(data));
  }
  const broken = brokenAssumptions(verdict);
  if (broken !== null) sentences.push(broken + (certifies(verdict) ? knownToBeHidden(counts) : ""));
  return sentences.filter((sentence) => sentence !== "");
}

/** What was reviewed before can be shown in an escalation or a validation: then the batches do not tell it. */
function knownToBeHidden(counts: readonly RoundCounts[]): string {
  let hidden = 0;
  for (const { sort, truth } of counts) {
    if (sort !== "batch" || truth === null) return "";
    hidden += truth.responsive - truth.revealed;
  }
  return ` By the labels that it was given, ${hidden} of the reviewed ${hidden === 1 ? "is responsive and was" : "are responsive and were"} not shown to Bob ${TRENTS_WORD}.`;
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
  return `The guarantee of the method: ${PLAINLY[terms.protocol] ?? ""}${verdict.claims.guarantee}${here}${hedge}`;
}

function notConcluded(data: ReportData): string[] {
  const { verdict } = data;
  const sentences: string[] = [];
  if (verdict.verdict === "undecided") sentences.push("That somebody did something wrong, or that nobody did.");
  if (verdict.isSimulation) sentences.push("Anything about real people or documents: this is a simulation, and anyone can derive its keys.");
  if (holdersLine(verdict).startsWith("Who holds")) sentences.push("Who the people are: a record names its own keys.");
  if (verdict.blamed.length > 0) sentences.push("That there is only this fault, since the replay ends at the first entry that breaks a rule; or why it was done.");
  const unread = nobodyHasRead(verdict);
  if (verdict.claims !== null && !(verdict.claims.collection.atMost !== null && certifies(verdict)) && unread > 0) {
    sentences.push(`Anything about the ${plural(unread, "document")} that nobody has read.`);
  }
  sentences.push("That the right documents were put up for review: their ranking rests on Trent's word, unless the court's copy and the sealed corpus show it.");
  const granted = (sort: "default" | "new key"): boolean => verdict.events.some((event) => event.sort === sort && event.granted === true);
  if (granted("default")) sentences.push("That a party was silent, or why: Trent says so, and the court ordered the matter to go on.");
  if (granted("new key")) sentences.push("That a new key is in the hands of the right party: ask the party, and compare the fingerprints.");
  sentences.push("That Alice meant to mislead, where she erred: an error and a lie look alike in a record.");
  sentences.push(capital(NO_RECORD_SHOWS));
  return sentences;
}
