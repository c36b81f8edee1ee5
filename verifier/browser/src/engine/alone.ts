/**
 * A round by itself, as an exhibit holds it (docs/exhibits.md, The check, step 6).
 *
 * The replay goes by the same rules as in a copy. What rests on other rounds it leaves to the whole record, and what an
 * entry that is left out could explain is damage, not somebody's fault.
 */

import type { Entry } from "./chain.ts";
import { damaged } from "./failures.ts";
import { coin } from "./hash.ts";
import { KINDS } from "./kinds.ts";
import { need, type Matter } from "./matter.ts";
import { Doc, type Round } from "./round.ts";
import { TWO64 } from "./numbers.ts";

/** The document that an exhibit is about, and where it stands in the round. */
export interface Alone {
  readonly document: number;
  readonly name: string;
  readonly position: number;
  /** The largest position or number of positions that the round names: how many a `call` has, only the whole record tells. */
  readonly positions: number;
}

/** So many positions can be judged here: a size alone costs its author nothing. */
const MOST_POSITIONS = 2 ** 24;

/** A matter in which all have signed, just before a round. */
export function beginAlone(m: Matter, round: number): void {
  m.roundsBegun = round - 1;
  m.lastDraw = NaN;
  m.allShown = false;
  m.allNumbersKnown = false;
  m.stampedSince = true;
  m.loggedSince = true;
}

/**
 * The terms have the round's first draw, and all who give links for a draw agree on its number; else an entry that is left
 * out could explain it.
 */
export function agreeAlone(m: Matter, entries: readonly Entry[]): void {
  let underWay: number | null = null;
  for (const { body, statement } of entries) {
    const { content, kind } = statement;
    const { draw } = (content["drawn"] ?? content) as Readonly<Record<string, unknown>>;
    if (!KINDS.has(kind) || typeof draw !== "number") continue;
    if (underWay === null && draw > m.terms.draws) damaged(`entry ${body.sequence} is for draw ${draw}, and the terms have ${m.terms.draws}`);
    if (kind === "draw" || kind === "report" || kind === "look") underWay = draw;
    else if (draw !== (underWay ?? draw)) damaged(`entry ${body.sequence} is for draw ${draw}, and others for draw ${underWay}`);
  }
}

/** How many positions the round has. */
export function sizeAlone(size: number): number {
  if (size > MOST_POSITIONS) damaged(`${size} positions are too many here`);
  return size;
}

/** The document takes its place in a round that has begun. `before` is what a report of an earlier round said of it. */
export function placeAlone(round: Round, { document, name, position }: Alone, before: Doc | null): Doc {
  const index = position - 1;
  if (round.docs[index] === null && before !== null) {
    round.docs[index] = before;
    round.places[index] ??= before;
    round.claims[index] = before.claim;
    round.claimPlaces[index] = before.claimPlace;
  }
  const doc = (round.docs[index] ??= new Doc(round.first, index, false));
  doc.number = document;
  doc.name = name;
  return doc;
}

/**
 * What Alice claims late her report does not claim, though the exhibit hides that. So the court is asked about it because of
 * the late claim, and nothing of it was due before; unless a `camera` has told that it was claimed.
 */
export function learnLateAlone({ claims, sheet, toldClaimed }: Round): void {
  for (const position of sheet.late.keys()) if (!toldClaimed.has(position)) claims[position - 1] ??= null;
}

/** V09 and V28, as far as the entry that lists the round's documents says it by itself. */
export function needListAlone(m: Matter, { body, statement }: Entry): void {
  if (statement.kind === "batch") need((statement.content["size"] as number) <= m.terms.batch, "V09", "A batch has at most N documents.");
  const fits = body.releases.every(({ audience, field, indices }) => audience === "bob" && field === "numbers" && indices === null);
  need(fits, "V28", "It releases all `numbers` to Bob, and nothing else.");
}

/** V28: the coin of the document's number is below the largest chance that the terms allow. */
export function needDrawnAlone(m: Matter, numbers: readonly number[], seed: Uint8Array, chance: bigint): void {
  const { document } = m.alone!;
  if (numbers.includes(document)) need(coin(seed, document) < chance, "V28", "The coin of the document's number draws it.");
}

const RULE = "What Bob or the court was shown is what the coins say.";

/** V13, as far as a round tells that rests on others. */
export function needDueAlone(m: Matter, round: Round): void {
  if (round.seed === null) return;
  if (round.sort === "escalation") {
    const { largest, least } = coinsOfEscalation(round);
    need(largest < least, "V13", RULE);
  }
  if (round.validation?.stages === 2) needOwnCoin(m, round);
}

/** Of an escalation, the largest coin that drew something, and the least that did not: one chance holds for all. */
export function coinsOfEscalation(round: Round): { readonly largest: bigint; readonly least: bigint } {
  const { sheet, givenUp } = round;
  let largest = -1n;
  let least = TWO64;
  for (let position = 1; position <= round.size; position++) {
    const coin = round.coin(position);
    if (!sheet.isShown(position) && sheet.camera[position] === 0) least = coin < least ? coin : least;
    else if (!givenUp!.has(position) && !sheet.late.has(position)) largest = coin > largest ? coin : largest;
  }
  return { largest, least };
}

function needOwnCoin(m: Matter, round: Round): void {
  const { position } = m.alone!;
  if (!round.sheet.isShown(position) || round.sheet.late.has(position) || round.labels?.[position - 1] === true) return;
  const { show, review } = m.numbers.validation!;
  const chance = position <= round.validation!.called ? show : (review! * show) / TWO64;
  need(round.coin(position) < chance, "V13", RULE);
}
