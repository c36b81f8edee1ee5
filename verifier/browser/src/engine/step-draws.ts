/** The rules of `draw` and `link`, and what every entry obeys that spends a link of a coin chain. */

import { hex, unhex } from "./bytes.ts";
import type { Entry } from "./chain.ts";
import { drawSeed, linkBefore } from "./hash.ts";
import { escalationChance } from "./due-positions.ts";
import { damaged } from "./failures.ts";
import { need, needFrom, type Drawer, type Matter } from "./matter.ts";
import type { Role } from "./verdict.ts";

const HAS_LINK = "The entry has the link that it must spend. It is for the draw under way, which is at most `draws`.";
const LEADS = "The link that the entry spends leads to its owner's last link on record, or to the anchor if it is the first.";

/** Spends a link for a draw: both conditions, and the blame is the author's. */
export function spendLink(m: Matter, owner: Drawer, author: Role, expected: number | null, draw: unknown, link: unknown): Uint8Array {
  const bytes = unhex(link, 32);
  const fits = expected !== null && draw === expected && expected <= m.terms.draws && bytes !== null;
  needFrom(fits, "V08", author, HAS_LINK, expected === null ? "no draw is under way" : `draw ${expected}`, `draw ${String(draw)}`);
  const last = m.links[owner];
  const to = last?.number ?? 0;
  let reached: Uint8Array = bytes;
  for (let i = expected; i > to; i--) reached = linkBefore(m.matter, owner, i, reached);
  const target = last === undefined ? m.anchors[owner] : hex(last.link);
  // An order states no number: another draw could explain its link.
  if (m.alone !== null && author === "court" && hex(reached) !== target) damaged("the link in the order does not lead to its owner's anchor");
  needFrom(hex(reached) === target, "V08", author, LEADS);
  m.links[owner] = { number: expected, link: bytes };
  m.tally("V08");
  if (m.draw !== null) m.draw.links[owner] = bytes;
  return bytes;
}

/** The number of the draw that begins. In a round by itself the first one says its number itself. */
export function nextDraw(m: Matter, stated: unknown): number {
  if (Number.isNaN(m.lastDraw)) m.lastDraw = (stated as number) - 1;
  return m.lastDraw + 1;
}

/** Begins a draw: from here on it is the one under way. */
export function beginDraw(m: Matter, number: number): void {
  m.lastDraw = number;
  m.draw = { number, links: {} };
}

/** The seed of the draw under way, once all three have spent their links. */
export function seedOf(m: Matter, answers: Uint8Array): Uint8Array {
  const { number, links } = m.draw!;
  return drawSeed(m.matter, number, links.alice!, links.bob!, links.trent!, answers);
}

const STAMPED = "If `witnesses.authorities` of the terms is not empty: since the last `closed`, or since the opening, there is a `stamped`.";
const LOGGED = "If `witnesses.log` of the terms is not null: since the last `closed`, or since the opening, there is a `logged`.";

/** What must be on record before a round or the claims. */
export function needWitnesses(m: Matter): void {
  const { witnesses } = m.terms;
  if (witnesses === null) return;
  need(witnesses.authorities.length === 0 || m.stampedSince, "V31", STAMPED);
  need(witnesses.log === null || m.loggedSince, "V31", LOGGED);
}

const NOT_OVER = "The review is not over; or a draw is for a validation, or belongs to an open escalation.";
const NO_ESCALATION = "No escalation is due, or a validation is, or the draw belongs to an open one.";
const NO_VALIDATION = "No validation is due, and no draw for one is under way.";

/** Whether the review's end can be told: validations can end it, and only the labels tell if they did. */
export function tellsTheEnd(m: Matter): boolean {
  return m.allShown || m.terms.validation === null;
}

export function needNotOver(m: Matter, isOther: boolean): void {
  if (tellsTheEnd(m)) need(isOther || !m.isOver, "V29", NOT_OVER);
}

export function needNoEscalation(m: Matter): void {
  if (m.allShown) need(!m.isEscalationDue || m.isValidationDue, "V27", NO_ESCALATION);
}

export function needNoValidation(m: Matter): void {
  if (m.allShown) need(!m.isValidationDue && m.drawFor !== "validation", "V28", NO_VALIDATION);
}

export function draw(m: Matter, entry: Entry): void {
  const { round } = m;
  const { statement } = entry;
  const inEscalation = round !== null && round.sort === "escalation" && round.lookOrderedAway && round.draw === null;
  need(round === null || inEscalation, "V05", "No round is open, or it is an escalation whose look was ordered away and that has no draw yet."); // 1
  const expected = round?.number ?? m.roundsBegun + 1;
  need(statement.round === expected, "V05", "`round` is that of the open escalation; if no round is open, it is the next one.", `${expected}`, `${statement.round}`); // 2
  needWitnesses(m); // 3, 4
  if (inEscalation && m.allShown) {
    const { chance } = escalationChance(m, round, round.sheet);
    need(chance !== null && chance > 0n, "V27", "If an escalation is open, its chance is above 0."); // 5
  }
  const isValidation = !inEscalation && m.allShown && m.isValidationDue;
  needNotOver(m, inEscalation || isValidation); // 6
  if (!inEscalation) needNoEscalation(m); // 7
  const mayBeValidation = isValidation || (!m.allShown && m.terms.validation !== null);
  const fits = m.drawFor === null && (inEscalation || mayBeValidation || m.labelsAllEqual);
  need(fits, "V09", "No draw is under way; and all output labels so far are equal, unless the draw is for a validation or belongs to an open escalation."); // 8
  const number = nextDraw(m, statement.content["draw"]);
  need(statement.content["draw"] === number && number <= m.terms.draws, "V08", "The number is the next one, and at most `draws`.", `${number}`, String(statement.content["draw"])); // 9
  beginDraw(m, number);
  if (inEscalation) {
    m.drawFor = "escalation";
    round.draw = number;
    round.answers = m.queryHash;
  } else if (isValidation) m.drawFor = "validation";
  else if (mayBeValidation) m.drawFor = "unknown";
  else {
    m.drawFor = "batch";
    m.batchesBegun++;
  }
}

export function link(m: Matter, entry: Entry): void {
  const { author, content } = entry.statement;
  spendLink(m, author as "alice" | "bob", author, m.draw?.number ?? null, content["draw"], content["link"]);
}
