/** What is due in a round at a moment: what the next wave or `camera` must be. */

import { chanceNeeded, withinLimit } from "./certificate.ts";
import { booksOf, type Matter } from "./matter.ts";
import { TWO64 } from "./numbers.ts";
import type { Round, Sheet } from "./round.ts";
import { applyRule, type Ruled } from "./rules.ts";

const MOST_IN_A_WAVE = 4096;

export interface Due {
  /** By position. */
  readonly due: Uint8Array;
  /** In a batch with a report. */
  readonly ruled: Ruled | null;
  /** In an escalation whose chance is fixed. */
  readonly chance: bigint | null;
}

/** The chance of an escalation once all that was given up is decided. */
export interface EscalationChance {
  /** Null if nothing more is due: the certificate is met, or nothing is withheld. */
  readonly chance: bigint | null;
  readonly lowered: boolean;
}

/** Whether everything that Alice gave up is settled, unread or kept from Bob. */
export function isGivenUpDecided(round: Round, sheet: Sheet): boolean {
  for (const position of round.givenUp!) {
    if (round.settled(position, sheet) === null && !sheet.isKept(position)) return false;
  }
  return true;
}

export function escalationChance(m: Matter, round: Round, sheet: Sheet): EscalationChance {
  let { found, credit } = m;
  for (const position of round.givenUp!) {
    if (sheet.unread[position] === 1 || round.settled(position, sheet) !== true) continue;
    const doc = round.docs[position - 1]!;
    found++;
    if (!doc.beforehand) credit += doc.exposure;
  }
  const withheld = round.docs.filter((_, i) => !round.givenUp!.has(i + 1)).map((doc) => doc!);
  const chance = chanceNeeded(booksOf(found, m.hits, credit, withheld), m.numbers.target!, m.boundary);
  if (chance === null) return { chance: null, lowered: false };
  return withinLimit(chance, withheld.length, m.allowance);
}

function dueInBatch(m: Matter, round: Round, sheet: Sheet): Due {
  if (round.report === "ordered away") return { due: everything(round), ruled: null, chance: null };
  const ruled = applyRule(
    m.numbers.rule,
    round.labels!,
    round.reportedThreshold,
    (position) => round.coin(position),
    (position) => round.settled(position, sheet),
    new Set(sheet.late.keys()),
  );
  return { due: ruled.due, ruled, chance: null };
}

function dueInEscalation(m: Matter, round: Round, sheet: Sheet): Due {
  const due = new Uint8Array(round.size + 1);
  for (const position of round.givenUp!) due[position] = 1;
  if (!isGivenUpDecided(round, sheet)) return { due, ruled: null, chance: null };
  const { chance } = escalationChance(m, round, sheet);
  if (chance === null) return { due, ruled: null, chance: 0n };
  for (let position = 1; position <= round.size; position++) {
    if (due[position] === 1) continue;
    if (sheet.late.has(position) || (round.seed !== null && round.coin(position) < chance)) due[position] = 1;
  }
  return { due, ruled: null, chance };
}

function dueInValidation(m: Matter, round: Round, sheet: Sheet): Due {
  const { stages, called } = round.validation!;
  if (stages === 1) return { due: everything(round), ruled: null, chance: null };
  const due = new Uint8Array(round.size + 1);
  const show = m.numbers.validation!.show;
  const both = (m.numbers.validation!.review! * show) / TWO64;
  for (let position = 1; position <= round.size; position++) {
    if (round.report === "ordered away") due[position] = position <= called ? 1 : 0;
    else if (sheet.late.has(position) || round.alice(position) === true) due[position] = 1;
    else due[position] = round.coin(position) < (position <= called ? show : both) ? 1 : 0;
  }
  return { due, ruled: null, chance: null };
}

function everything(round: Round): Uint8Array {
  return new Uint8Array(round.size + 1).fill(1, 1);
}

export function dueNow(m: Matter, round: Round, sheet: Sheet): Due {
  if (round.sort === "batch") return dueInBatch(m, round, sheet);
  if (round.sort === "escalation") return dueInEscalation(m, round, sheet);
  return dueInValidation(m, round, sheet);
}

/** Whether the court must see a position before Bob does. */
export function needsCamera(m: Matter, round: Round, sheet: Sheet, position: number): boolean {
  if (sheet.camera[position] !== 0) return false;
  if (round.sort === "validation" && m.terms.validation!.viewer === "court") return true;
  const claim = round.claim(position, sheet);
  if (!round.isClaimed(position, sheet) && !(claim === undefined && round.toldClaimed.has(position))) return false;
  return !(claim != null && claim.class !== null && round.alice(position) === true);
}

export interface NextStep {
  readonly kind: "camera" | "wave" | "nothing";
  readonly positions: readonly number[];
}

/** What must come next in a round, of waves and `camera`s. */
export function nextStep(m: Matter, round: Round, sheet: Sheet): NextStep {
  const { due } = dueNow(m, round, sheet);
  const wave: number[] = [];
  for (let position = 1; position <= round.size && wave.length < MOST_IN_A_WAVE; position++) {
    if (due[position] === 1 && !sheet.isShown(position) && !sheet.isKept(position)) wave.push(position);
  }
  const camera = wave.filter((position) => needsCamera(m, round, sheet, position));
  if (camera.length > 0) return { kind: "camera", positions: camera };
  return wave.length > 0 ? { kind: "wave", positions: wave } : { kind: "nothing", positions: [] };
}
