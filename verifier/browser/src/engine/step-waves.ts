/** The rules of what happens within a round: `camera`, `privilege`, `late`, `claim`, `disclosure`, `labels`, `dispute`, `rulings`. */

import type { Entry } from "./chain.ts";
import { escalationChance } from "./due-positions.ts";
import { need, needFrom, type Matter } from "./matter.ts";
import { followProofs } from "./proofs.ts";
import { Camera, type Claim, type Place, type Round } from "./round.ts";
import { isAscending, type Release } from "./shapes.ts";
import { needWithinShare } from "./step-batch.ts";
import { sameNumbers, sameReleases } from "./step-validation.ts";
import { namesClass, openedValues, readClaim, readReason, sealedCount } from "./values.ts";
import type { PrivilegeRow, Role } from "./verdict.ts";

/** What every entry within a round obeys. */
export function needOpenRound(m: Matter, entry: Entry): Round {
  const { round } = m;
  need(round !== null, "V05", "A round is open, and the coins of its draw are fixed, or it has none."); // 1
  need(entry.statement.round === round.number, "V05", "`round` is the open one.", `${round.number}`, `${entry.statement.round}`); // 2
  if (m.allShown && round.lookOrderedAway && round.draw === null) {
    const { chance } = escalationChance(m, round, round.sheet);
    need(chance === null || chance === 0n, "V27", "If the open round is an escalation whose look was ordered away: it has a draw, or its chance is 0."); // 3
  }
  return round;
}

/** Where Alice and Bob disagree and the court has not ruled. Nothing is disputed where there is no report. */
export function disputed(round: Round): number[] {
  if (round.report === "ordered away") return [];
  return round.sheet.list((position) => {
    const bob = round.sheet.bob(position);
    if (bob === null || bob === round.alice(position)) return false;
    return round.sheet.ruling(position) === null && !round.sheet.isLabelledInCamera(position);
  });
}

export function needNothingDisputed(round: Round): void {
  if (round.labelsShown) need(disputed(round).length === 0, "V15", "Nothing is disputed that the court has not ruled on.");
}

function inRound(round: Round, positions: readonly number[]): boolean {
  return isAscending(positions) && positions.every((position) => position <= round.size);
}

/** Releases of places, one for each entry that has some, by lists of indices. */
function releasesOf(field: string, places: readonly Place[]): Release[] {
  const byEntry = new Map<number, number[]>();
  for (const { entry, index } of places) {
    const indices = byEntry.get(entry);
    if (indices === undefined) byEntry.set(entry, [index]);
    else indices.push(index);
  }
  return [...byEntry]
    .sort((a, b) => a[0] - b[0])
    .map(([entry, indices]) => ({ audience: "bob", entry, field, indices: indices.sort((a, b) => a - b) }));
}

export function camera(m: Matter, entry: Entry): void {
  const round = needOpenRound(m, entry); // 1 to 3
  needNothingDisputed(round); // 4
  const positions = entry.statement.content["positions"] as number[];
  const fits = positions.length > 0 && inRound(round, positions) && positions.every((p) => !round.sheet.isShown(p) && !round.sheet.isRuledInCamera(p));
  need(fits, "V25", "The positions are ascending, at least one, in the round, and neither disclosed nor ruled on."); // 5
  const courtLooks = round.sort === "validation" && m.terms.validation!.viewer === "court";
  const claimed = courtLooks || positions.every((p) => round.sheet.late.has(p) || round.claims[p - 1] !== null);
  need(claimed, "V25", "Alice claims each of them, with a report or late; or the round is a validation whose `viewer` is `court`."); // 6
  const isUnknown = (p: number): boolean => !round.sheet.late.has(p) && round.claims[p - 1] === undefined && round.claimPlaces[p - 1] == null;
  const isToldByAll = !positions.some(isUnknown);
  if (courtLooks) learnFromReleases(round, positions, entry.body.releases);
  const bases = basesOf(round, positions, courtLooks);
  if (isToldByAll && bases !== null) {
    need(sameReleases(entry.body.releases, releasesOf("privilege", bases)), "V25", "It releases to Bob the bases of these claims, by a list of indices, and nothing else."); // 7
  }
  for (const position of positions) if (round.claim(position) === undefined) round.toldClaimed.add(position);
  round.happen({ kind: "camera", entry: entry.body.sequence, positions });
  round.inCamera = positions;
  followProofs(m, entry, round, positions, "camera"); // 8 to 15
}

/**
 * Where the court sees every position first, the releases of the `camera` tell which of them are claimed: the basis of
 * every claim among them goes to Bob. A claim of an unknown report is released of an entry before the round.
 */
