/** What a validation proves when it closes, and the counts of its two strata. */

import { missingAfterTwoStages, most, shareOfDoubt } from "./estimate.ts";
import { oneStage, twoStages } from "./intervals.ts";
import type { Matter, Range, ValidationState } from "./matter.ts";
import { Camera, type Round } from "./round.ts";
import type { Estimates, Stratum } from "./verdict.ts";

/** A count of positions: of those for sure, and of those that it can be as well. */
export function rangeOf(round: Round, sure: (p: number) => boolean, maybe: (p: number) => boolean): Range {
  const low = round.sheet.count(sure);
  return { low, high: low + round.sheet.count((p) => !sure(p) && maybe(p)) };
}

export function proveValidation(m: Matter, round: Round, listed: ReadonlySet<number>): ValidationState {
  const { sheet } = round;
  const begun = round.validation!;
  const isNever = (p: number): boolean => !round.reviewed.has(p);
  const isSeen = (p: number): boolean => sheet.isShown(p) || sheet.camera[p] === Camera.NotResponsive;
  const isHit = (p: number): boolean => sheet.unread[p] !== 1 && sheet.isShown(p) && listed.has(p);
  const isUnreadForSure = (p: number): boolean => sheet.unread[p] === 1 && sheet.camera[p] !== Camera.Passed;
  const stratum = (inside: (p: number) => boolean): { shown: Range; hits: Range } => ({
    shown: rangeOf(round, (p) => inside(p) && isSeen(p), (p) => inside(p) && sheet.camera[p] === Camera.Kept),
    hits: rangeOf(round, (p) => inside(p) && isHit(p), (p) => inside(p) && sheet.unread[p] === 1 && sheet.camera[p] === Camera.Passed),
  });
  const unread = rangeOf(round, isUnreadForSure, (p) => sheet.unread[p] === 1);
  const state = {
    number: begun.number,
    round: round.number,
    stages: begun.stages,
    called: begun.called,
    unread,
    never: { documents: begun.never, ...stratum(isNever) },
    withheld: { documents: begun.population - begun.never, ...stratum((p) => !isNever(p)) },
  };
  const hits = sheet.count(isHit);
  const isProven = m.allShown && !(begun.stages === 2 && round.report === "ordered away");
  const told = ({ documents, shown, hits }: (typeof state)["never"], inside: (p: number) => boolean): Stratum => ({
    documents,
    shown: shown.low,
    hits: hits.low,
    unread: sheet.count((p) => inside(p) && isUnreadForSure(p)),
  });
  const [never, withheld] = [told(state.never, isNever), told(state.withheld, (p) => !isNever(p))];
  let total: number | null = null;
  let estimates: Estimates | null = null;
  let reached = false;
  if (isProven) {
    const { doubt } = m.numbers;
    const alpha = shareOfDoubt(doubt, begun.number);
    const { target, review, show } = m.numbers.validation!;
    const strata = { never, withheld, unread: unread.low };
    if (begun.stages === 1) {
      total = begun.found + most(hits + unread.low, begun.chance!, alpha);
      estimates = oneStage(strata, begun.chance!, doubt);
    } else {
      const isCalled = (label: boolean) => (p: number): boolean => p <= begun.called && round.alice(p) === label;
      const counts = (inside: (p: number) => boolean, counted: (p: number) => boolean): number => sheet.count((p) => inside(p) && counted(p));
      const isOpen = (p: number): boolean => isHit(p) || sheet.unread[p] === 1;
      const missing = missingAfterTwoStages(review!, show, alpha, counts(isCalled(true), isOpen), counts(isCalled(false), isOpen), counts((p) => p > begun.called, isOpen));
      total = begun.found + hits + unread.low + Number(missing);
      estimates = twoStages(strata, { reported: counts(isCalled(true), isHit), others: counts(isCalled(false), isHit) }, review!, show, doubt);
    }
    total = Math.min(total, begun.found + begun.population);
    reached = BigInt(begun.found + hits) * target.den >= target.num * BigInt(total);
  }
  const atMost = total === null ? null : total - begun.found - hits;
  m.validationReports.push({
    number: begun.number,
    round: round.number,
    stages: begun.stages,
    chance: begun.chance === null ? null : String(begun.chance),
    called: begun.called,
    drawn: begun.stages === 1 ? round.size : sheet.count((p) => sheet.isShown(p)),
    hits: m.allShown ? hits : null,
    found: begun.found,
    never,
    withheld,
    estimates,
    total,
    atMost,
    reached: m.allShown ? reached : null,
  });
  return { ...state, total, atMost, reached };
}
