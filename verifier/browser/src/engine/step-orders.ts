/** The rules of `default`, `order`, `rekey`, `rekeyed`, `again`, `amend` and `amended`. */

import { unhex } from "./bytes.ts";
import type { Entry } from "./chain.ts";
import { acceptableKey } from "./ed25519.ts";
import { fingerprint } from "./hash.ts";
import { need, needFrom, type Matter, type Question } from "./matter.ts";
import { spendLink } from "./step-draws.ts";
import { giveUp } from "./step-escalation.ts";
import { isLimit } from "./terms.ts";
import type { EventRow, Party, Role } from "./verdict.ts";

function needRoundZero(entry: Entry): void {
  need(entry.statement.round === 0, "V05", "`round` is 0.");
}

export function silence(m: Matter, entry: Entry): void {
  needRoundZero(entry); // 1
  const absent = entry.statement.content["absent"] as Role;
  const served = entry.statement.content["served"] as string;
  const isSide = absent === "alice" || absent === "bob";
  const question = isSide ? (m.owes.get(absent) ?? null) : null;
  const since = m.hashes.get(served) ?? -1;
  if (m.hasClaims) {
    need(isSide && !m.endedWithout.has(absent), "V26", "After the claims: `absent` is `alice` or `bob`, and no order lets the matter end without its signature yet."); // 2
    need(since >= m.claimsEntry, "V26", "After the claims: `served` is the hash of the claims, or of a later entry."); // 3
  } else {
    need(isSide && question !== null && question.state === "open", "V26", "`absent` must answer."); // 2
    need(since >= question.entry, "V26", "`served` is the hash of the entry that asks `absent`, or of a later entry."); // 3
    question.state = "suspended";
  }
  m.pendingDefault = { absent, served, question, row: m.events.length };
  m.events.push({ sort: "default", entry: entry.body.sequence, absent, asked: m.hasClaims ? "signature of the end" : question!.kind, round: question?.round ?? 0, granted: null, order: null });
}

export function order(m: Matter, entry: Entry): void {
  const { content } = entry.statement;
  const pending = m.pendingDefault!;
  const granted = content["granted"] as boolean;
  needFrom(content["absent"] === pending.absent && content["served"] === pending.served, "V26", "court", "`absent` and `served` are those of the `default`."); // 1
  const wantsLink = granted && pending.question?.kind === "link";
  needFrom((content["link"] !== null) === wantsLink, "V26", "court", "There is a link if a link was asked for and the order is granted, and otherwise none."); // 2
  const absent = pending.absent as "alice" | "bob";
  if (wantsLink) spendLink(m, absent, "court", m.draw?.number ?? null, m.draw?.number ?? null, content["link"]); // 3, 4
  m.events[pending.row] = { ...(m.events[pending.row] as EventRow & { sort: "default" }), granted, order: entry.body.sequence };
  m.pendingDefault = null;
  if (m.hasClaims) {
    if (granted) m.endedWithout.add(absent);
    return;
  }
  const question = pending.question!;
  if (!granted) {
    question.state = "open";
    return;
  }
  m.defaults++;
  m.owes.delete(absent);
  goOnWithout(m, absent, question, entry);
}

/** Its number counts, and nobody ever gives a link for it. */
function leaveOutDraw(m: Matter): void {
  m.lastDraw++;
}

/** The matter goes on without an answer. */
function goOnWithout(m: Matter, absent: Party, question: Question, entry: Entry): void {
  const { round } = m;
  if (question.kind === "report") {
    leaveOutDraw(m);
    round!.report = "ordered away";
    round!.labels = new Array<boolean>(round!.size).fill(false);
  } else if (question.kind === "look") {
    leaveOutDraw(m);
    round!.lookOrderedAway = true;
    giveUp(round!, []);
  } else if (question.kind === "labels") {
    round!.happen({ kind: "unread", positions: round!.wave });
    round!.wave = [];
  } else if (question.kind === "amended") acceptAmendment(m, absent, false, entry);
}

