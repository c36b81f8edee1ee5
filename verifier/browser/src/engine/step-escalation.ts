/** The rules of `escalation` and `look`. */

import { sizeAlone } from "./alone.ts";
import type { Entry } from "./chain.ts";
import { wordsHash } from "./hash.ts";
import type { JsonObject } from "./json.ts";
import { need, needFrom, type Matter } from "./matter.ts";
import { Round } from "./round.ts";
import { isAscending } from "./shapes.ts";
import { needNewRound } from "./step-batch.ts";
import { beginDraw, needNoValidation, nextDraw, spendLink } from "./step-draws.ts";

export function escalation(m: Matter, entry: Entry): void {
  const size = entry.statement.content["size"] as number;
  needNewRound(m, entry); // 1 to 4
  need(m.drawFor === null, "V05", "No draw is under way."); // 5
  need(m.terms.protocol === "spot-check", "V27", "The rule is `spot-check`."); // 6
  needNoValidation(m); // 7
  if (m.allShown) need(m.isEscalationDue, "V27", "An escalation is due."); // 8
  const withheld = m.putUp - m.shownTotal - m.keptTotal;
  const fits = m.alone === null ? size === withheld : size <= m.documents;
  need(fits, "V27", "`size` is the number of documents that are withheld.", m.alone === null ? `${withheld}` : `at most ${m.documents}`, `${size}`); // 9
  const round = new Round(m.roundsBegun + 1, "escalation", entry.body.sequence, m.alone === null ? size : sizeAlone(size));
  if (m.allShown) {
    m.withheld.forEach((doc, i) => {
      round.docs[i] = doc;
      round.places[i] = doc;
      round.claims[i] = doc.claim;
      round.claimPlaces[i] = doc.claimPlace;
    });
  } else round.claims.fill(undefined);
  m.round = round;
  m.roundsBegun++;
}

export function look(m: Matter, entry: Entry): void {
  const round = m.round!;
  const { content } = entry.statement;
  const number = nextDraw(m, content["draw"]);
  beginDraw(m, number);
  spendLink(m, "alice", "alice", number, content["draw"], content["link"]); // 1, 2
  const positions = content["positions"] as number[];
  const inList = isAscending(positions) && positions.every((position) => position <= round.size);
  needFrom(inList, "V27", "alice", "The positions are ascending, and in the list."); // 3
  round.draw = number;
  round.answers = wordsHash(entry.statement as unknown as JsonObject);
  giveUp(round, positions);
}

/** Alice's label is true for what she gives up, and false for the others. */
export function giveUp(round: Round, positions: readonly number[]): void {
  round.givenUp = new Set(positions);
  round.labels = new Array<boolean>(round.size).fill(false);
  for (const position of positions) round.labels[position - 1] = true;
}
