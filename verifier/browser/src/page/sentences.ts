/**
 * The sentences of a verdict: what was answered, what it covers, and what is proven about recall.
 */
import { hasOwn } from "../engine/json.ts";
import type { Account, Certificate, Finding, Role, Verdict } from "../engine/verdict.ts";
import { quoted } from "../files/quoted.ts";
import { type AskedCheck, asked } from "./asked.ts";
import type { Mark } from "./marks.ts";
import { atLeast, capital, confidence, listing, plural, share, who } from "./words.ts";

export const NO_RECORD_SHOWS =
  "No record can show a document that never entered the corpus, whether text was extracted correctly, whether Bob recognised what he was shown, or what was disclosed outside the review.";

/** Of what a simulation states: this page has no corpus. */
export const TRENTS_WORD = "(according to Trent; not checked with this copy)";

export interface Answer {
  readonly word: string;
  readonly tone: "good" | "wait" | "bad" | "plain";
  readonly mark: "tick" | "clock" | "cross" | "question";
  readonly says: string;
}

export function answerOf(verdict: Verdict): Answer {
  switch (verdict.verdict) {
    case "verified":
      return {
        word: "VERIFIED" + without(verdict),
        tone: "good",
        mark: "tick",
        says: "Everything that this copy can show was replayed, and follows the rules. This is about the record, not about how much was found.",
      };
    case "not closed":
      return {
        word: "NOT CLOSED",
        tone: "wait",
        mark: "clock",
        says: "Everything that this copy can show so far was replayed, and follows the rules. The record is not at its end.",
      };
    case "rejected":
      return { word: "REJECTED", tone: "bad", mark: "cross", says: rejectedSays(verdict) };
    case "undecided":
      return {
        word: "UNDECIDED",
        tone: "plain",
        mark: "question",
        says: "Nothing can be said about this record, and nobody is blamed.",
      };
  }
}

function without(verdict: Verdict): string {
  if (verdict.endedWithout.length === 0) return "";
  const whose = verdict.endedWithout.map((party) => `${capital(who(party))}'s`);
  const orders = verdict.events
    .filter((event) => event.sort === "default" && event.granted === true && event.order !== null && verdict.endedWithout.some((party) => party === event.absent))
    .map((event) => (event.sort === "default" ? event.order : null));
  const last = orders[orders.length - 1];
  return ` without ${listing(whose)} signature, by order of the court${typeof last === "number" ? ` (entry ${last})` : ""}`;
}

function rejectedSays(verdict: Verdict): string {
  const given = verdict.findings.filter((finding) => finding.check === "V04" || finding.check === "V23");
  if (given.length === verdict.findings.length) {
    const checks = verdict.checks.filter((check) => given.some((finding) => finding.check === check.id)).map((check) => `${check.id} ${check.name}`);
    return `It does not fit what you gave with it (${checks.join(", ")}). The record itself breaks no rule that this copy shows.`;
  }
  const signed = new Set(verdict.findings.filter((finding) => finding.blamed !== null).map((finding) => signedWith(verdict, finding)));
  if (signed.size === 0) return "It breaks the rules. Nobody is blamed, since you do not know the key that signed it.";
  return `It breaks the rules; this is ${listing([...signed])}.`;
}

/** "signed with the key 78135 …, which the copy names as that of Trent" */
export function signedWith(verdict: Verdict, finding: Finding): string {
  const key = verdict.keys.find((one) => one.fingerprint === finding.key);
  const whose = who(finding.blamed!);
  const known = key?.trusted === true ? `that of ${whose}, by the fingerprints that you gave` : `which the copy names as that of ${whose}`;
  return `signed with the key ${finding.key ?? ""}, ${known}`;
}

