/** The rows of a round for the report page. */

import type { Matter } from "./matter.ts";
import { TWO64 } from "./numbers.ts";
import { Camera, type Round } from "./round.ts";
import { applyRule } from "./rules.ts";
import { Disposition, Flag, type PositionColumns, type RoundReport } from "./verdict.ts";

interface Close {
  readonly compelled: boolean;
  readonly responsive: readonly number[];
  readonly sampled: number;
  readonly threshold: number;
  readonly truth: { readonly responsive: number; readonly revealed: number } | null;
}

/** The chances of positions that a coin decides about, where the copy tells them. */
function chancesOf(m: Matter, round: Round): (position: number) => bigint | null {
  if (round.seed === null || !round.labelsShown) return () => null;
  if (round.sort === "batch") {
    const { chances } = applyRule(
      m.numbers.rule,
      round.labels!,
      round.reportedThreshold,
      (position) => round.coin(position),
      (position) => round.settled(position),
      new Set(round.sheet.late.keys()),
    );
    return (position) => chances.get(position) ?? null;
  }
  if (round.sort === "escalation") return (position) => (round.givenUp!.has(position) ? null : m.roundChance);
  const { stages, chance, called } = round.validation!;
  if (stages === 1) return () => chance;
  const { show, review } = m.numbers.validation!;
  return (position) => (position > called ? (review! * show) / TWO64 : round.alice(position) === false ? show : null);
}

function disposition({ sheet }: Round, position: number): Disposition {
  if (sheet.isShown(position)) return Disposition.Shown;
  if (sheet.camera[position] === Camera.Upheld) return Disposition.Privileged;
  if (sheet.camera[position] === Camera.NotResponsive) return Disposition.KeptInCamera;
  return sheet.camera[position] === Camera.Kept ? Disposition.Unknown : Disposition.Withheld;
}

function columnsOf(m: Matter, round: Round): PositionColumns {
  const { size, sheet } = round;
  const places = new Map<bigint, number>();
  const columns = {
    disposition: new Uint8Array(size),
    wave: sheet.wave.slice(1),
    flags: new Uint8Array(size),
    chance: new Uint32Array(0),
    coin: new BigUint64Array(0),
  };
  const chances = chancesOf(m, round);
  for (let index = 0; index < size; index++) {
    const position = index + 1;
    columns.disposition[index] = disposition(round, position);
    if (round.alice(position) === true) columns.flags[index]! |= Flag.Reported;
    if (sheet.unread[position] === 1) columns.flags[index]! |= Flag.Unread;
    if (sheet.late.has(position)) columns.flags[index]! |= Flag.Late;
    const chance = chances(position);
    // The coin of a validation is that of the document's number.
    if (chance === null || (round.sort === "validation" && round.docs[index]?.number == null)) continue;
    let place = places.get(chance);
    if (places.size === 0) {
      columns.chance = new Uint32Array(size);
      columns.coin = new BigUint64Array(size);
    }
    if (place === undefined) places.set(chance, (place = places.size + 1));
    columns.chance[index] = place;
    columns.coin[index] = round.coin(position);
  }
  return { ...columns, chances: [...places.keys()].map(String) };
}

/** The report of a round that is closed, or still open (`close` is null then). */
export function reportOfRound(m: Matter, round: Round, closedBy: number | null, close: Close | null): RoundReport {
  const { sheet } = round;
  const listed = new Set(close?.responsive ?? []);
  const shown = sheet.count((p) => sheet.isShown(p));
  const isUnknownToAlice = (p: number): boolean => round.validation?.stages === 1 && !round.reviewed.has(p);
  return {
    round: round.number,
    sort: round.sort,
    closed: closedBy,
    size: round.size,
    report: round.lookOrderedAway ? "ordered away" : round.report,
    threshold: close?.threshold ?? null,
    compelledAt: null,
    sampled: close?.sampled ?? null,
    compelled: close?.compelled ?? null,
    shown,
    found: close === null ? null : sheet.count((p) => sheet.isShown(p) && listed.has(p)),
    unread: sheet.count((p) => sheet.unread[p] === 1),
    unproven: null,
    disputes: round.disputes.length,
    aliceErrors: round.labelsShown ? round.disputes.filter((d) => d.ruling === d.bob && !isUnknownToAlice(d.position)).length : null,
    draw: round.draw,
    givenUp: round.givenUp?.size ?? null,
    chance: round.sort === "escalation" && close !== null && m.roundChance !== null ? String(m.roundChance) : null,
    after: null,
    truth: close?.truth ?? null,
    positions: m.options.withoutPositions === true ? null : columnsOf(m, round),
  };
}
