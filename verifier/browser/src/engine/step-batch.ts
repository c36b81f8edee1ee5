/** The rules of `batch` and `report`. */

import type { Entry } from "./chain.ts";
import { wordsHash } from "./hash.ts";
import { isArray, type JsonObject } from "./json.ts";
import { need, needFrom, type Matter } from "./matter.ts";
import { Doc, Round } from "./round.ts";
import { isNatural } from "./shapes.ts";
import { beginDraw, nextDraw, needNoEscalation, needNotOver, needNoValidation, needWitnesses, spendLink } from "./step-draws.ts";
import { namesClass, openedField, openedValue, openedValues, opensAll, readClaim, readDocument, sealedCount } from "./values.ts";

const BY_COIN_OR_MODEL =
  "While all output labels so far are equal: there was a draw, `drawn` is stated, no `model` is sealed, `near_cut` is null. " +
  "Afterwards: there was no draw, `drawn` is null, a `model` is sealed, `near_cut` is stated.";

/** A round begins: no other is open, and its number is the next one. */
export function needNewRound(m: Matter, entry: Entry): void {
  need(m.round === null, "V05", "No round is open.");
  need(entry.statement.round === m.roundsBegun + 1, "V05", "`round` is the next one.", `${m.roundsBegun + 1}`, `${entry.statement.round}`);
  needWitnesses(m);
}

export function batch(m: Matter, entry: Entry): void {
  const { content } = entry.statement;
  needNewRound(m, entry); // 1 to 4
  needNoValidation(m); // 5
  needNotOver(m, false); // 6
  needNoEscalation(m); // 7
  const drawn = content["drawn"] as { draw: number; link: string } | null;
  const size = content["size"] as number;
  const models = sealedCount(entry, "model");
  const nearCut = content["near_cut"] as number | null;
  const mayBeEither = m.mayBeTrainedFalse && m.trainedFalse === 0 && m.trainedTrue > 0;
  const byCoin = m.alone !== null ? m.drawFor !== null : mayBeEither ? drawn !== null : m.labelsAllEqual;
  const fits = byCoin
    ? m.drawFor !== null && drawn !== null && models === 0 && nearCut === null
    : m.drawFor === null && drawn === null && models > 0 && nearCut !== null;
  need(fits, "V09", BY_COIN_OR_MODEL); // 8
  if (drawn !== null) {
    spendLink(m, "trent", "trent", m.draw?.number ?? null, drawn.draw, drawn.link); // 9, 10
    if (m.drawFor === "unknown") m.batchesBegun++;
  } else m.batchesBegun++;
  const most = Math.min(m.terms.batch, m.left);
  const sizeFits = m.alone !== null || size === most || (byCoin && m.terms.query !== "" && size < most);
  need(sizeFits && sealedCount(entry, "documents") === size, "V09", "As many documents are sealed as `size` says, and that is min(N, documents left).", `${most}`, `${size}`); // 11
  need(byCoin || models === 1, "V09", "A batch by model seals one `model`."); // 12
  need(sealedCount(entry, "numbers") === 1, "V09", "It seals one `numbers`."); // 13

  const round = new Round(m.roundsBegun + 1, "batch", entry.body.sequence, size);
  const docs = Array.from({ length: size }, (_, index) => new Doc(entry.body.sequence, index, false));
  const named = openedField(entry, "documents");
  named?.indices.forEach((index, i) => {
    const read = readDocument(named.values.at(i)!);
    need(read !== null, "V09", "Each value of `documents` that the copy opens has its shape."); // 14
    docs[index]!.number = read.document;
    docs[index]!.name = read.name;
  });
  const here = new Set<number>();
  for (const { number } of docs) {
    if (number === null) continue;
    const isNew = number < m.documents && !m.known.has(number) && !here.has(number);
    need(isNew, "V09", "Each document that the copy names is in the corpus, and was not put up before."); // 15
    here.add(number);
  }
  const numbers = openedValue(entry, "numbers");
  if (numbers !== undefined) needNumbers(m, numbers, docs); // 16
  else m.allNumbersKnown = false;
  docs.forEach((doc, index) => {
    if (numbers !== undefined) doc.number = (numbers as number[])[index]!;
    if (doc.number !== null) m.known.add(doc.number);
    round.docs[index] = doc;
    round.places[index] = doc;
  });
  round.report = "awaited";
  round.nearCut = nearCut;
  m.round = round;
  m.roundsBegun++;
  m.putUp += size;
  m.drawFor = null;
  m.unreleasedNumbers.push(entry.body.sequence);
}

function needNumbers(m: Matter, value: unknown, docs: readonly Doc[]): void {
  const rule = "`numbers` is an array of `size` numbers of the corpus, none of them twice or put up before, as the copy names them.";
  need(isArray(value) && value.length === docs.length, "V09", rule);
  const seen = new Set<number>();
  (value as unknown[]).forEach((number, index) => {
    const fits = isNatural(number) && number < m.documents && !seen.has(number) && !m.known.has(number);
    need(fits && (docs[index]!.number ?? number) === number, "V09", rule);
    seen.add(number as number);
  });
}

