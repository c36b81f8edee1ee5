/**
 * Estimates of a validation in one stage, each with its exact two-sided interval (docs/reading-a-verdict.md).
 *
 * Of M responsive documents each is drawn with the same chance, so the number of hits is binomial. The interval holds
 * every M under which so few, or so many, hits are not too unlikely. These are estimates; the certificate decides.
 */

export interface Interval {
  readonly point: number;
  readonly low: number;
  readonly high: number;
}

/** How many of `documents` are responsive, if each was drawn with `chance` and `hits` of the drawn ones are. */
export function responsiveAmong(documents: number, shown: number, hits: number, chance: number, doubt: number): Interval {
  // What was drawn is known: only the rest of the stratum is open.
  const most = documents - (shown - hits);
  const tail = doubt / 2;
  let low = hits;
  while (low < most && atLeastHits(low, hits, chance) <= tail) low += 1;
  let high = low;
  while (high < most && atMostHits(high + 1, hits, chance) > tail) high += 1;
  const point = Math.min(most, Math.max(hits, Math.round(hits / chance)));
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
