/** The rules of `closed`: whether the round was what it should have been, and what follows from it. */

import { needDueAlone } from "./alone.ts";
import { evidenceOf } from "./bound.ts";
import { keepBooks } from "./books.ts";
import type { Entry } from "./chain.ts";
import { dueNow, escalationChance, needsCamera, nextStep, type Due } from "./due-positions.ts";
import { need, type Matter } from "./matter.ts";
import { Camera, Sheet, type Round } from "./round.ts";
import { reportOfRound } from "./round-report.ts";
import type { Release } from "./shapes.ts";
import { isAscending } from "./shapes.ts";
import { seedOf, spendLink } from "./step-draws.ts";
import { sameNumbers, sameReleases } from "./step-validation.ts";
import { claimsNotDue, needNothingDisputed, needOpenRound } from "./step-waves.ts";
import { proveValidation, rangeOf } from "./validation-proof.ts";

interface Closed {
  readonly compelled: boolean;
  readonly draw: number | null;
  readonly error: number;
  readonly link: string | null;
  readonly responsive: readonly number[];
  readonly sampled: number;
  readonly threshold: number;
  readonly truth: { readonly responsive: number; readonly revealed: number } | null;
}

export function closed(m: Matter, entry: Entry): void {
  const round = needOpenRound(m, entry); // 1 to 3
  needNothingDisputed(round); // 4
  const content = entry.statement.content as unknown as Closed;
  if (round.draw !== null) {
    spendLink(m, "trent", "trent", round.draw, content.draw, content.link); // 5, 6
    round.seed = seedOf(m, round.answers!);
  } else {
    need(content.draw === null && content.link === null, "V08", "Without a report or a look, and in a validation in one stage: `draw` and `link` are null."); // 7
  }
  const releases = releasesDue(m, round);
  need(sameReleases(entry.body.releases, releases), "V16", "It releases to Bob the report's `labels` and `threshold`, with null, and nothing else."); // 8
  need((content.truth !== null) === m.isSimulation, "V16", "`truth` is stated in a simulation, and is null elsewhere."); // 9
  needPlausible(round, content); // 10
  let due: Due | null = null;
  if (isJudged(m, round)) {
    needDueSteps(m, round); // 11, 12
    due = dueNow(m, round, round.sheet);
    needOutcome(round, content, due); // 13
  } else if (m.alone !== null) needDueAlone(m, round);
  finish(m, entry, round, content, due);
}

function releasesDue(m: Matter, round: Round): Release[] {
  const releases: Release[] = [];
  if (round.reportEntry === null) return releases;
  if (round.reportSealsLabels) releases.push({ audience: "bob", entry: round.reportEntry, field: "labels", indices: null });
  if (round.sort === "batch" && m.terms.protocol === "classifier") {
    releases.push({ audience: "bob", entry: round.reportEntry, field: "threshold", indices: null });
  }
  return releases;
}

/** What every copy can tell. */
function needPlausible(round: Round, content: Closed): void {
  const { responsive, threshold, error, sampled } = content;
  const listed = new Set(responsive);
  let fits = isAscending(responsive) && responsive.every((position) => position <= round.size);
  fits &&= Math.max(threshold, error, sampled) <= round.size;
  for (let position = 1; fits && position <= round.size; position++) {
    if (round.sheet.isUnclear(position)) continue;
    const settled = round.settled(position);
    if (settled !== null && settled !== listed.has(position)) fits = false;
  }
  need(fits, "V16", "`responsive` is ascending, in the round, and as settled for every position that is settled. `threshold`, `error` and `sampled` are at most the round's size.");
}

/** Whether the copy shows enough to try the waves. */
function isJudged(m: Matter, round: Round): boolean {
  if (!round.labelsShown) return false;
  if (round.sort === "batch") return true;
  if (m.alone !== null) return round.validation?.stages === 1;
  if (!m.allShown) return false;
  if (round.sort === "escalation" || round.validation!.stages === 1 || round.report === "ordered away") return true;
  return round.docs.every((doc) => doc !== null && doc.number !== null);
}

/** Tries the waves and `camera`s again, in the order in which they happened. */
function needDueSteps(m: Matter, round: Round): void {
  const sheet = new Sheet(round.size);
  for (const event of round.events) {
    if (event.kind === "camera" || event.kind === "wave") {
      const expected = nextStep(m, round, sheet);
      const fits = expected.kind === event.kind && sameNumbers(expected.positions, event.positions);
      if (!fits) {
        const isPrivilege = event.kind === "camera" || event.positions.some((p) => needsCamera(m, round, sheet, p));
        const found = `${event.kind} of ${event.positions.length} in entry ${event.entry}`;
        const wanted = `${expected.kind} of ${expected.positions.length}`;
        need(!isPrivilege, "V25", "What Alice claims goes to the court before Bob when it is due, and nothing else does.", wanted, found);
        need(false, "V13", "Each wave, in order, is what was due.", wanted, found);
      }
    }
    sheet.apply(event);
  }
  const left = nextStep(m, round, sheet);
  need(left.kind === "nothing", "V13", "Everything that was due was shown.", `${left.positions.length} more`, null);
}

