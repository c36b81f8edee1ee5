/** The rules of `conflict`: a second answer to one question, as evidence (V19). */

import { hex, isHex, unhex } from "./bytes.ts";
import type { Entry } from "./chain.ts";
import { contentFault } from "./contents.ts";
import { verifyTagged } from "./ed25519.ts";
import { FaultFound } from "./failures.ts";
import { statementHash } from "./hash.ts";
import { encode, type Json, hasOwn } from "./json.ts";
import { KINDS } from "./kinds.ts";
import { need, type Answer, type Matter } from "./matter.ts";
import { hasExactly, isAscending, isStatement, type Statement } from "./shapes.ts";
import { openedValue, sealedCount } from "./values.ts";

const FORM =
  "The evidence is an object with `signature` and `statement`, of the author, kind, round, question and matter of the answer, " +
  "with the content and the seals of its kind.";

/** Why a statement does not seal the fields of its kind for their audiences; null if it does. */
export function sealsFault(statement: Statement): string | null {
  const { seals } = KINDS.get(statement.kind)!;
  for (const [name, rule] of Object.entries(seals)) {
    if (rule.always && !hasOwn(statement.sealed, name)) return `\`${name}\` is not sealed`;
  }
  for (const [name, sealed] of Object.entries(statement.sealed)) {
    if (!hasOwn(seals, name)) return `\`${name}\` does not belong to this kind`;
    if (statement.kind !== "conflict" && sealed.audiences.join() !== seals[name]!.audiences.join()) return `\`${name}\` is sealed for others`;
  }
  return null;
}

function hasForm(evidence: Json, answer: Answer, matter: string): evidence is { signature: string; statement: Json } & { [key: string]: Json } {
  if (!hasExactly(evidence, ["signature", "statement"]) || !isHex(evidence["signature"], 64)) return false;
  const { statement } = evidence;
  if (!isStatement(statement)) return false;
  const same = statement.author === answer.author && statement.kind === answer.kind && statement.round === answer.round;
  if (!same || statement.answers !== answer.answers || statement.matter !== matter) return false;
  if (contentFault(statement.kind, statement.content) !== null || sealsFault(statement) !== null) return false;
  if (!isAscending(statement.replaces)) return false;
  const commitments = Object.values(statement.sealed).flatMap((field) => field.commitments);
  const filled = Object.values(statement.sealed).every((field) => field.commitments.length > 0);
  return filled && new Set(commitments).size === commitments.length;
}

export async function conflict(m: Matter, entry: Entry, keyOf: (role: Answer["author"]) => Uint8Array): Promise<void> {
  if (m.alone !== null) return; // The answer that it is about can stand anywhere.
  const { statement } = entry;
  const number = statement.content["answer"] as number;
  const answer = m.answers.get(number);
  need(answer !== undefined && number < entry.body.sequence, "V19", "`answer` is the number of an earlier entry in which a party answers."); // 1
  need(statement.round === answer.round, "V05", "`round` is that of this answer.", `${answer.round}`, `${statement.round}`); // 2
  const forAll = answer.kind !== "report" && answer.kind !== "claim";
  const audiences = statement.sealed["evidence"]!.audiences.join();
  need(audiences === (forAll ? "alice,bob,court" : "alice,court"), "V05", "`evidence` is sealed for Alice, Bob and the court; if the answer is a `report` or a `claim`, for Alice and the court."); // 3
  need((m.newKeys.get(answer.author) ?? -1) < number, "V19", "No new key of its author's came into force since the answer."); // 4
  need(sealedCount(entry, "evidence") === 1, "V19", "One `evidence` is sealed."); // 5
  const evidence = openedValue(entry, "evidence");
  const row = { sort: "conflict" as const, entry: entry.body.sequence, answer: number, author: answer.author, kind: answer.kind };
  if (evidence === undefined) {
    m.hiddenEvidence = true;
    m.events.push({ ...row, judged: false });
    return;
  }
  need(hasForm(evidence, answer, entry.body.matter), "V19", FORM); // 6
  m.tally("V19");
  const bytes = encode(evidence.statement);
  const valid = await verifyTagged(keyOf(answer.author), "statement", bytes, unhex(evidence.signature)!);
  need(valid, "V19", "The signature of the evidence is valid under its author's key in force."); // 7
  const hash = hex(statementHash(bytes));
  need(hash !== answer.statementHash, "V19", "The evidence is not the answer on record."); // 8
  const other = evidence.statement as unknown as Statement;
  const withdrawn = answer.replaces.includes(hash) || other.replaces.includes(answer.statementHash);
  m.events.push({ ...row, judged: true });
  if (!withdrawn) {
    const rule = "One of the two statements names the other's hash in `replaces`."; // 9
    m.note(new FaultFound("V19", answer.author, rule, null, `a second ${answer.kind} besides that of entry ${number}`), entry);
  }
}
