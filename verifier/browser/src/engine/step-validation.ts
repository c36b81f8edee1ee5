/** The rules of `validation` and `call`. */

import { needDrawnAlone, sizeAlone } from "./alone.ts";
import type { Entry } from "./chain.ts";
import { chanceByHits, shareOfDoubt } from "./estimate.ts";
import { coin } from "./hash.ts";
import { need, type Matter } from "./matter.ts";
import { Doc, Round } from "./round.ts";
import { isAscending, type Release } from "./shapes.ts";
import { needNewRound } from "./step-batch.ts";
import { seedOf, spendLink } from "./step-draws.ts";
import { openedValues, readDocument, sealedCount } from "./values.ts";

/** The chance of the next validation in one stage. */
function chanceOf(m: Matter, number: number): bigint {
  const { show, target } = m.numbers.validation!;
  const { hits } = m.terms.validation!;
  if (hits === null) return show;
  return chanceByHits(m.found, hits, target, shareOfDoubt(m.numbers.doubt, number), show);
}

export function validation(m: Matter, entry: Entry): void {
  const { content, kind } = entry.statement;
  needNewRound(m, entry); // 1 to 4
  const terms = m.terms.validation;
  const isCall = kind === "call";
  const hasDraw = m.alone !== null || m.drawFor === "validation" || (!m.allShown && m.drawFor === "unknown");
  need(
    terms !== null && (terms.review !== null) === isCall && hasDraw,
    "V28",
    "The terms have a `validation`; it is a `call` if they have a `review`, and else a `validation`; and a draw for it is under way.",
  ); // 5
  const drawn = content["drawn"] as { draw: number; link: string };
  spendLink(m, "trent", "trent", m.draw?.number ?? null, drawn.draw, drawn.link); // 6, 7
  const number = m.validationsBegun + 1;
  need(content["number"] === number || m.alone !== null, "V28", "`number` is the next one.", `${number}`, String(content["number"])); // 8
  const expected: Release[] = m.unreleasedNumbers.map((batch) => ({ audience: "bob", entry: batch, field: "numbers", indices: null }));
  need(sameReleases(entry.body.releases, expected) || m.alone !== null, "V28", "It releases to Bob, with null, the `numbers` of every batch that were not released before, and nothing else."); // 9
  const numbers = content["numbers"] as number[];
  const reviewed = content["reviewed"] as number[];
  const inLists =
    isAscending(numbers) &&
    numbers.every((document) => document < m.documents) &&
    isAscending(reviewed) &&
    reviewed.every((position) => position <= numbers.length) &&
    (!isCall || reviewed.length === 0);
  need(inLists, "V28", "`numbers` are ascending, and of the corpus. `reviewed` are ascending positions of this list; none in a `call`."); // 10
  const seed = seedOf(m, m.queryHash);
  const chance = isCall ? m.numbers.validation!.review! : m.allShown ? chanceOf(m, number) : null;
  if (m.allNumbersKnown && m.allShown) {
    const due = documentsBelow(m, seed, chance!, isCall);
    need(sameNumbers(due, numbers), "V28", "`numbers` are the documents of the population with a coin below the chance; in a `call`, those of the documents never put up.", `${due.length} documents`, `${numbers.length} documents`); // 11
    const before = numbers.flatMap((document, i) => (m.known.has(document) ? [i + 1] : []));
    need(sameNumbers(before, reviewed), "V28", "`reviewed` are the positions whose documents were put up before."); // 12
  }
  if (m.alone !== null) needDrawnAlone(m, numbers, seed, chance ?? m.numbers.validation!.show);
  const named = openedValues(entry, "documents");
  const names = new Map<number, string>();
  let shaped = sealedCount(entry, "documents") === numbers.length;
  for (const [index, value] of named) {
    const document = readDocument(value);
    if (document === null || document.document !== numbers[index]) shaped = false;
    else names.set(index, document.name);
  }
  need(shaped, "V28", "It seals as many `documents` as it lists `numbers`; each that the copy opens has its shape and that number."); // 13
  begin(m, entry, isCall, numbers, new Set(reviewed), names, { number, chance, seed });
}

/** The documents that the coins take. */
function documentsBelow(m: Matter, seed: Uint8Array, chance: bigint, isCall: boolean): number[] {
  const numbers: number[] = [];
  for (let number = 0; number < m.documents; number++) {
    if (m.known.has(number) && (isCall || m.known.get(number) === undefined)) continue;
    if (coin(seed, number) < chance) numbers.push(number);
  }
  return numbers;
}

function begin(
  m: Matter,
  entry: Entry,
  isCall: boolean,
  numbers: readonly number[],
  reviewed: ReadonlySet<number>,
  names: ReadonlyMap<number, string>,
  drawn: { number: number; chance: bigint | null; seed: Uint8Array },
): void {
  let withheld = isCall ? m.putUp - m.shownTotal - m.keptTotal : 0;
  if (isCall && m.alone !== null) withheld = sizeAlone(Math.max(0, Math.min(m.alone.positions, m.documents) - numbers.length));
  const round = new Round(m.roundsBegun + 1, "validation", entry.body.sequence, numbers.length + withheld);
  numbers.forEach((number, index) => {
    const place = { entry: entry.body.sequence, index };
    round.places[index] = place;
    let doc = m.known.get(number) ?? null;
    if (reviewed.has(index + 1)) {
      if (!m.allShown) doc = null;
      round.claims[index] = doc?.claim;
      round.claimPlaces[index] = doc?.claimPlace ?? null;
    } else {
      doc = new Doc(entry.body.sequence, index, isCall);
      doc.number = number;
      m.known.add(number);
    }
    if (doc !== null) doc.name ??= names.get(index) ?? null;
    round.docs[index] = doc;
  });
  if (isCall) {
    for (let i = 0; i < withheld; i++) {
      const doc = m.allShown ? (m.withheld[i] ?? null) : null;
      const index = numbers.length + i;
      round.docs[index] = doc;
      round.places[index] = doc;
      round.claims[index] = doc?.claim;
      round.claimPlaces[index] = doc?.claimPlace ?? null;
    }
    round.report = "awaited";
  } else round.labels = new Array<boolean>(round.size).fill(false);
  round.reviewed = isCall ? new Set(Array.from({ length: withheld }, (_, i) => numbers.length + i + 1)) : reviewed;
  round.validation = {
    number: drawn.number,
    stages: isCall ? 2 : 1,
    chance: drawn.chance,
    called: isCall ? numbers.length : 0,
    never: m.left,
    population: m.population,
    found: m.found,
  };
  if (!isCall) round.seed = drawn.seed;
  m.round = round;
  m.roundsBegun++;
  m.putUp += isCall ? numbers.length : numbers.length - reviewed.size;
  m.validationsBegun++;
  m.firstValidationAfter ??= m.batchesClosed;
  m.validatedAfter = m.batchesClosed;
  m.drawFor = null;
  m.unreleasedNumbers = [];
}

export function sameNumbers(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}

export function sameReleases(a: readonly Release[], b: readonly Release[]): boolean {
  return (
    a.length === b.length &&
    a.every((release, i) => {
      const other = b[i]!;
      if (release.audience !== other.audience || release.entry !== other.entry || release.field !== other.field) return false;
      if (release.indices === null || other.indices === null) return release.indices === other.indices;
      return sameNumbers(release.indices, other.indices);
    })
  );
}