/** The label with which a position leaves the round. */
function output(round: Round, position: number): boolean {
  const settled = round.settled(position);
  if (settled !== null) return settled;
  return round.sort !== "escalation" && round.alice(position) === true;
}

function needOutcome(round: Round, content: Closed, due: Due): void {
  const { sheet } = round;
  const expected = { compelled: false, error: 0, sampled: 0, threshold: 0 };
  const { ruled } = due;
  if (ruled !== null) {
    expected.compelled = ruled.compelledAt !== null;
    expected.error = ruled.error;
    expected.threshold = ruled.threshold;
    expected.sampled = ruled.drawn.reduce((sum, drawn) => sum + drawn, 0);
  } else if (round.sort === "escalation") {
    expected.sampled = sheet.count((p) => !round.givenUp!.has(p) && due.due[p] === 1);
  } else if (round.sort === "validation") {
    const isFalse = (p: number): boolean => round.alice(p) === false && due.due[p] === 1;
    if (round.validation!.stages === 1) expected.sampled = round.size;
    else if (round.report !== "ordered away") expected.sampled = sheet.count(isFalse);
  }
  const responsive = sheet.list((position) => output(round, position));
  const rule = "`responsive`, `compelled`, `error`, `sampled` and `threshold` follow from the round.";
  for (const [name, value] of Object.entries(expected)) {
    const stated = content[name as keyof typeof expected];
    need(stated === value, "V16", rule, `${name} ${value}`, `${name} ${stated}`);
  }
  need(sameNumbers(responsive, content.responsive), "V16", rule, `responsive: ${responsive.length}`, `responsive: ${content.responsive.length}`);
}

function finish(m: Matter, entry: Entry, round: Round, content: Closed, due: Due | null): void {
  const { sheet } = round;
  const listed = new Set(content.responsive);
  if (!round.labelsShown) m.allShown = false;
  if (!round.reportOpensAllClaims) m.allClaimsOpened = false;
  const chance = m.allShown && round.sort === "escalation" ? escalationChance(m, round, sheet) : null;
  const state = round.sort === "validation" ? proveValidation(m, round, listed) : null;
  const hitsBefore = m.hits;
  if (m.allShown) {
    keepBooks(m, round, chance?.chance ?? null);
    if (chance?.lowered === true) m.limitUsedUp = true;
    keepEvidence(m, round, due, listed);
  }
  countLabels(m, round, listed);
  m.roundChance = chance?.chance ?? null;
  const report = reportOfRound(m, round, entry.body.sequence, content);
  count(m, round, content, listed);
  m.rounds.push({
    ...report,
    compelledAt: due?.ruled?.compelledAt ?? null,
    unproven: m.allShown && isUnderPapersRule(m, round) ? m.evidence.at(-1)!.unproven : null,
    after: chance === null ? null : { hits: m.hits - hitsBefore, atMost: m.certified.atMost, met: m.certified.met, lowered: chance.lowered },
  });
  m.privilege.push(...claimsNotDue(round));
  m.reviewed = m.putUp;
  if (state !== null) {
    m.validations.push(state);
    if (state.reached) m.validationReached = true;
  }
  m.round = null;
  m.draw = null;
  m.drawFor = null;
  m.stampedSince = false;
  m.loggedSince = false;
}

/** The training set: who is responsive in it, and who is not. */
function countLabels(m: Matter, round: Round, listed: ReadonlySet<number>): void {
  if (round.sort === "batch") {
    m.trainedTrue += listed.size;
    m.trainedFalse += round.size - listed.size;
    return;
  }
  for (let position = 1; position <= round.size; position++) {
    const isNew = round.sort === "validation" && !round.reviewed.has(position);
    const isCalled = isNew && round.validation!.stages === 2;
    const responsive = listed.has(position);
    if (isNew) {
      // What is withheld as privileged is not trained on, unless it was called.
      if (!isCalled && round.sheet.isPrivileged(position)) continue;
      if (!isCalled && round.sheet.camera[position] === Camera.Kept) {
        m.mayBeTrainedFalse = true;
        continue;
      }
      if (responsive) m.trainedTrue++;
      else m.trainedFalse++;
    } else if (responsive && round.sheet.isShown(position)) {
      // It was withheld, and so labelled not responsive before.
      m.trainedTrue++;
      m.trainedFalse--;
    }
  }
}

