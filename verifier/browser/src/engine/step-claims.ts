/** The rules of `claims`: whether what Trent claims follows from the entries. */

import { bound } from "./bound.ts";
import type { Entry } from "./chain.ts";
import { textOf, type Json } from "./json.ts";
import { need, type Matter, type Range } from "./matter.ts";
import { needNoEscalation, needNoValidation, needWitnesses, tellsTheEnd } from "./step-draws.ts";
import type { Certificate, ClaimsReport } from "./verdict.ts";

export const ASSUMES = "Bob recognises every responsive document that he is shown, and the court rules rightly, on privilege too.";
export const GUARANTEES: Readonly<Record<string, string>> = {
  "reveal-all": "In each round Bob was shown every document of the batch, apart from what the court withheld as privileged.",
  label:
    "In each round, whatever Alice reports, with probability at least 1 - delta either the whole batch was disclosed or at most " +
    "err* + k - 1 of its responsive documents were not, err* being the least error that any threshold has on the true labels. " +
    "This leaves aside what the court withheld as privileged, and rounds in which Bob left documents unread.",
  classifier:
    "In each round, whatever threshold Alice reports, with probability at least 1 - delta at most 3 err* of the batch's responsive " +
    "documents were not disclosed, err* being the least error that any threshold has on the true labels. This leaves aside what " +
    "the court withheld as privileged, and rounds in which Bob left documents unread.",
  "spot-check":
    "Whatever Alice did, with confidence 1 - doubt Bob has at least the target share of the responsive documents that were reviewed, " +
    "or these claims say that the target was not reached. This leaves aside what the court withheld as privileged, and documents " +
    "that were never reviewed.",
};

type Content = Readonly<Record<string, Json>>;
interface Row {
  readonly [name: string]: Json;
}

export function claims(m: Matter, entry: Entry): void {
  const content = entry.statement.content as Content;
  need(entry.statement.round === 0, "V05", "`round` is 0."); // 1
  need(m.round === null && m.drawFor === null, "V05", "No round is open, and no draw is under way."); // 2
  needWitnesses(m); // 3, 4
  if (tellsTheEnd(m)) need(m.isOver, "V29", "T batch rounds are closed, or no document is left, or a validation has reached its target."); // 5
  needNoValidation(m); // 6
  needNoEscalation(m); // 7
  const ended = reasonOfEnd(m);
  if (tellsTheEnd(m)) need(content["ended"] === ended, "V29", "`ended` says why the review is over.", ended, String(content["ended"])); // 8
  needAgreement(compareCounts(m, content), "V17", "All numbers and texts of the claims follow from the entries."); // 9
  if (m.allShown) needAgreement(compareCertificates(m, content), "V18", "`certificates` are those that follow, and so are `at_most`, `total` and `reached` of each validation."); // 10
  m.tally("V17", Object.keys(content).length);
  m.hasClaims = true;
  m.claimsEntry = entry.body.sequence;
  const stated = content["certificates"] as unknown as { reviewed: Row; collection: Row };
  m.claims = {
    guarantee: content["guarantee"] as string,
    ended: content["ended"] as string,
    reviewed: certificateOf(stated.reviewed),
    collection: certificateOf(stated.collection),
    content,
  };
}

function certificateOf(row: Row): Certificate {
  return {
    found: row["found"] as number,
    atMost: row["at_most"] as number | null,
    doubt: row["doubt"] as string,
    target: row["target"] as string | null,
    reached: row["reached"] as boolean | null,
    unreviewed: (row["unreviewed"] as number | undefined) ?? null,
    assumes: row["assumes"] as string,
  };
}

function reasonOfEnd(m: Matter): string {
  if (m.validationReached) return "validation";
  if (m.left === 0) return "documents";
  return m.T !== m.terms.rounds ? "amendment" : "rounds";
}

/** A field of the claims, such as `found`: what Trent claims, and what follows from the entries. */
interface ClaimRow {
  readonly field: string;
  readonly claimed: string;
  readonly follows: string;
  readonly agrees: boolean;
}

function needAgreement(rows: readonly ClaimRow[], check: string, rule: string): void {
  for (const { field, claimed, follows, agrees } of rows) need(agrees, check, rule, `${field}: ${follows}`, `${field}: ${claimed}`);
}

/** A number that the copy tells exactly, or within a range. */
function rowOf(field: string, claimed: Json, expected: Json | Range): ClaimRow {
  if (typeof expected === "object" && expected !== null && "low" in expected && "high" in expected) {
    const { low, high } = expected as Range;
    const value = claimed as number;
    const text = low === high ? `${low}` : `${low} to ${high}`;
    return { field, claimed: `${value}`, follows: text, agrees: value >= low && value <= high };
  }
  const [stated, follows] = [textOf(claimed), textOf(expected as Json)];
  return { field, claimed: stated, follows, agrees: stated === follows };
}

