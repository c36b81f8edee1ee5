/**
 * Escalations and validations: what coins drew later, and what it showed.
 */
import type { Estimates, RoundReport, ValidationReport } from "../engine/verdict.ts";
import { type Child, paragraph, subtitle } from "./dom.ts";
import { type ReportData, closedRounds, countsOf } from "./report-data.ts";
import { facts, list, noResult, numberTable, section } from "./table.ts";
import { atLeast, chanceOf, chanceSays, confidence, estimate, plural, share } from "./words.ts";

export function escalationsSection(data: ReportData): HTMLElement | null {
  const { opening } = data.verdict;
  if (opening === null) return null;
  const passes = closedRounds(data).filter((round) => round.sort === "escalation");
  if (passes.length === 0) {
    const none = opening.terms.protocol === "spot-check" ? "No escalation is closed in the part of the record that was read." : "The rule of this matter has no escalations: coins did not draw again from what Alice withheld.";
    return section("escalations", "Escalations", paragraph(none));
  }
  const heads = ["Round", "Withheld before it", "Given up by Alice", "Chance of the rest", "Drawn", "Hits", "Found in it", "Can be hidden after it, at most", "Target"];
  return section(
    "escalations",
    "Escalations",
    paragraph("If too many responsive documents could still be hidden among what Alice withheld, coins drew again from all of it. First she could give up documents, which Bob then got; then fresh coins drew from the rest, all with the same chance. A hit is a drawn document that turned out to be responsive, or that Bob left unread."),
    numberTable(plural(passes.length, "escalation"), heads, passes.map((round) => escalationRow(data, round))),
    passes.some((round) => round.after?.lowered === true)
      ? paragraph("The limit was used up. Coins do not draw again until it is amended, and the target may stay out of reach.")
      : null,
  );
}

function escalationRow(data: ReportData, round: RoundReport): Child[] {
  const counts = countsOf(data, round);
  const chance = round.after === null ? "sealed" : Number(round.chance) === 0 ? "no draw" : chanceSays(chanceOf(round.chance ?? 0n));
  return [
    round.round, round.size, round.givenUp ?? "sealed", chance,
    round.sampled ?? "sealed", round.after?.hits ?? "sealed", data.told.untold === "" ? counts.found : "not told", round.after?.atMost ?? "sealed", round.after === null ? "sealed" : round.after.met ? "reached" : "not reached",
  ];
}

export function validationsSection(data: ReportData): HTMLElement | null {
  const { verdict } = data;
  if (verdict.opening === null) return null;
  const title = "Validations of the whole collection";
  if (verdict.validations.length === 0) {
    return section("validations", title, paragraph(verdict.opening.terms.validation === null ? "The terms of this matter ask for no validation." : "No validation is closed in the part of the record that was read."));
  }
  const result = noResult(verdict);
  if (result !== null) return section("validations", title, result);
  return section(
    "validations",
    title,
    paragraph("Coins draw from everything that Bob has not seen, whether Alice had withheld it or nobody had ever reviewed it, and what is drawn is looked at."),
    list([
      "Elusion is the responsive share of what was never reviewed. Richness is the responsive share of the whole collection. Recall is the share of all responsive documents that Bob has after the validation.",
      "These are estimates, each with an interval. They need no trust in Alice, but each may miss the truth as often as its confidence allows.",
      "The certificate is one number on the safe side, which holds for all validations together. Only it decides whether the target is reached.",
    ]),
    verdict.validations.every((one) => one.hits !== null)
      ? verdict.validations.map((one) => validation(data, one))
      : paragraph("This copy does not show what the validations prove, because Alice's labels are sealed in it."),
  );
}

function validation(data: ReportData, one: ValidationReport): Child {
  const opening = data.verdict.opening;
  const target = opening?.terms.validation?.target ?? null;
  const doubt = opening?.terms.doubt ?? "0.05";
  const before = one.found;
  const title = subtitle(`Validation ${one.number}, round ${one.round}: ${one.reached === null ? "not decided" : one.reached ? "target reached" : "target NOT reached"}`);
  const { never, withheld } = one;
  const [shown, unread] = [never.shown + withheld.shown, never.unread + withheld.unread];
  const { review, show } = opening?.terms.validation ?? {};
  const chance = one.stages === 2 ? Number(review) * Number(show) : chanceOf(one.chance ?? 0n);
  const caption = `Validation ${one.number}, by part of the collection. Chance to be looked at: ${chanceSays(chance)}`;
  const estimated = (of: Exclude<keyof Estimates, "both">): string[] => {
    const count = one.estimates?.[of];
    return count === undefined ? ["none", "none"] : [String(count.point), `${count.low} to ${count.high}`];
  };
  return [
    title,
    numberTable(
      caption,
      ["Part of the collection", "Documents", "Looked at", "Responsive (hits)", "Estimated responsive", "Interval"],
      [
        ["Found before it", before, "all", before, before, "none: counted"],
        ["Reviewed and withheld", withheld.documents, withheld.shown, withheld.hits, ...estimated("withheld")],
        ["Never reviewed", never.documents, never.shown, never.hits, ...estimated("never")],
      ],
    ),
    facts([
      ...(one.stages === 2 ? [["Called for Alice to label", String(one.called)] as [string, Child]] : []),
      ...(unread === 0 ? [] : [["Left unread", `${unread} of ${shown} looked at, and each counts as responsive in the certificate`] as [string, Child]]),
      ...(one.estimates === null ? [] : shares(one, one.estimates, opening?.documents ?? 1, doubt)),
      ["Certificate", certificateLine(one, target, doubt)],
    ]),
  ];
}

/** Elusion, richness and recall, of what was found before the validation and what it estimates. */
function shares({ found, never, withheld }: ValidationReport, { never: eluded, both }: Estimates, documents: number, doubt: string): [string, Child][] {
  const hits = withheld.hits + never.hits;
  const sure = confidence(doubt);
  const interval = (point: number, low: number, high: number): string => `${estimate(point)}, ${sure} interval from ${estimate(low)} to ${estimate(high)}`;
  const rows: [string, Child][] = [["Richness (estimate)", interval((found + both.point) / documents, (found + both.low) / documents, (found + both.high) / documents)]];
  if (never.documents > 0) rows.unshift(["Elusion (estimate)", interval(eluded.point / never.documents, eluded.low / never.documents, eluded.high / never.documents)]);
  if (found + both.point > 0) {
    const recall = (responsive: number): number => (responsive === 0 ? 1 : (found + hits) / responsive);
    rows.push(["Recall (estimate)", interval(recall(found + both.point), recall(found + both.high), recall(found + both.low))]);
  }
  return rows;
}

/** The doubt of the k-th validation is 4/5^k of the terms', so that all of them together keep the terms'. */
function certificateLine(one: ValidationReport, target: string | null, doubt: string): string {
  if (one.total === null || one.atMost === null) return "none, since Alice did not report on what was called.";
  const found = one.total - one.atMost;
  const sure = confidence(doubt, one.number);
  const reached = target === null ? "" : ` The target of ${share(target)} is ${one.reached ? "reached" : "NOT reached"}.`;
  return `Bob has at least ${atLeast(found, one.total)} of the responsive documents of the whole collection, and at most ${one.atMost} ${one.atMost === 1 ? "is" : "are"} missing after it, with ${sure} confidence.${reached}`;
}