/** Counts for the claims, and what becomes of the documents. */
function count(m: Matter, round: Round, content: Closed, listed: ReadonlySet<number>): void {
  const { sheet } = round;
  let shown = 0;
  let found = 0;
  for (let position = 1; position <= round.size; position++) {
    const doc = round.docs[position - 1] ?? null;
    if (sheet.isShown(position)) {
      shown++;
      if (listed.has(position)) m.responsiveShown++;
      if (listed.has(position) && sheet.unread[position] !== 1) found++;
      if (round.sort === "escalation" && !round.givenUp!.has(position)) m.shownInEscalations++;
    }
    if (sheet.isKept(position)) m.keptTotal++;
    if (doc !== null) {
      if (sheet.isShown(position)) doc.shown = true;
      if (sheet.camera[position] === Camera.Upheld) doc.privileged = true;
      if (sheet.camera[position] === Camera.NotResponsive) doc.keptInCamera = true;
      if (m.allShown) m.known.settle(doc);
    }
    const hasOwnLabel = round.reportEntry !== null && (round.sort === "batch" || position <= round.validation!.called);
    if (hasOwnLabel && round.alice(position) === false) m.labelledFalse++;
  }
  m.shownTotal += shown;
  m.revealed += shown;
  m.found += found;
  m.disputes += round.disputes.length;
  for (const { position, ruling, bob } of round.disputes) {
    const isUnknownToAlice = round.sort === "validation" && round.validation!.stages === 1 && !round.reviewed.has(position);
    if (!isUnknownToAlice && ruling === bob) m.aliceErrors++;
  }
  if (content.compelled) m.compelledRounds++;
  if (content.truth !== null) m.truthRevealed += content.truth.revealed;
  if (round.sort === "batch") {
    m.batchesClosed++;
    m.foundByBatch.push(found);
  }
  m.withheld = m.withheld.filter((doc) => !doc.isOut);
  if (round.reportEntry !== null) {
    const own = round.sort === "batch" ? round.size : round.validation!.called;
    for (let position = 1; position <= own; position++) {
      const doc = round.docs[position - 1]!;
      if (round.alice(position) === false && !doc.isOut) m.withheld.push(doc);
    }
  }
  if (round.report !== "sealed") {
    m.tally("V13");
    m.tally("V16");
    m.tally("V25", sheet.count((p) => sheet.camera[p] !== Camera.None));
  }
  m.shownAt.set(round.number, Uint8Array.from(sheet.wave, (wave) => (wave === 0 ? 0 : 1)));
  m.closed.push({
    row: {
      compelled: content.compelled,
      error: content.error,
      near_cut: round.nearCut,
      round: round.number,
      sampled: content.sampled,
      size: round.size,
      sort: round.sort,
      threshold: content.threshold,
    },
    privileged: rangeOf(round, (p) => sheet.isPrivileged(p), (p) => sheet.camera[p] === Camera.Kept),
    inCamera: rangeOf(round, (p) => sheet.camera[p] === Camera.NotResponsive, (p) => sheet.camera[p] === Camera.Kept),
    unread: rangeOf(round, (p) => sheet.unread[p] === 1 && sheet.camera[p] !== Camera.Passed, (p) => sheet.unread[p] === 1),
    kept: sheet.count((p) => sheet.isKept(p)),
  });
}

/** Whether the coins of a round count for the bound. */
function isUnderPapersRule(m: Matter, round: Round): boolean {
  return round.sort === "batch" && m.terms.protocol !== "spot-check";
}

/** What the bound needs of a batch round under the paper's rules, as the round stands at its own close. */
function keepEvidence(m: Matter, round: Round, due: Due | null, listed: ReadonlySet<number>): void {
  if (!isUnderPapersRule(m, round)) return;
  const { sheet } = round;
  const unread = new Set(sheet.list((position) => sheet.unread[position] === 1));
  const seen = (position: number): boolean => sheet.isShown(position) || sheet.isLabelledInCamera(position);
  const ruled = due?.ruled ?? null;
  if (ruled === null) {
    // The report was ordered away: no coin decides.
    const isUnproven = (p: number): boolean => (!seen(p) || unread.has(p)) && !sheet.isPrivileged(p) && !listed.has(p);
    m.evidence.push({ compelled: unread.size > 0, found: [], missed: [], unproven: unread.size > 0 ? sheet.count(isUnproven) : 0 });
    return;
  }
  m.evidence.push(
    evidenceOf(m.numbers.rule, {
      labels: round.labels!,
      reportedThreshold: round.reportedThreshold,
      coins: (position) => round.coin(position),
      settled: (position) => round.settled(position),
      seen,
      counted: new Set(sheet.late.keys()),
      privileged: new Set(sheet.list((position) => sheet.isPrivileged(position))),
      unread,
      output: (position) => listed.has(position),
      ruled,
    }),
  );
}
