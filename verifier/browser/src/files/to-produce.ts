/**
 * What is to be produced at a size of the record, and what Bob was shown and may not keep (docs/production.md).
 */
import type { Proof } from "./proof.ts";
import type { Reclaimed, Round, Story } from "./story.ts";

export interface Producible {
  readonly round: number;
  readonly position: number;
  readonly document: number;
  readonly name: string;
  readonly proof: Proof;
}

/** A part that is to be produced, in its place in the volume. */
export interface Due {
  readonly document: Producible;
  readonly part: number;
}

export interface ToReturn {
  readonly round: number;
  readonly position: number;
  readonly document: number;
  readonly name: string;
  readonly reason: "clawed back" | "not responsive" | "asked back";
}

/** Null where the copy does not open what it should: then it shows no documents. */
export function toProduce(story: Story, size: number): Producible[] | null {
  const produced: Producible[] = [];
  for (const round of closedAt(story, size)) {
    for (const position of shownIn(round)) {
      if (!settledResponsive(round, position) || askedBack(story, round, position, size) !== null) continue;
      const named = round.names[position - 1];
      const proof = round.shown.get(position)?.proof;
      if (!named || !proof) return null;
      produced.push({ round: round.number, position, document: named.document, name: named.name, proof });
    }
  }
  return produced;
}

export function toReturn(story: Story, size: number): ToReturn[] | null {
  const list: ToReturn[] = [];
  for (const round of closedAt(story, size)) {
    for (const position of shownIn(round)) {
      const back = askedBack(story, round, position, size);
      const responsive = settledResponsive(round, position);
      if (responsive && back === null) continue;
      const named = round.names[position - 1];
      if (!named) return null;
      const clawedBack = back?.ruling?.upheld === true && back.ruling.entry < size;
      const reason = clawedBack ? "clawed back" : responsive ? "asked back" : "not responsive";
      list.push({ round: round.number, position, document: named.document, name: named.name, reason });
    }
  }
  return list;
}

function closedAt(story: Story, size: number): Round[] {
  return story.rounds.filter((round) => round.close !== null && round.close.entry < size);
}

function shownIn(round: Round): number[] {
  return [...round.shown.keys()].sort((a, b) => a - b);
}

function settledResponsive(round: Round, position: number): boolean {
  return (round.close?.content["responsive"] as readonly number[]).includes(position);
}

/** Alice's wish to have it back, unless the court had overruled that by then. */
function askedBack(story: Story, round: Round, position: number, size: number): Reclaimed | null {
  const wish = story.reclaims.find(
    (one) => one.round === round.number && one.position === position && one.entry < size,
  );
  if (wish === undefined) return null;
  const overruled = wish.ruling !== null && wish.ruling.entry < size && !wish.ruling.upheld;
  return overruled ? null : wish;
}