export function rekey(m: Matter, entry: Entry): void {
  needRoundZero(entry); // 1
  const role = entry.statement.content["role"] as Role;
  const key = entry.statement.content["key"] as string;
  const isFree = acceptableKey(unhex(key)!) && !m.keysUsed.has(key);
  need((role === "alice" || role === "bob") && isFree, "V26", "`role` is `alice` or `bob`. The key is acceptable, and none of the four has it or had it."); // 2
  const skips = role === "alice" && owesWords(m);
  need(!skips || m.alone !== null || m.freeDraws >= 1, "V26", "If Alice owes a report or a look and the key is hers: a draw is free."); // 3
  m.pendingRekey = { role, key, row: m.events.length };
  m.events.push({ sort: "new key", entry: entry.body.sequence, role, fingerprint: fingerprint(unhex(key)!), granted: null, order: null, voided: null, skipped: null });
}

/** Whether Alice owes a report or a look, open or void. */
function owesWords(m: Matter): boolean {
  const kind = m.owes.get("alice")?.kind;
  return kind === "report" || kind === "look";
}

export function rekeyed(m: Matter, entry: Entry): void {
  const { content } = entry.statement;
  const pending = m.pendingRekey!;
  needFrom(content["role"] === pending.role && content["key"] === pending.key, "V26", "court", "`role` and `key` are those of the `rekey`."); // 1
  const granted = content["granted"] as boolean;
  const question = m.owes.get(pending.role);
  const skips = granted && pending.role === "alice" && owesWords(m);
  if (skips) leaveOutDraw(m);
  m.events[pending.row] = {
    ...(m.events[pending.row] as EventRow & { sort: "new key" }),
    granted,
    order: entry.body.sequence,
    voided: granted && question !== undefined ? { entry: question.entry, kind: question.kind } : null,
    skipped: skips ? m.lastDraw : null,
  };
  m.pendingRekey = null;
  if (!granted) return;
  m.keysUsed.add(pending.key);
  m.newKeys.set(pending.role, entry.body.sequence);
  if (question !== undefined) question.state = "void";
}

export function again(m: Matter, entry: Entry): void {
  const role = entry.body.asks[0] as Party;
  const question = m.owes.get(role)!;
  need(entry.statement.content["question"] === question.hash, "V05", "`question` is the hash of the entry whose question to that party is void."); // 1
  need(entry.statement.round === question.round, "V05", "`round` is that of the question.", `${question.round}`, `${entry.statement.round}`); // 2
  m.askedAgain++;
  m.owes.set(role, { entry: entry.body.sequence, hash: entry.hash, kind: question.kind, round: question.round, from: question.from, state: "open" });
}

export function amend(m: Matter, entry: Entry): void {
  needRoundZero(entry); // 1
  const rounds = entry.statement.content["rounds"] as number;
  const limit = entry.statement.content["limit"] as string | null;
  const formed = m.terms.protocol === "spot-check" ? limit !== null && isLimit(limit) : limit === null;
  need(formed, "V26", "`limit` is a decimal from 0 to 1 under `spot-check`, and null under another rule."); // 2
  // What is owed is known only where it is known what a draw under way is for.
  const enough = m.drawFor === "unknown" || m.owedDraws(rounds) <= m.terms.draws - m.lastDraw;
  const fits = rounds <= 2 ** 12 && rounds >= m.batchesBegun && enough && (rounds !== m.T || limit !== m.limit);
  need(fits || m.alone !== null, "V26", "`rounds` is at most 2^12, at least the batch rounds that have begun, and no draw is owed that is not left. `rounds` is not T, or `limit` is another text than the one in force."); // 3
  m.pendingAmend = { rounds, limit, accepted: new Map(), row: m.events.length };
  m.events.push({ sort: "amendment", entry: entry.body.sequence, rounds, limit, before: { rounds: m.T, limit: m.limit }, accepted: null, order: null });
}

export function amended(m: Matter, entry: Entry): void {
  acceptAmendment(m, entry.statement.author as Party, entry.statement.content["accepted"] as boolean, entry);
}

function acceptAmendment(m: Matter, role: Party, accepts: boolean, entry: Entry): void {
  const pending = m.pendingAmend!;
  pending.accepted.set(role, accepts);
  if (pending.accepted.size < 3) return;
  const all = [...pending.accepted.values()].every((accepted) => accepted);
  const inForce = pending.rounds === m.T ? pending.accepted.get("court")! : all;
  m.events[pending.row] = { ...(m.events[pending.row] as EventRow & { sort: "amendment" }), accepted: inForce, order: entry.body.sequence };
  if (inForce) {
    m.T = pending.rounds;
    if (pending.limit !== m.limit) m.limitUsedUp = false;
    m.limit = pending.limit;
  }
  m.pendingAmend = null;
}

