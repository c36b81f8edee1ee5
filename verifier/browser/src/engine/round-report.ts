/** The rows of a round for the report page. */

import { hex } from "./bytes.ts";
import type { Matter } from "./matter.ts";
import { TWO64 } from "./numbers.ts";
import { Camera, type Round } from "./round.ts";
import { applyRule } from "./rules.ts";
import type { Disposition, PositionRow, RoundReport } from "./verdict.ts";

interface Close {
  readonly compelled: boolean;
  readonly error: number;
  readonly responsive: readonly number[];
  readonly sampled: number;
  readonly threshold: number;
  readonly truth: { readonly responsive: number; readonly revealed: number } | null;
}

/** The chances of positions that a coin decides about, where the copy tells them. */
function chancesOf(m: Matter, round: Round): (position: number) => bigint | null {
  if (round.seed === null || !round.labelsShown || m.audience === "public") return () => null;
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

function disposition(round: Round, position: number, isClosed: boolean): Disposition {
  const { sheet } = round;
  if (sheet.isShown(position)) return "shown";
  if (sheet.camera[position] === Camera.Upheld) return "privileged";
  if (sheet.camera[position] === Camera.NotResponsive) return "kept in camera";
  if (sheet.camera[position] === Camera.Kept) return "unknown";
  return isClosed ? "withheld" : "pending";
}

function positionRows(m: Matter, round: Round, close: Close | null): PositionRow[] {
  const { sheet } = round;
  const listed = new Set(close?.responsive ?? []);
  const chances = chancesOf(m, round);
  const rows: PositionRow[] = [];
  for (let position = 1; position <= round.size; position++) {
    const doc = round.docs[position - 1] ?? null;
    const chance = chances(position);
    const coin = chance !== null && (round.sort !== "validation" || doc?.number != null) ? round.coin(position) : null;
    const isLabelled = sheet.isLabelledInCamera(position);
    rows.push({
      position,
      document: doc?.number ?? null,
      name: doc?.name ?? null,
      alice: round.labels === null || m.audience === "public" ? null : (round.labels[position - 1] ?? null),
      bob: sheet.bob(position),
      court: isLabelled ? sheet.camera[position] === Camera.Responsive : sheet.ruling(position),
      inCamera: sheet.camera[position] !== Camera.None,
      output: close === null ? null : listed.has(position),
      coin: coin === null ? null : String(coin),
      chance: chance === null ? null : String(chance),
      drawn: coin !== null && coin < chance!,
      late: sheet.late.has(position),
      unread: sheet.unread[position] === 1,
      claim: round.claim(position) ?? null,
      withheldParts: sheet.withheldParts.get(position) ?? [],
      wave: sheet.wave[position] === 0 ? null : sheet.wave[position]!,
      clawedBack: false,
      disposition: disposition(round, position, close !== null),
    });
  }
  return rows;
}

/** The report of a round that is closed, or still open (`close` is null then). */
export function reportOfRound(m: Matter, round: Round, closedBy: number | null, close: Close | null): RoundReport {
  const { sheet, events } = round;
  const listed = new Set(close?.responsive ?? []);
  const kept = sheet.count((p) => sheet.camera[p] === Camera.Kept);
  const shown = sheet.count((p) => sheet.isShown(p));
  const knowsAlice = round.labelsShown && m.audience !== "public";
  const isUnknownToAlice = (p: number): boolean => round.validation?.stages === 1 && !round.reviewed.has(p);
  return {
    round: round.number,
    sort: round.sort,
    first: round.first,
    closed: closedBy,
    size: round.size,
    chosen: round.chosen,
    nearCut: round.nearCut,
    report: round.report,
    threshold: close?.threshold ?? null,
    error: close?.error ?? null,
    sampled: close?.sampled ?? null,
    compelled: close?.compelled ?? null,
    shown,
    found: close === null ? null : sheet.count((p) => sheet.isShown(p) && listed.has(p)),
    privileged: kept > 0 ? null : sheet.count((p) => sheet.isPrivileged(p)),
    inCamera: kept > 0 ? null : sheet.count((p) => sheet.camera[p] === Camera.NotResponsive),
    unread: sheet.count((p) => sheet.unread[p] === 1),
    waves: events.flatMap((e) => (e.kind === "wave" ? [{ entry: e.entry, positions: e.positions.length }] : [])),
    cameras: events.flatMap((e) => (e.kind === "camera" ? [{ entry: e.entry, positions: e.positions.length }] : [])),
    disputes: round.disputes,
    aliceErrors: knowsAlice ? round.disputes.filter((d) => d.ruling === d.bob && !isUnknownToAlice(d.position)).length : null,
    draw: round.draw,
    seed: round.seed === null ? null : hex(round.seed),
    givenUp: round.givenUp?.size ?? null,
    chance: round.sort === "escalation" && close !== null && m.roundChance !== null ? String(m.roundChance) : null,
    escalation: null,
    truth: close?.truth ?? null,
    positions: m.options.withoutPositions === true ? [] : positionRows(m, round, close),
  };
}
