/** The replay: decides every step of the matter again, entry by entry, by the tables of rules. */

import type { Entry } from "./chain.ts";
import { contentFault, isKnownProtocol } from "./contents.ts";
import { FaultFound, UnknownVersion } from "./failures.ts";
import { isObject, type JsonObject, isArray } from "./json.ts";
import { KINDS } from "./kinds.ts";
import { Matter, need, needFrom, type Answer } from "./matter.ts";
import { quoted } from "./quoted.ts";
import { isOtherVersion } from "./shapes.ts";
import { batch, report } from "./step-batch.ts";
import { claims } from "./step-claims.ts";
import { clawback, reclaim, returned } from "./step-clawback.ts";
import { closed } from "./step-closed.ts";
import { conflict, sealsFault } from "./step-conflict.ts";
import { draw, link } from "./step-draws.ts";
import { escalation, look } from "./step-escalation.ts";
import { agreed, deposited, open } from "./step-opening.ts";
import { again, amend, amended, order, rekey, rekeyed, silence } from "./step-orders.ts";
import { validation } from "./step-validation.ts";
import { camera, claim, disclosure, dispute, labels, late, privilege, rulings } from "./step-waves.ts";
import { logged, stamped } from "./step-witness.ts";
import type { Party } from "./verdict.ts";

/** The version of the method that this engine knows. */
export const METHOD = 6;

export class Replay {
  /** The entry at which the replay stopped, and why; null while it goes on. */
  stopped: { fault: FaultFound; entry: Entry } | null = null;
  openingBroken = false;

  constructor(
    readonly m: Matter,
    private readonly keyOf: (role: Party) => Uint8Array,
  ) {}

  /** Replays an entry. An unknown version goes to the caller; a broken rule stops the replay. */
  async entry(entry: Entry, attachments: ReadonlyMap<string, Uint8Array>): Promise<void> {
    if (this.stopped !== null) return;
    try {
      await this.judge(entry, attachments);
    } catch (error) {
      if (!(error instanceof FaultFound)) throw error;
      this.stopped = { fault: error, entry };
      if (entry.statement.kind === "open") this.openingBroken = true;
    }
  }

  private async judge(entry: Entry, attachments: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const { m } = this;
    const { statement } = entry;
    if (statement.kind === "open") needKnownVersion(statement.content);
    const askedBy = this.everyEntry(entry);
    await this.step(entry, attachments, askedBy);
    m.entriesOf[statement.kind] = (m.entriesOf[statement.kind] ?? 0) + 1;
    m.hashes.set(entry.hash, entry.body.sequence);
    if (statement.author !== "trent") {
      const { author, kind, round } = statement;
      m.answers.set(entry.body.sequence, { author, kind, round, answers: statement.answers!, statementHash: entry.statementHash, replaces: statement.replaces });
      if (m.owes.get(author)?.hash === statement.answers) m.owes.delete(author);
    }
    if (statement.kind !== "again") {
      const { asks } = KINDS.get(statement.kind)!;
      for (const role of entry.body.asks as Party[]) {
        m.owes.set(role, { entry: entry.body.sequence, hash: entry.hash, kind: asks[role]!, round: statement.round, from: statement.kind, state: "open" });
      }
    }
  }

  /** The conditions of every entry, in their order. Returns the kind of the entry that asked for an answer. */
  private everyEntry(entry: Entry): string {
    const { m } = this;
    const { body, statement } = entry;
    const { author, kind } = statement;
    const known = KINDS.get(kind);
    const inTime = !m.hasClaims || kind === "default" || kind === "order";
    const rule = "The kind is known; and no claims came before, or it is a `default` or an `order`.";
    if (m.mustAnswer(author)) needFrom(known !== undefined && inTime, "V05", author, rule, null, kind); // 1
    need(known !== undefined && inTime, "V05", rule, null, kind); // 2
    let askedBy = "";
    if (author !== "trent") {
      const question = m.owes.get(author);
      const answers = question !== undefined && question.state === "open" && question.hash === statement.answers;
      need(answers, "V05", "A party answers the question that it must answer now."); // 3
      needFrom(kind === question.kind, "V05", author, "A party's statement is of the kind that it was asked for.", question.kind, kind); // 4
      askedBy = question.from;
    } else this.trentsTurn(kind); // 5, 6
    needFrom(known.authors.includes(author), "V05", author, "The author is one of those that its kind may have."); // 7
    need(this.asksFit(entry), "V05", "`asks` names those whom its kind asks."); // 8
    need(known.releases || body.releases.length === 0, "V05", "Only a `camera`, a `disclosure`, a `closed`, a `validation` and a `call` release anything."); // 9
    const seals = sealsFault(statement);
    needFrom(seals === null, "V05", author, "The statement seals the fields of its kind, for the audiences of its kind.", null, seals); // 10
    const content = contentFault(kind, statement.content);
    needFrom(content === null, "V05", author, "`content` has the fields of its kind, each of its type.", null, content); // 11
    return askedBy;
  }

