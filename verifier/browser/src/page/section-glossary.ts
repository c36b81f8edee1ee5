/** The words that a report uses, for a reader who does not know the method (docs/glossary.md). */
import { el } from "./dom.ts";
import { section } from "./table.ts";

const WORDS: readonly (readonly [string, string])[] = [
  ["Batch, position", "The documents of one round, the likeliest responsive first; position 1 is the first."],
  ["Certificate", "A number that holds with the stated confidence whatever Alice did: how many responsive documents can be missing at most. There is one of the reviewed documents, and one of the whole collection."],
  ["Coin", "A number that nobody could choose or foresee alone, made of secrets of Alice, Bob and Trent after Alice's report is fixed. It decides whether a document is drawn."],
  ["Compelled", "Shown to Bob as part of the whole batch, because Alice's errors were confirmed."],
  ["Confidence", "How surely a sentence about hidden documents holds, over all the ways in which coins can fall."],
  ["Corpus", "All documents that may be reviewed, fixed at the start by one code to which Trent committed."],
  ["Document, part, family", "What is labelled, drawn and shown as one thing is a document. It has parts: the file itself, and what is attached to it or inside it. A file with all of that is a family."],
  ["Elusion", "The responsive share of the documents that nobody had reviewed, as a validation estimates it."],
  ["Escalation", "A round that draws again from all that is withheld, since too much could still be hidden."],
  ["Fingerprint", "Forty digits by which people compare a key. Compare them with those that its owner gave you."],
  ["Hit", "A document that a coin drew, and that is responsive though Alice had not reported it as such."],
  ["In camera", "Read by the court alone."],
  ["Non-responsive disclosure (NRD)", "What Bob was shown and is not responsive: the price of checking."],
  ["Claim of privilege, withheld as privileged", "Alice says that she need not show a document. If the court agrees, it is withheld as privileged: Bob does not get it, and it counts as neither found nor hidden."],
  ["Recall", "The share of all responsive documents that Bob has. Only a simulation knows it; a certificate says how large it is at least, and a validation estimates it."],
  ["Responsive", "What Bob is entitled to: a document that answers his request."],
  ["Richness", "The responsive share of the whole collection, as a validation estimates it."],
  ["Sealed", "In the record as a code only. It can be opened later, and then only as what it was."],
  ["Second look", "Alice is asked, at the start of an escalation, which of the withheld documents she gives up."],
  ["Threshold", "A rank in the batch: responsive documents are expected down to it, and not below."],
  ["Unread", "Shown to Bob, who did not label it. Alice's label stands, and the coins prove less."],
  ["Validation", "A round that draws from the whole collection, reviewed or not, to tell how much is missing from what Bob has."],
  ["Withheld", "Reviewed, labelled not responsive by Alice, and not shown to Bob."],
];

export function glossarySection(): HTMLElement {
  return section("words-explained", "Words", el("dl", { class: "glossary" }, WORDS.map(([word, meaning]) => [el("dt", {}, word), el("dd", {}, meaning)])));
}
