/** The words that a report uses, for a reader who does not know the method (docs/glossary.md). */
import { el } from "./dom.ts";
import { section } from "./table.ts";

const WORDS: readonly (readonly [string, string])[] = [
  ["Batch, position", "The documents of one round, the likeliest responsive first; position 1 is the first."],
  ["Bound", "The most responsive documents that can be hidden among the reviewed, as the coins show."],
  ["Certificate", "How many responsive documents can be missing at most, of the reviewed or of the whole collection: a number that holds with the stated confidence, whatever Alice did."],
  ["Checkpoint", "The state of the record at one point, signed by those named with it."],
  ["Claim of privilege, withheld as privileged", "Alice says that she need not show a document. If the court agrees, Bob does not get it, and it counts as neither found nor hidden."],
  ["Coin", "A number that nobody could choose or foresee alone, made of secrets of Alice, Bob and Trent after Alice's report is fixed. It decides whether a document is drawn."],
  ["Compelled", "Shown to Bob as part of the whole batch, because Alice's errors were confirmed."],
  ["Confidence", "How surely a sentence about hidden documents holds, over all the ways in which coins can fall."],
  ["Copy", "The record as one audience may see it; the rest is sealed."],
  ["Corpus", "All documents that may be reviewed, fixed at the start by one code."],
  ["Default, order", "Trent says that a party is silent, and the court may order the matter to go on, as was agreed at the start."],
  ["Disclosure, wave", "The entry that shows documents to Bob, and what it shows at one time."],
  ["Document, part, family", "What is labelled, drawn and shown as one thing is a document. Its parts are the file itself, and what is attached to it or inside it: together a family."],
  ["Entry", "One numbered, signed step of the record. Each names the one before, so none can be added or dropped."],
  ["Escalation", "A round that draws again from all that is withheld, since too much could still be hidden."],
  ["Fingerprint", "Forty digits by which people compare a key."],
  ["Head", "One code for the whole record: copies with the same head hold the same record."],
  ["Hit", "A drawn document that Alice had not reported as responsive, and that is responsive, or that Bob left unread."],
  ["In camera", "Read by the court alone."],
  ["Item, container, exception, duplicate", "A file that was received, or found in a container, such as a mailbox. An exception could not enter the corpus; a duplicate equals what entered."],
  ["Key, signature", "Only the holder of a key can make its signatures; anyone can check them."],
  ["Non-responsive disclosure (NRD)", "What Bob was shown and is not responsive: the price of checking."],
  ["Recall", "The share of all responsive documents that Bob has. Only a simulation knows it; a certificate says how large it is at least, and a validation estimates it."],
  ["Responsive", "What Bob is entitled to: a document that answers his request."],
  ["Ruling", "The court's label where Alice and Bob disagree, or its word on a claim. It counts."],
  ["Sealed", "In the record as a code only, which can be opened later, and then only as what it was."],
  ["Second look", "Alice's answer, in an escalation, which of the withheld documents she gives up."],
  ["Target", "The share of the responsive documents that Bob must have, by the terms."],
  ["Threshold", "A rank in the batch: responsive documents are expected down to it, and not below."],
  ["Unread", "Shown to Bob, who did not label it. Alice's label stands, and the coins prove less."],
  ["Validation", "A round that draws from the whole collection, reviewed or not, to tell how much is missing from what Bob has."],
  ["Withheld", "Reviewed, labelled not responsive by Alice, and not shown to Bob."],
];

export function glossarySection(): HTMLElement {
  return section("words-explained", "Words", el("dl", { class: "glossary" }, WORDS.map(([word, meaning]) => [el("dt", {}, word), el("dd", {}, meaning)])));
}