/** Step 9. */
function compareCounts(m: Matter, content: Content): ClaimRow[] {
  const sum = (pick: (row: (typeof m.closed)[number]) => Range): Range => ({
    low: m.closed.reduce((total, row) => total + pick(row).low, 0),
    high: m.closed.reduce((total, row) => total + pick(row).high, 0),
  });
  const expected: Record<string, Json | Range> = {
    alice_errors: m.aliceErrors,
    clawed_back: m.clawedBack,
    compelled_rounds: m.compelledRounds,
    defaults: m.defaults,
    disputes: m.disputes,
    found: m.responsiveShown,
    guarantee: GUARANTEES[m.terms.protocol]!,
    in_camera: sum((row) => row.inCamera),
    nrd: m.revealed - m.responsiveShown,
    privileged: sum((row) => row.privileged),
    revealed: m.revealed,
    reviewed: m.putUp,
    truth: m.opening!.simulation === null ? null : { responsive: m.opening!.simulation.responsive, revealed: m.truthRevealed },
  };
  const rows = Object.entries(expected).map(([field, value]) => rowOf(field, content[field]!, value));
  const kept = m.closed.reduce((total, row) => total + row.kept, 0);
  const together = (content["privileged"] as number) + (content["in_camera"] as number);
  rows.push(rowOf("privileged + in_camera", together, kept));
  const rounds = content["rounds"] as unknown as Row[];
  rows.push(rowOf("number of rounds", rounds.length, m.closed.length));
  let privileged = 0;
  rounds.forEach((claimed, i) => {
    const closed = m.closed[i];
    privileged += claimed["privileged"] as number;
    if (closed === undefined) return;
    const name = `rounds[${i}]`;
    for (const [field, value] of Object.entries(closed.row)) rows.push(rowOf(`${name}.${field}`, claimed[field]!, value));
    rows.push(rowOf(`${name}.privileged`, claimed["privileged"]!, closed.privileged), rowOf(`${name}.unread`, claimed["unread"]!, closed.unread));
  });
  rows.push(rowOf("privileged of all rounds", privileged, content["privileged"]!));
  const validations = content["validations"] as unknown as Row[];
  rows.push(rowOf("number of validations", validations.length, m.validations.length));
  validations.forEach((claimed, i) => {
    const state = m.validations[i];
    if (state === undefined) return;
    const name = `validations[${i}]`;
    for (const field of ["number", "round", "called", "unread"] as const) rows.push(rowOf(`${name}.${field}`, claimed[field]!, state[field]));
    for (const stratum of ["never", "withheld"] as const) {
      const inside = claimed[stratum] as unknown as Row;
      for (const field of ["documents", "shown", "hits"] as const) rows.push(rowOf(`${name}.${stratum}.${field}`, inside[field]!, state[stratum][field]));
    }
  });
  return rows;
}

/** What could be claimed if nothing more came; null where the copy does not show all labels, or no round is closed. */
export function claimsSoFar(m: Matter): ClaimsReport | null {
  if (!m.allShown || m.closed.length === 0) return null;
  const stated = certificatesOf(m, m.documents - m.reviewed) as unknown as { reviewed: Row; collection: Row };
  return {
    guarantee: GUARANTEES[m.terms.protocol]!,
    ended: null,
    reviewed: certificateOf(stated.reviewed),
    collection: certificateOf(stated.collection),
    content: { reviewed: m.reviewed, privileged: m.closed.reduce((total, row) => total + row.privileged.low, 0) },
  };
}

/** The two certificates that follow from the entries, where the copy shows all labels. `left` documents were never reviewed. */
function certificatesOf(m: Matter, left: number): Json {
  const { validation } = m.terms;
  const found = m.found;
  let reviewed: { at_most: number; target: string | null; reached: boolean | null };
  if (m.terms.protocol === "spot-check") {
    const { atMost, met } = m.certified;
    reviewed = { at_most: atMost, target: m.terms.target!, reached: met };
  } else reviewed = { at_most: boundOf(m), target: null, reached: null };
  let least: number | null = null;
  for (const { atMost } of m.validations) if (atMost !== null && (least === null || atMost < least)) least = atMost;
  if (least === null && left === 0) least = reviewed.at_most;
  const target = m.numbers.validation?.target ?? null;
  const reached =
    target === null ? null : least !== null && BigInt(found) * target.den >= target.num * BigInt(found + least);
  const common = { assumes: ASSUMES, doubt: m.terms.doubt, found };
  return {
    collection: { ...common, at_most: least, reached, target: validation?.target ?? null, unreviewed: left },
    reviewed: { ...common, ...reviewed },
  };
}

function boundOf(m: Matter): number {
  const called = m.withheld.filter((doc) => doc.isCalled).length;
  return bound(m.terms.protocol, m.numbers.doubt, m.evidence) + called;
}

/** Step 10, where the copy shows all labels. */
function compareCertificates(m: Matter, content: Content): ClaimRow[] {
  const rows: ClaimRow[] = [];
  const stated = content["certificates"] as unknown as Record<string, Row>;
  const expected = certificatesOf(m, m.left) as unknown as Record<string, Row>;
  for (const name of ["reviewed", "collection"]) {
    for (const [field, value] of Object.entries(stated[name]!)) rows.push(rowOf(`certificates.${name}.${field}`, value, expected[name]![field]!));
  }
  (content["validations"] as unknown as Row[]).forEach((claimed, i) => {
    const { atMost, total, reached } = m.validations[i]!;
    for (const [field, value] of Object.entries({ at_most: atMost, total, reached })) rows.push(rowOf(`validations[${i}].${field}`, claimed[field]!, value));
  });
  return rows;
}