function learnFromReleases(round: Round, positions: readonly number[], releases: readonly Release[]): void {
  const releasesEarlier = releases.some((release) => release.entry < round.first);
  for (const position of positions) {
    if (round.claims[position - 1] !== undefined) continue;
    const place = round.claimPlaces[position - 1] ?? null;
    const mayBeReleased =
      place === null ? releasesEarlier : releases.some((release) => release.entry === place.entry && release.indices?.includes(place.index) === true);
    if (!mayBeReleased) round.claims[position - 1] = null;
  }
}

/** Where the bases of claims are sealed; null where the copy does not tell. */
function basesOf(round: Round, positions: readonly number[], courtLooks: boolean): Place[] | null {
  const places: Place[] = [];
  for (const position of positions) {
    const late = round.sheet.late.get(position);
    if (late !== undefined) places.push(late.place);
    else {
      const claim = round.claims[position - 1];
      const place = round.claimPlaces[position - 1] ?? null;
      if (claim === null) continue;
      if (place === null || (claim === undefined && courtLooks)) return null;
      places.push(place);
    }
  }
  return places;
}

/** What the court's answer means for a position. */
function meaning(m: Matter, round: Round, position: number, upheld: boolean, parts: readonly number[]): Camera {
  const label = upheld ? Camera.NotResponsive : Camera.Responsive;
  const ruling = upheld ? Camera.Upheld : Camera.Overruled;
  if (parts.length > 0) return label;
  const courtLooks = round.sort === "validation" && m.terms.validation!.viewer === "court";
  const late = round.sheet.late.get(position);
  const claim = round.claim(position);
  if (claim === null) return courtLooks ? label : ruling;
  if (claim !== undefined) return claim.class !== null ? label : ruling;
  // The copy hides the claim. Without classes it can only be one of privilege, if it is one.
  const mayBeClass = m.terms.classes !== null && (late === undefined || round.sort === "validation");
  const mayBeNone = courtLooks && late === undefined;
  if (!mayBeClass && !mayBeNone) return ruling;
  return upheld ? Camera.Kept : Camera.Passed;
}

export function privilege(m: Matter, entry: Entry): void {
  const round = needOpenRound(m, entry); // 1 to 3
  const { content } = entry.statement;
  const positions = round.inCamera;
  const upheld = content["upheld"] as boolean[];
  const parts = content["parts"] as number[][];
  needFrom(upheld.length === positions.length, "V25", "court", "There is a ruling for each position.", `${positions.length}`, `${upheld.length}`); // 4
  const formed = parts.length === positions.length && parts.every((list) => isAscending(list) && (m.unit === "family" || list.length === 0));
  needFrom(formed, "V25", "court", "There is an array of `parts` for each position, each ascending, and with the unit `document` empty."); // 5
  positions.forEach((position, i) => {
    const claim = round.claim(position);
    if (claim === undefined) return;
    const list = parts[i]!;
    const fits = claim?.parts == null ? list.length === 0 : list.every((part) => claim.parts!.includes(part)) && (list.length > 0 || !upheld[i]);
    needFrom(fits, "V25", "court", "Where a position is claimed for parts, the court upholds some of these, or `upheld` is false. Elsewhere it upholds no parts."); // 6
  });
  readReasons(entry, positions.length, "V25", "court"); // 7, 8
  const answers = positions.map((position, i) => meaning(m, round, position, upheld[i]!, parts[i]!));
  round.happen({ kind: "ruled in camera", positions, answers, parts });
  round.inCamera = [];
  positions.forEach((position, i) => {
    m.privilege.push({ ...claimRow(round, position), entry: entry.body.sequence, answer: ANSWERS[answers[i]!] ?? "sealed", upheld: upheld[i]!, upheldParts: parts[i]! });
  });
}

const ANSWERS: Readonly<Partial<Record<Camera, PrivilegeRow["answer"]>>> = {
  [Camera.Upheld]: "ruling",
  [Camera.Overruled]: "ruling",
  [Camera.NotResponsive]: "label",
  [Camera.Responsive]: "label",
};

/** A claim as the report tells of it, before the court has ruled. */
function claimRow(round: Round, position: number): PrivilegeRow {
  const claim = round.claim(position) ?? null;
  return {
    entry: null,
    round: round.number,
    position,
    basis: claim?.basis ?? null,
    class: claim?.class ?? null,
    claimedParts: claim?.parts ?? null,
    late: round.sheet.late.has(position),
    answer: "sealed",
    upheld: null,
    upheldParts: [],
  };
}

/** The claims of a round on which the court has not ruled: once it closes, since nothing of theirs was due. */
export function claimsNotDue(round: Round): PrivilegeRow[] {
  const positions = round.sheet.list((position) => round.claim(position) != null && !round.sheet.isRuledInCamera(position));
  return positions.map((position) => claimRow(round, position));
}

