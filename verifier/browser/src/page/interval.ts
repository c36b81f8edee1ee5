/**
 * Estimates of a validation in one stage, each with its exact two-sided interval (docs/reading-a-verdict.md).
 *
 * Of M responsive documents each is drawn with the same chance, so the number of hits is binomial. The interval holds
 * every M under which so few, or so many, hits are not too unlikely. These are estimates; the certificate decides.
 */

import type { Stratum } from "../engine/verdict.ts";

export interface Interval {
  readonly point: number;
  readonly low: number;
  readonly high: number;
}

/** How many of a stratum are responsive, if each was drawn with `chance`. What Bob left unread may all be responsive, or none. */
export function responsiveAmong({ documents, shown, hits, unread }: Stratum, chance: number, doubt: number): Interval {
  // What was drawn and read is known: only the rest of the stratum is open.
  const most = documents - (shown - hits - unread);
  const tail = doubt / 2;
  let low = hits;
  while (low < most && atLeastHits(low, hits, chance) <= tail) low += 1;
  let high = low;
  while (high < most && atMostHits(high + 1, hits + unread, chance) > tail) high += 1;
  // The likeliest: of two that are as likely the larger one. The hair makes up for a chance that is no exact fraction.
  const point = Math.min(most, Math.max(hits, Math.floor(hits / chance + 1e-9)));
  return { point, low, high };
}

/** P(at most `hits` of M are drawn), summed from the logarithms of its terms, so that nothing is lost for a large M. */
function atMostHits(m: number, hits: number, chance: number): number {
  if (chance >= 1) return m <= hits ? 1 : 0;
  let term = m * Math.log1p(-chance);
  let sum = Math.exp(term);
  for (let j = 1; j <= Math.min(hits, m); j += 1) {
    term += Math.log((m - j + 1) / j) + Math.log(chance) - Math.log1p(-chance);
    sum += Math.exp(term);
  }
  return sum;
}

function atLeastHits(m: number, hits: number, chance: number): number {
  return hits === 0 ? 1 : 1 - atMostHits(m, hits - 1, chance);
}
