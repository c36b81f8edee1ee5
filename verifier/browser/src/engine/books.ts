/** The books of spot checks: what the close of a round adds to the hits D, the credit K and the exposures C. */

import type { Matter } from "./matter.ts";
import { cost, TWO64 } from "./numbers.ts";
import type { Round } from "./round.ts";

/** Settled as responsive, without what Bob left unread. */
function isHit(round: Round, position: number): boolean {
  return round.sheet.unread[position] !== 1 && round.settled(position) === true;
}

/** What a draw with the chance τ does to one position that Alice labelled false. */
function afterDraw(m: Matter, round: Round, position: number, chance: bigint): void {
  const { sheet } = round;
  const doc = round.docs[position - 1]!;
  const u = round.coin(position);
  if (u < chance) {
    const claimedLate = sheet.late.has(position) && sheet.isPrivileged(position);
    if (isHit(round, position) || sheet.unread[position] === 1 || claimedLate) m.hits++;
    if (isHit(round, position) && !doc.beforehand) m.credit += doc.exposure + cost(u);
  } else if (sheet.isShown(position) || sheet.isKept(position)) {
    if (isHit(round, position)) m.credit += doc.exposure + cost(chance);
  } else if (chance < TWO64) doc.exposure += cost(chance);
}

export function keepBooks(m: Matter, round: Round, chance: bigint | null): void {
  if (m.terms.protocol !== "spot-check") return;
  if (round.sort === "batch") booksOfBatch(m, round);
  else if (round.sort === "escalation") booksOfEscalation(m, round, chance);
  else booksOfValidation(m, round);
}

function booksOfBatch(m: Matter, round: Round): void {
  if (round.report === "ordered away") return;
  const { sheet } = round;
  const rate = m.numbers.rule.rate!;
  const labelledFalse = sheet.list((position) => round.alice(position) === false);
  if (m.terms.penalty === "batch") {
    const isDoubtful = (p: number): boolean =>
      round.coin(p) < rate && (sheet.unread[p] === 1 || (sheet.late.has(p) && sheet.isPrivileged(p)));
    if (labelledFalse.some(isDoubtful)) {
      m.hits++;
      return;
    }
    const hits = labelledFalse.filter((position) => isHit(round, position));
    let least: bigint | null = null;
    for (const position of hits) {
      const u = round.coin(position);
      if (least === null || u < least) least = u;
    }
    if (least !== null && least < rate) {
      m.hits++;
      for (const position of hits) if (!round.docs[position - 1]!.beforehand) m.credit += cost(least);
      return;
    }
  }
  for (const position of labelledFalse) afterDraw(m, round, position, rate);
}

function booksOfEscalation(m: Matter, round: Round, chance: bigint | null): void {
  for (let position = 1; position <= round.size; position++) {
    const doc = round.docs[position - 1]!;
    if (round.givenUp!.has(position)) {
      if (isHit(round, position) && !doc.beforehand) m.credit += doc.exposure;
    } else if (round.seed !== null && chance !== null) afterDraw(m, round, position, chance);
  }
}

function booksOfValidation(m: Matter, round: Round): void {
  const { stages, chance, called } = round.validation!;
  if (stages === 1) {
    // Coins drew again from all that is withheld; the positions are those that they took.
    for (const position of round.reviewed) if (round.docs[position - 1] != null) afterDraw(m, round, position, chance!);
    const drawn = new Set([...round.reviewed].map((position) => round.docs[position - 1]));
    for (const doc of m.withheld) if (!drawn.has(doc) && chance! < TWO64) doc.exposure += cost(chance!);
    return;
  }
  if (round.report === "ordered away") return;
  const { show, review } = m.numbers.validation!;
  const both = (review! * show) / TWO64;
  for (let position = 1; position <= round.size; position++) {
    if (position > called) afterDraw(m, round, position, both);
    else if (round.alice(position) === false) afterDraw(m, round, position, show);
  }
}