/** Reasons: one for each answer or none at all, each filled up, not all blank. */
export function readReasons(entry: Entry, count: number, check: string, author: Role): void {
  const sealed = sealedCount(entry, "reasons");
  needFrom(sealed === 0 || sealed === count, check, author, "It seals a value of `reasons` for each answer, or none at all.");
  let allBlank = true;
  const opened = openedValues(entry, "reasons");
  const rule = "Each value of `reasons` is a filled-up reason, and they are not all blank.";
  for (const value of opened.values()) {
    const reason = readReason(value);
    needFrom(reason !== null, check, author, rule);
    if (reason !== "") allBlank = false;
  }
  if (sealed > 0 && opened.size === sealed) needFrom(!allBlank, check, author, rule);
}

export function late(m: Matter, entry: Entry): void {
  needOpenRound(m, entry);
}

export function claim(m: Matter, entry: Entry, askedBy: string): void {
  const round = needOpenRound(m, entry); // 1 to 3
  const positions = entry.statement.content["positions"] as number[];
  const { sheet } = round;
  const free = (p: number): boolean => !sheet.isShown(p) && !round.isClaimed(p) && round.givenUp?.has(p) !== true;
  needFrom(inRound(round, positions) && positions.every(free), "V25", "alice", "The positions are ascending, in the round, and neither disclosed nor claimed nor given up."); // 4
  needFrom(sealedCount(entry, "privilege") === positions.length, "V25", "alice", "It seals a basis for each position."); // 5
  const classes = askedBy === "validation" ? m.terms.classes : null;
  const opened = openedValues(entry, "privilege");
  const claims = new Map<number, { claim: Claim | undefined; place: Place }>();
  let named = 0;
  positions.forEach((position, index) => {
    const value = opened.get(index);
    const read = value === undefined ? undefined : readClaim(value, { classes, parts: m.unit === "family" });
    needFrom(read !== null, "V25", "alice", "Each is a basis; or with the unit `family` a claim for parts; or, in the claim that a `validation` asks for, a class of the terms."); // 6
    if (value !== undefined && namesClass(value)) named++;
    claims.set(position, { claim: read, place: { entry: entry.body.sequence, index } });
  });
  needWithinShare(m, named); // 7
  round.happen({ kind: "late", claims });
}

export function disclosure(m: Matter, entry: Entry): void {
  const round = needOpenRound(m, entry); // 1 to 3
  needNothingDisputed(round); // 4
  const positions = entry.statement.content["positions"] as number[];
  const fits = positions.length > 0 && inRound(round, positions) && positions.every((p) => !round.sheet.isShown(p) && !round.sheet.isKept(p));
  need(fits, "V13", "The positions are ascending, at least one, in the round, and neither disclosed nor kept from Bob by the court, as privileged or as not responsive."); // 5
  const places = positions.map((position) => round.places[position - 1] ?? null);
  if (places.every((place) => place !== null)) {
    need(sameReleases(entry.body.releases, releasesOf("documents", places)), "V13", "It releases to Bob the `documents` of these positions, by lists of indices, and nothing else."); // 6
  }
  followProofs(m, entry, round, positions, "disclosure"); // 7 to 14
  round.happen({ kind: "wave", entry: entry.body.sequence, positions });
  round.wave = positions;
}

export function labels(m: Matter, entry: Entry): void {
  const round = needOpenRound(m, entry); // 1 to 3
  const given = entry.statement.content["labels"] as boolean[];
  needFrom(given.length === round.wave.length, "V15", "bob", "There is a label for each position.", `${round.wave.length}`, `${given.length}`); // 4
  readReasons(entry, given.length, "V15", "bob"); // 5, 6
  round.happen({ kind: "labels", positions: round.wave, labels: given });
  round.wave = [];
}

export function dispute(m: Matter, entry: Entry): void {
  const round = needOpenRound(m, entry); // 1 to 3
  const positions = entry.statement.content["positions"] as number[];
  const { sheet } = round;
  const fits =
    positions.length > 0 &&
    inRound(round, positions) &&
    positions.every((p) => sheet.bob(p) !== null && sheet.ruling(p) === null && !sheet.isLabelledInCamera(p));
  need(fits, "V15", "The positions are ascending, at least one, labelled by Bob, and neither ruled on nor labelled by the court in camera."); // 4
  if (round.labelsShown) need(sameNumbers(positions, disputed(round)), "V15", "They are those where Alice and Bob disagree."); // 5
  round.dispute = positions;
}

export function rulings(m: Matter, entry: Entry): void {
  const round = needOpenRound(m, entry); // 1 to 3
  const given = entry.statement.content["labels"] as boolean[];
  const positions = round.dispute;
  needFrom(given.length === positions.length, "V15", "court", "There is a label for each position.", `${positions.length}`, `${given.length}`); // 4
  readReasons(entry, given.length, "V15", "court"); // 5, 6
  round.happen({ kind: "rulings", positions, labels: given });
  positions.forEach((position, i) => round.disputes.push({ position, bob: round.sheet.bob(position), ruling: given[i]! }));
  round.dispute = [];
}