export function report(m: Matter, entry: Entry): void {
  const round = m.round!;
  const { content } = entry.statement;
  const isCall = round.sort === "validation";
  const asked = isCall ? round.validation!.called : round.size;
  const wantsThreshold = !isCall && m.terms.protocol === "classifier";
  const claims = sealedCount(entry, "privilege");
  const seals =
    sealedCount(entry, "labels") === (asked === 0 ? 0 : 1) &&
    sealedCount(entry, "threshold") === (wantsThreshold ? 1 : 0) &&
    (claims === 0 || claims === asked);
  needFrom(seals, "V12", "alice", "The report seals one `labels`, a threshold if one is asked for, and a value of `privilege` for each position or none at all."); // 1
  const number = nextDraw(m, content["draw"]);
  beginDraw(m, number);
  spendLink(m, "alice", "alice", number, content["draw"], content["link"]); // 2, 3
  round.draw = number;
  round.answers = wordsHash(entry.statement as unknown as JsonObject);
  round.reportEntry = entry.body.sequence;
  round.reportSealsPrivilege = claims > 0;
  round.reportSealsLabels = asked > 0;
  round.report = "sealed";
  readLabels(m, round, entry, asked, wantsThreshold);
  readClaims(m, round, entry, asked);
  const names = Object.keys(entry.statement.sealed);
  if (names.every((name) => opensAll(entry, name))) {
    needFrom(content["openings"] === entry.openingsHash, "V12", "alice", "`openings` is the hash of the report's openings."); // 10
  }
}

/** Conditions 4 to 6, where the copy shows the labels and the threshold. */
function readLabels(m: Matter, round: Round, entry: Entry, asked: number, wantsThreshold: boolean): void {
  const labels = asked === 0 ? [] : openedValue(entry, "labels");
  const rank = openedValue(entry, "threshold");
  if (labels === undefined || (wantsThreshold && rank === undefined)) return;
  needFrom(isArray(labels) && labels.length === asked, "V12", "alice", "`labels` has a label for each position; after a `call`, for each that was called."); // 4
  if (wantsThreshold) needFrom(isNatural(rank) && rank <= round.size, "V12", "alice", "The threshold is a rank from 0 to the batch's size."); // 5
  const top = wantsThreshold ? (rank as number) : asked;
  const fit = labels.every((label, i) => (i < top ? typeof label === "boolean" : label === null));
  needFrom(fit, "V12", "alice", "The labels are true or false where one is asked for, and null elsewhere."); // 6
  // What was withheld before a call keeps the label false.
  round.labels = [...(labels as (boolean | null)[]), ...new Array<boolean>(round.size - asked).fill(false)];
  round.reportedThreshold = wantsThreshold ? (rank as number) : null;
  round.report = "on record";
  m.tally("V12");
}

/** Conditions 7 to 9, as far as the copy opens the claims. */
function readClaims(m: Matter, round: Round, entry: Entry, asked: number): void {
  if (!round.reportSealsPrivilege) return;
  const opened = openedValues(entry, "privilege");
  let named = 0;
  for (let index = 0; index < asked; index++) {
    round.claims[index] = undefined;
    round.claimPlaces[index] = { entry: entry.body.sequence, index };
    const value = opened.get(index);
    if (value === undefined) continue;
    const claim = value === null ? null : readClaim(value, { classes: m.terms.classes, parts: m.unit === "family" });
    needFrom(value === null || claim !== null, "V12", "alice", "Each value of `privilege` is null, a basis, a class of the terms, or with the unit `family` a claim for parts."); // 7
    if (value !== null && namesClass(value)) named++;
    round.claims[index] = claim;
  }
  round.reportOpensAllClaims = opened.size === asked;
  if (opened.size === asked) {
    needFrom([...opened.values()].some((value) => value !== null), "V12", "alice", "Not all values of `privilege` are null."); // 8
  }
  needWithinShare(m, named); // 9
  for (let index = 0; index < asked; index++) {
    const doc = round.docs[index];
    if (doc == null) continue;
    doc.claim = round.claims[index];
    doc.claimPlace = round.claimPlaces[index]!;
  }
}

/** A class is named for at most floor(share · documents), in all reports and claims together. */
export function needWithinShare(m: Matter, named: number): void {
  if (named === 0) return;
  m.classesNamed += named;
  const { share } = m.numbers;
  const most = share === null ? 0 : Number((share.num * BigInt(m.documents)) / share.den);
  needFrom(m.classesNamed <= most, "V25", "alice", "A class is named for at most floor(`share` · documents).", `${most}`, `${m.classesNamed}`);
}