/** The line below the answer: what was read, and how many checks were made. */
export function copyLine(verdict: Verdict): string {
  const sentences: string[] = [];
  if (verdict.audience !== null) sentences.push(`This is the copy for ${who(verdict.audience)}, ${plural(verdict.size ?? verdict.entriesRead, "entry", "entries")}.`);
  const checks = asked(verdict);
  const made = checks.filter((check) => check.ending === "pass").length;
  const total = checks.filter((check) => check.ending !== "not asked").length;
  const left = checks.filter((check) => check.ending === "not checked").length;
  const failed = checks.filter((check) => check.ending === "fail").length;
  if (verdict.verdict === "undecided") return sentences.join(" ");
  sentences.push(`${made} of ${total} checks passed, ${failed > 0 ? `${failed} failed, ` : ""}${left} could not be made and are listed below.`);
  if (verdict.verdict === "not closed") sentences.push(openEnd(verdict));
  if (verdict.verdict === "verified") sentences.push(endLine(verdict), holdersLine(verdict));
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

/** Who has not signed the end, and whom the matter waits for. */
function openEnd(verdict: Verdict): string {
  const last = verdict.checkpoints[verdict.checkpoints.length - 1];
  const signed = last !== undefined && last.size === verdict.size ? last.signed : [];
  const missing = (["alice", "bob", "court"] as const).filter((party) => !signed.includes(party)).map(who);
  const end = missing.length === 0 ? "But the record is not at its end: there may be more, or a later version." : `But the end of the record is not signed by ${listing(missing, "or")}: there may be more, or a later version.`;
  const waits = verdict.waitsFor.map(who);
  return waits.length === 0 ? end : `${end} The matter waits for ${listing(waits)}.`;
}

function endLine(verdict: Verdict): string {
  const last = verdict.checkpoints[verdict.checkpoints.length - 1];
  const signers = (last?.signed ?? []).filter((role) => role !== "trent").map(who);
  return signers.length === 0 ? "" : `The keys of ${listing(signers)} have signed its end.`;
}

export function holdersLine(verdict: Verdict): string {
  const unknown = unchecked(verdict);
  if (unknown.length > 0) return `Who holds the keys of ${listing(unknown.map(who))} was not checked.`;
  if (verdict.keys.some((key) => key.trusted === false)) return "A key is not one of those that you were told.";
  return verdict.keys.length > 0 ? "The keys are those of the fingerprints that you gave." : "";
}

function unchecked(verdict: Verdict): Role[] {
  return (["alice", "bob", "court", "trent"] as const).filter((role) => verdict.keys.some((key) => key.role === role && key.trusted === null));
}

export interface ProvenLine {
  readonly about: "The whole collection" | "The reviewed documents";
  /** "target of 80 % NOT reached", "nothing proven", "not shown in this copy". */
  readonly target: string;
  readonly says: string;
  readonly good: boolean;
  readonly mark: Mark;
}

const SEALED = "Alice's labels are sealed in this copy. Bob's, Alice's or the court's copy shows what is proven.";

/** What is proven about recall, apart from whether the record is in order. */
export function provenLines(verdict: Verdict): ProvenLine[] {
  if (verdict.claims === null) return [];
  const lines = [wholeCollection(verdict, verdict.claims.collection), reviewedDocuments(verdict, verdict.claims.reviewed)];
  return verdict.claims.ended === null ? lines.map((line) => ({ ...line, says: `So far: ${line.says}` })) : lines;
}

/** Whether this copy shows what the certificates are, at the end or so far. */
export function certifies(verdict: Verdict): boolean {
  return verdict.claims?.ended === null || checked(verdict, "V18");
}

function wholeCollection(verdict: Verdict, certificate: Certificate): ProvenLine {
  const about = "The whole collection";
  const asks = verdict.opening?.terms.validation ?? null;
  const unread = nobodyHasRead(verdict);
  if (!certifies(verdict) && !(asks === null && certificate.atMost === null && unread > 0)) return sealedLine(about);
  if (certificate.atMost === null) {
    const why = asks === null ? "The terms ask for no validation." : "No validation proves anything about them.";
    const target = asks === null ? "nothing proven" : targetOf(certificate).target;
    return { about, target, good: false, mark: "nothing", says: `Nothing is proven about the ${plural(unread, "document")} that nobody has read. ${why}` };
  }
  return { about, ...targetOf(certificate), says: recallSays(certificate, "of the whole collection", "of the whole collection") };
}

function reviewedDocuments(verdict: Verdict, certificate: Certificate): ProvenLine {
  const about = "The reviewed documents";
  const among = `among the ${verdict.reviewed} reviewed`;
  if (!certifies(verdict)) return sealedLine(about);
  return { about, ...targetOf(certificate), says: recallSays(certificate, among, among) };
}

function sealedLine(about: ProvenLine["about"]): ProvenLine {
  return { about, target: "not shown in this copy", good: false, mark: "lock", says: SEALED };
}

function targetOf(certificate: Certificate): { target: string; good: boolean; mark: Mark } {
  if (certificate.target === null) return { target: "proven, without a target", good: true, mark: "limit" };
  const reached = certificate.reached === true;
  return { target: `target of ${share(certificate.target)} ${reached ? "reached" : "NOT reached"}`, good: reached, mark: reached ? "tick" : "warning" };
}

function recallSays(certificate: Certificate, among: string, where: string): string {
  const most = certificate.atMost ?? 0;
  const sure = `with ${confidence(certificate.doubt)} confidence`;
  if (most === 0) return `No responsive document ${where} is missing, ${sure}.`;
  return `Bob has at least ${atLeast(certificate.found, certificate.found + most)} of the responsive documents ${among}, ${sure}.`;
}

/** What Trent claims where this copy cannot compute it again. What contradicts the page's own count becomes no share. */
function claimedByTrent(verdict: Verdict, { atMost, found, reached, target }: Certificate): string {
  const cannot = "; this copy cannot check that.";
  if (atMost === null) return `Trent claims that nothing is proven about it${cannot}`;
  const counted = claimed(verdict, "found") ?? 0;
  const unread = verdict.rounds.reduce((sum, round) => sum + round.unread, 0);
  const fits = checked(verdict, "V17") && found <= counted && found >= counted - unread;
  if (!fits) return `Trent claims ${found} found documents, where this copy counts ${counted}, and at most ${atMost} missing${cannot}`;
  if (atMost === 0) return `Trent claims that no responsive document is missing${cannot}`;
  const goal = target === null ? "" : `, and that the target of ${share(target)} is ${reached ? "reached" : "NOT reached"}`;
  return `Trent claims at least ${atLeast(found, found + atMost)}${goal}${cannot}`;
}

/** The certificate in full, as it may be quoted. */
export function certificateSays(verdict: Verdict, which: "reviewed" | "collection"): string {
  const certificate = verdict.claims?.[which];
  if (!certificate) return "";
  const name = which === "reviewed" ? "Certificate of the reviewed" : "Certificate of the whole collection";
  const where = which === "reviewed" ? `among the ${verdict.reviewed} reviewed` : "in the whole collection";
  const [collection] = provenLines(verdict);
  if (!certifies(verdict) && (which === "reviewed" || collection?.mark === "lock")) return `${name}: none. ${SEALED} ${claimedByTrent(verdict, certificate)}`;
  if (certificate.atMost === null) return `${name}: none. ${collection?.says ?? ""}`;
  const sure = `with ${confidence(certificate.doubt)} confidence`;
  const limit =
    certificate.atMost === 0
      ? `no responsive document ${where} is missing from what Bob has, ${sure}.`
      : `at most ${plural(certificate.atMost, "responsive document")} ${where} ${certificate.atMost === 1 ? "is" : "are"} missing from what Bob has, ${sure}. That is a limit, not an estimate: the coins cannot rule out that many, whatever Alice did.`;
  return `${name}: ${limit}${unreadSays(verdict, which)} It does not cover ${listing(notCovered(verdict, which))}.`;
}

function unreadSays(verdict: Verdict, which: "reviewed" | "collection"): string {
  const unread = verdict.rounds.some((round) => round.closed !== null && round.unread > 0);
  if (!unread || which === "collection") return "";
  const counts = verdict.opening?.terms.protocol === "spot-check" ? "what a coin drew of it counts as a hit" : "in such rounds every document labelled only by Alice, as not responsive, may be missing";
  return ` What Bob left unread does not count as found here, and ${counts}.`;
}

/** What silence took from the proof, round by round. */
export function silenceSays(verdict: Verdict): string[] {
  return verdict.rounds.flatMap(({ round, sort, report, unread, unproven }) => {
    const provesNothing = sort === "batch" && verdict.opening?.terms.protocol !== "spot-check";
    return [
      unread === 0 ? "" : `Round ${round}: Bob left ${plural(unread, "document")} unread. There Alice's labels stand, and ${provesNothing ? `the coins prove nothing: what only she labelled, as not responsive, may all be hidden${unproven === null ? "" : `: ${plural(unproven, "document")}, counted in the certificate`}` : "what a coin drew and nobody read counts as a hit, which makes the certificates weaker"}.`,
      report === "ordered away" ? `Round ${round}: ${WITHOUT_ALICE[sort]}` : "",
    ].filter((text) => text !== "");
  });
}

const WITHOUT_ALICE = {
  batch: "Alice did not report. By the court's order the whole batch was due to Bob, except what the court withheld, and no coin was thrown.",
  escalation: "Alice did not look again. Nothing was given up, and another draw took the place of hers.",
  validation: "Alice did not report on the documents that were called. Bob was shown them, and the validation proves nothing.",
};

function notCovered(verdict: Verdict, which: "reviewed" | "collection"): string[] {
  const left: string[] = [];
  const unread = nobodyHasRead(verdict);
  const privileged = claimed(verdict, "privileged") ?? 0;
  if (which === "reviewed" && unread > 0) left.push(`the ${plural(unread, "document")} that nobody has read`);
  if (which === "collection") left.push("documents that never entered the collection");
  if (privileged > 0) left.push(`the ${plural(privileged, "document")} withheld as privileged`);
  left.push("how important a document is");
  return left;
}

/**
 * What both certificates rest on. An order that gives a link from the deposit changes nothing of it: the link belongs to the
 * draw under way, and what that draw decides about is fixed by then. So no such order, before a report or after it, tells
 * Alice the coins of a report to come.
 */
export function restsOn(verdict: Verdict): string {
  const assumes = verdict.claims?.reviewed.assumes ?? "";
  return `What this rests on: ${assumes} Before Alice reported in a round, the court disclosed none of the secrets that make its coins, so she could not know them.`;
}

/** In a simulation somebody may be played as careless: then a certificate's assumptions are broken on purpose. */
export function brokenAssumptions(verdict: Verdict): string | null {
  const played = verdict.opening?.simulation;
  if (!played) return null;
  const broken: string[] = [];
  if (played.bob !== "truthful") broken.push(`Bob is played as ${quoted(played.bob, "“”")}, so he does not recognise every responsive document`);
  if (played.court !== "right") broken.push(`the court is played as ${quoted(played.court, "“”")}, so it does not always rule rightly`);
  if (broken.length === 0) return null;
  return `In this simulation the assumptions are broken on purpose: ${listing(broken)}. So ${inDoubt(verdict)}.`;
}

/** What broken assumptions mean for the certificates that there are. */
export function inDoubt({ claims }: Verdict): string {
  return `${claims?.collection.atMost == null ? "the certificate" : "both certificates"} may be wrong`;
}

export function nobodyHasRead({ opening, reviewed }: Verdict): number {
  return opening === null ? 0 : opening.documents - reviewed;
}

/** A natural of the claims, as Trent states it and V17 has counted again. */
export function claimed(verdict: Verdict, field: string): number | null {
  const content = verdict.claims?.content as Readonly<Record<string, unknown>> | undefined;
  const value = content?.[field];
  return typeof value === "number" ? value : null;
}

export function checked(verdict: Verdict, id: string): boolean {
  return verdict.checks.some((check) => check.id === id && check.outcome === "pass");
}

export function receivedSays(verdict: Verdict): string {
  return verdict.opening === null ? "" : accountSays(verdict.opening.account, verdict.opening.documents);
}

export function accountSays(account: Account, documents: number): string {
  const were: string[] = [];
  if (account.containers > 0) were.push(`${account.containers} ${account.containers === 1 ? "was a container" : "were containers"}`);
  if (account.exceptions > 0) were.push(`${account.exceptions} could not enter`);
  if (account.duplicates > 0) were.push(`${account.duplicates} ${account.duplicates === 1 ? "was a duplicate" : "were duplicates"}`);
  const entered = `${plural(account.entered, "family", "families")} entered as ${plural(documents, "document")} with ${plural(account.parts, "part")}`;
  const first = `Of ${plural(account.items, "item")} received, ${listing([...were, entered])}.`;
  const details: string[] = [];
  if (account.custodians > 0) details.push(`name ${plural(account.custodians, "custodian")}`);
  if (account.first !== "") details.push(`are dated from ${dated(account.first)} to ${dated(account.last)}`);
  return details.length === 0 ? first : `${first} The parts ${listing(details)}.`;
}

function dated(text: string): string {
  return /^[\d-]{10}$/.test(text) ? text : quoted(text);
}

export function accountStanding(verdict: Verdict): string {
  const check = verdict.checks.find((one) => one.id === "V30");
  if (check === undefined || check.outcome === "pass") return "Trent states this, and signed it.";
  if (check.outcome === "fail") return "Trent states this, and signed it. V30 fails.";
  return `Trent states this, and signed it. V30 was not checked in full. ${check.reason}`;
}

export function reasonsBySort(checks: readonly AskedCheck[]): { readonly ids: string; readonly reason: string }[] {
  const by = new Map<string, string[]>();
  for (const check of checks) {
    if (check.ending !== "not checked") continue;
    by.set(check.reason, [...(by.get(check.reason) ?? []), `${check.id} ${check.name}`]);
  }
  return [...by].map(([reason, names]) => ({ ids: listing(names), reason }));
}

const ENDED: Readonly<Record<string, string>> = {
  rounds: "all rounds that the parties agreed on were held",
  amendment: "all rounds were held, as many as an amendment had set",
  documents: "no document was left to review",
  validation: "a validation reached its target",
};

export function endedBecause(verdict: Verdict): string | null {
  const ended = verdict.claims?.ended ?? null;
  if (ended === null) return null;
  return hasOwn(ENDED, ended) ? ENDED[ended]! : quoted(ended);
}