  private trentsTurn(kind: string): void {
    const { m } = this;
    if (kind === "default" || kind === "rekey" || kind === "amend") {
      need(m.allSigned, "V26", "A `default`, `rekey` or `amend` comes after all have signed the opening."); // 5
    }
    const rule = "Trent goes on only if nobody must answer and no question is void.";
    if (kind === "conflict") return;
    if (kind === "default" || kind === "rekey" || kind === "again") {
      need(!m.mustAnswer("court"), "V05", rule);
      return;
    }
    for (const [role, question] of m.owes) need(question.state === "suspended", "V05", rule, null, `${role} must answer`); // 6
  }

  private asksFit(entry: Entry): boolean {
    const { asks } = entry.body;
    const { kind, content } = entry.statement;
    if (kind === "again") return asks.length === 1 && this.m.owes.get(asks[0] as Party)?.state === "void";
    const isEmptyReclaim = kind === "reclaim" && isArray(content["documents"]) && content["documents"].length === 0;
    const expected = isEmptyReclaim ? [] : Object.keys(KINDS.get(kind)!.asks).sort();
    return asks.join() === expected.join();
  }

  private async step(entry: Entry, attachments: ReadonlyMap<string, Uint8Array>, askedBy: string): Promise<void> {
    const { m } = this;
    switch (entry.statement.kind) {
      case "open":
        for (const key of Object.values(entry.statement.content["keys"] as Record<string, string>)) m.keysUsed.add(key);
        return open(m, entry, attachments);
      case "agreed":
        return agreed(m, entry);
      case "deposited":
        return deposited(m, entry);
      case "draw":
        return draw(m, entry);
      case "link":
        return link(m, entry);
      case "batch":
        return batch(m, entry);
      case "report":
        return report(m, entry);
      case "escalation":
        return escalation(m, entry);
      case "look":
        return look(m, entry);
      case "validation":
      case "call":
        return validation(m, entry);
      case "camera":
        return camera(m, entry);
      case "privilege":
        return privilege(m, entry);
      case "late":
        return late(m, entry);
      case "claim":
        return claim(m, entry, askedBy);
      case "clawback":
        return clawback(m, entry);
      case "reclaim":
        return reclaim(m, entry);
      case "returned":
        return returned(m, entry);
      case "disclosure":
        return disclosure(m, entry);
      case "labels":
        return labels(m, entry);
      case "dispute":
        return dispute(m, entry);
      case "rulings":
        return rulings(m, entry);
      case "closed":
        return closed(m, entry);
      case "default":
        return silence(m, entry);
      case "order":
        return order(m, entry);
      case "rekey":
        return rekey(m, entry);
      case "rekeyed":
        return rekeyed(m, entry);
      case "again":
        return again(m, entry);
      case "amend":
        return amend(m, entry);
      case "amended":
        return amended(m, entry);
      case "conflict":
        return conflict(m, entry, this.keyOf as (role: Answer["author"]) => Uint8Array);
      case "stamped":
        return stamped(m, entry);
      case "logged":
        return logged(m, entry);
      default:
        return claims(m, entry);
    }
  }
}

/** The method and the rule come before all conditions of the opening: another one may have other forms. */
function needKnownVersion({ method, terms }: JsonObject): void {
  if (isOtherVersion(method, METHOD)) throw new UnknownVersion(`the matter follows method ${String(method)}, and this program knows method ${METHOD}`);
  const protocol = isObject(terms) ? terms["protocol"] : null;
  if (typeof protocol === "string" && !isKnownProtocol(protocol)) throw new UnknownVersion(`the terms name the rule ${quoted(protocol)}, which this program does not know`);
}
