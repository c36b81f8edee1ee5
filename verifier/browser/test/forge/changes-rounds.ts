/** Changes to the rounds: draws and links, batches, reports, escalations and validations. */
import type { Entry, Free } from "./matter.ts";
import { corpusAnew } from "./corpus.ts";
import { type Act, addSealed, ALICE_AND_COURT, answersTo, at, type Change, contentOf, copyOf, cutAfter, dropSealed, fit, type Forge, inContent, isKeyed, isShown, kindOf, listChanged, nudged, ofKind, openedIn, opening, placeOf, questionOf, quiet, releasingOtherwise, remove, roundsFirst, say, seal, shaped, sizeOf, statementOf, terms, toOne } from "./tools.ts";

const ROUND = ["batch", "escalation", "validation", "call"];
const SPENDING = ["link", "report", "look"];
/** The values that a field opens, where a copy opens any. */
const opened = (kinds: string | readonly string[], field: string, act: (values: Free[], set: (i: number, value: Free) => void, forge: Forge, entry: Entry) => boolean | void): Act =>
  (forge) => toOne(ofKind(forge.matter, ...[kinds].flat()).filter((entry) => openedIn(entry, field).length > 0), forge.random, (entry) => {
    const list = openedIn(entry, field);
    return act(list.map(({ value }) => value), (i, value) => { list[i]!.value = value; }, forge, entry);
  });

/** Where a content spends a link: its own, or Trent's in `drawn`. */
const spent = (act: (spending: Record<string, Free>, forge: Forge, entry: Entry) => boolean | void): Act => (forge) =>
  toOne(shaped(forge.matter).filter((entry) => typeof contentOf(entry)["link"] === "string" || isKeyed(contentOf(entry)["drawn"])), forge.random, (entry) => {
    const content = contentOf(entry);
    return act(isKeyed(content["drawn"]) ? content["drawn"] : content, forge, entry);
  });

/** A round once more: its first entry comes again where nobody must answer. */
function again(forge: Forge, kind: string, where: "between" | "open"): boolean {
  const [first] = ofKind(forge.matter, kind);
  const after = quiet(forge, where);
  if (first === undefined || after === null) return false;
  cutAfter(forge, after);
  const rounds = ofKind(forge.matter, ...ROUND).map((entry) => statementOf(entry).round);
  const copy = copyOf(forge, first, after);
  statementOf(copy).round = Math.max(0, ...rounds) + 1;
  if (forge.random.isOneIn(2) && where === "between") copy.body.releases = [];
  fit(forge);
  return true;
}

/** Begins a round of another sort where a round could begin. */
function begin(forge: Forge, kind: "escalation" | "draw" | "batch"): boolean {
  const { matter, random } = forge;
  const after = quiet(forge, random.isOneIn(4) ? "open" : "between");
  if (after === null) return false;
  cutAfter(forge, after);
  const round = Math.max(0, ...ofKind(matter, ...ROUND).map((entry) => statementOf(entry).round)) + 1;
  const draws = ofKind(matter, "draw", "report", "look").map((entry) => contentOf(entry)["draw"] as number);
  if (kind === "draw") say(forge, after, { author: "trent", kind, round, asks: ["alice", "bob"], content: { draw: Math.max(0, ...draws) + 1 } });
  else if (kind === "escalation") say(forge, after, { author: "trent", kind, round, asks: ["alice"], content: { size: 1 + random.below(8) } });
  else {
    const size = Math.min(terms(matter)["batch"] as number, 1 + random.below(10));
    const isModel = random.isOneIn(2);
    const numbers = Array.from({ length: size }, (_, i) => i);
    const entry = say(forge, after, { author: "trent", kind, round, asks: ["alice"], content: { drawn: null, near_cut: isModel ? 0 : null, size } });
    seal(forge, entry, "documents", ALICE_AND_COURT, numbers.map((document) => ({ document, name: `x${document}` })));
    seal(forge, entry, "numbers", ALICE_AND_COURT, [numbers]);
  }
  return true;
}

const basis = (forge: Forge): Free => forge.random.pick<Free>(["", "x", "x".repeat(2000), "x".repeat(2001), "\u{1f600}".repeat(2000), "\u{1f600}".repeat(2001), 1, false, [], {}, { class: "no-such" }, { class: classOf(forge) }, { class: classOf(forge), more: 1 }, { basis: "x" }, { basis: "x", parts: [] }, { basis: "x", parts: [0, 0] }, { basis: "x", parts: [1, 0] }, { basis: "", parts: [0] }, { basis: "x", parts: [65535] }, { basis: "x", parts: [65536] }, { basis: "x", parts: [-1] }, { basis: "x", parts: [0] }, { basis: "x", parts: [0, 1, 2] }, { basis: "x".repeat(2001), parts: [0] }]);
const classOf = ({ matter, random }: Forge): string => (isKeyed(terms(matter)["classes"]) ? random.pick(terms(matter)["classes"].names as string[]) : "personal");

export const ROUNDS: readonly Change[] = [
  // Draws and links.
  ["V08", "a draw has another number", inContent("draw", (content, { random }) => {
    content["draw"] = Math.max(1, nudged(content["draw"], random));
  })],
  ["V08", "a draw has another number, and its links too", at("draw", (entry, { matter, random }) => {
    const by = random.pick([1, -1]);
    if (contentOf(entry)["draw"] + by < 1) return false;
    for (const one of [entry, ...answersTo(matter, entry)]) contentOf(one)["draw"] += by;
    return true;
  })],
  ["", "a draw that nobody needs", (forge) => begin(forge, "draw")],
  ["V08", "a link is for another draw", spent((spending, { random }) => {
    if (typeof spending["draw"] !== "number") return false;
    spending["draw"] = Math.max(1, spending["draw"] + random.pick([1, -1]));
    return true;
  })],
  ["V08", "a link is nothing's", spent((spending, { random }) => { spending["link"] = random.hash(); })],
  ["V08", "a link is given again, or is the anchor", spent((spending, { matter, random }, entry) => {
    const role = statementOf(entry).author;
    const earlier = shaped(matter).slice(0, placeOf(matter, entry)).filter((one) => statementOf(one).author === role).flatMap((one) => [contentOf(one)["link"], contentOf(one)["drawn"]?.link, contentOf(one)["anchor"]]).filter((link) => typeof link === "string");
    if (earlier.length === 0) return false;
    spending["link"] = random.pick(earlier);
    return true;
  })],
  ["V08", "a link is one that comes later", spent((spending, { matter }, entry) => {
    const next = shaped(matter).slice(placeOf(matter, entry) + 1).find((one) => statementOf(one).author === statementOf(entry).author && typeof (contentOf(one)["link"] ?? contentOf(one)["drawn"]?.link) === "string");
    if (next === undefined) return false;
    spending["link"] = contentOf(next)["link"] ?? contentOf(next)["drawn"].link;
    return true;
  })],
  ["V08", "a link is another's", spent((spending, { matter }, entry) => {
    const other = ofKind(matter, ...SPENDING).find((one) => statementOf(one).author !== statementOf(entry).author && contentOf(one)["draw"] === spending["draw"]);
    if (other === undefined) return false;
    spending["link"] = contentOf(other)["link"];
    return true;
  })],
  ["V05", "a link is null where one is due, or stands where none is", (forge) => toOne(shaped(forge.matter).filter((entry) => "link" in contentOf(entry)), forge.random, (entry) => {
    contentOf(entry)["link"] = contentOf(entry)["link"] === null ? forge.random.hash() : null;
  })],
  // Batches.
  ["V09", "a batch states another size", inContent("batch", (content, { random }) => {
    content["size"] = Math.max(1, nudged(content["size"], random));
  })],
  ["V09", "a batch is smaller, in all that it says", at("batch", (entry, forge) => {
    const size = contentOf(entry)["size"] as number;
    if (size < 2) return false;
    contentOf(entry)["size"] = size - 1;
    dropSealed(entry, "documents", size - 1);
    openedIn(entry, "numbers")[0]?.value.pop();
    for (const answer of answersTo(forge.matter, entry)) {
      dropSealed(answer, "privilege", size - 1);
      openedIn(answer, "labels")[0]?.value.pop();
    }
    return true;
  })],
  ["V09", "a batch by coin states what one by model does, or the other way", inContent("batch", (content, { random }) => {
    switch (random.below(3)) {
      case 0:
        content["near_cut"] = content["near_cut"] === null ? 0 : null;
        break;
      case 1:
        content["drawn"] = content["drawn"] === null ? { draw: 1, link: random.hash() } : null;
        break;
      default:
        content["near_cut"] = random.pick([2 ** 53 - 1, 0]);
    }
  })],
  ["V09", "a batch has a model, or has none, or two", at("batch", (entry, forge) => {
    const model = statementOf(entry).sealed["model"];
    if (model === undefined) seal(forge, entry, "model", ["court"], [null]); else if (forge.random.isOneIn(2)) {
      delete statementOf(entry).sealed["model"];
      delete entry.opened!["model"];
      entry.tail = entry.tail.filter(({ kind }) => kind === "checkpoint");
    } else addSealed(forge, entry, "model", "x");
  })],
  ["V09", "a batch has numbers twice, or none", at("batch", (entry, forge) => {
    if (forge.random.isOneIn(2)) addSealed(forge, entry, "numbers", []); else {
      delete statementOf(entry).sealed["numbers"];
      delete entry.opened!["numbers"];
    }
  })],
  ["V09", "the numbers of a batch are others", opened("batch", "numbers", ([numbers], set, { random, matter }) => set(0, random.pick([listChanged(numbers as number[], random, contentOf(opening(matter))["corpus"].documents), [...numbers].reverse(), numbers.map((n: number, i: number) => (i === 0 ? contentOf(opening(matter))["corpus"].documents : n)), numbers.map((n: number, i: number) => (i === 0 ? -1 : n)), null, {}])))],
  ["V09", "a document of a batch is another", opened("batch", "documents", (values, set, { random, matter }) => {
    const i = random.below(values.length);
    const documents = contentOf(opening(matter))["corpus"].documents as number;
    set(i, random.pick<Free>([{ ...values[i], document: random.pick([documents, documents - 1, 0, -1]) }, { ...values[i], name: "" }, { ...values[i], name: 1 }, { ...values[i], more: 1 }, values[0], null, { document: values[i].document }]));
  })],
  ["V09", "a document of a batch is another, in its numbers too", (forge) => toOne(ofKind(forge.matter, "batch").filter((entry) => isShown(entry, "documents") && isShown(entry, "numbers")), forge.random, (entry) => {
    const { random, matter } = forge;
    const numbers = openedIn(entry, "numbers")[0]!.value as number[];
    const i = random.below(numbers.length);
    const others = ofKind(matter, "batch").filter((one) => one !== entry).flatMap((one) => (openedIn(one, "numbers")[0]?.value as number[]) ?? []);
    const document = random.pick([contentOf(opening(matter))["corpus"].documents as number, ...others.slice(0, 8), numbers[0]!]);
    numbers[i] = document;
    openedIn(entry, "documents")[i]!.value.document = document;
  })],
  ["", "two documents of a batch change places", (forge) => toOne(ofKind(forge.matter, "batch").filter((entry) => isShown(entry, "documents") && isShown(entry, "numbers") && openedIn(entry, "documents").length > 1), forge.random, (entry) => {
    const [a, b] = openedIn(entry, "documents");
    [a!.value, b!.value] = [b!.value, a!.value];
    const numbers = openedIn(entry, "numbers")[0]!.value;
    [numbers[0], numbers[1]] = [numbers[1], numbers[0]];
  })],
  ["", "a batch that is not due", (forge) => begin(forge, "batch")],
  ["", "a batch comes once more", (forge) => again(forge, "batch", forge.random.pick(["between", "open"]))],
  // Reports.
  ["V12", "a report has a label too few or too many", opened("report", "labels", ([labels], set, { random }) => {
    if (!Array.isArray(labels)) return false;
    set(0, random.isOneIn(2) ? labels.slice(0, -1) : [...labels, false]);
    return true;
  })],
  ["V12", "a label of a report is none, or stands where none is asked for", opened("report", "labels", ([labels], set, { random }) => {
    if (!Array.isArray(labels) || labels.length === 0) return false;
    const i = random.below(labels.length);
    set(0, labels.map((label, j) => (j === i ? (label === null ? random.pick([true, false]) : random.pick<Free>([null, 0, "true"])) : label)));
    return true;
  })],
  ["V13", "a label of a report is the other one", opened("report", "labels", ([labels], set, { random }) => {
    if (!Array.isArray(labels) || labels.length === 0) return false;
    const i = random.below(labels.length);
    set(0, labels.map((label, j) => (j === i && label !== null ? !label : label)));
    return true;
  })],
  ["V12", "the labels of a report are no list", opened("report", "labels", (_, set, { random }) => set(0, random.pick<Free>([null, {}, [[]], "", []])))],
  ["V12", "a report seals labels twice, or none", at("report", (entry, forge) => {
    if (statementOf(entry).sealed["labels"] === undefined) seal(forge, entry, "labels", ALICE_AND_COURT, [[]]); else if (forge.random.isOneIn(2)) addSealed(forge, entry, "labels", []); else {
      delete statementOf(entry).sealed["labels"];
      delete entry.opened!["labels"];
    }
  })],
  ["V12", "a threshold is beyond the batch, or no rank", opened("report", "threshold", (_, set, { random, matter }, entry) => set(0, random.pick<Free>([-1, 0, sizeOf(questionOf(matter, entry) ?? entry), sizeOf(questionOf(matter, entry) ?? entry) + 1, null, "1", true])))],
  ["V12", "a threshold is one more or less, with its labels", (forge) => toOne(ofKind(forge.matter, "report").filter((entry) => isShown(entry, "threshold") && isShown(entry, "labels")), forge.random, (entry) => {
    const [threshold, labels] = [openedIn(entry, "threshold")[0]!, openedIn(entry, "labels")[0]!];
    const by = forge.random.pick([1, -1]);
    threshold.value += by;
    const at = by > 0 ? threshold.value - 1 : threshold.value;
    if (at >= 0 && at < labels.value.length) labels.value[at] = by > 0 ? forge.random.isOneIn(2) : null;
  })],
  ["V12", "a threshold stands where none is asked for, or the other way", at("report", (entry, forge) => {
    if (statementOf(entry).sealed["threshold"] === undefined) seal(forge, entry, "threshold", ALICE_AND_COURT, [1]); else {
      delete statementOf(entry).sealed["threshold"];
      delete entry.opened!["threshold"];
    }
  })],
  ["V12", "a report claims nothing at all, in as many words", (forge) => toOne(ofKind(forge.matter, "report"), forge.random, (entry) => {
    const question = questionOf(forge.matter, entry);
    if (question === undefined) return false;
    const size = sizeOf(kindOf(question) === "again" ? entry : question);
    if (size === 0) return false;
    seal(forge, entry, "privilege", ALICE_AND_COURT, Array<Free>(size).fill(null));
    return true;
  })],
  ["V12", "the claims of a report are too few or too many", at("report", (entry, forge) => {
    const sealed = statementOf(entry).sealed["privilege"];
    if (sealed === undefined) return false;
    if (forge.random.isOneIn(2)) addSealed(forge, entry, "privilege", null); else dropSealed(entry, "privilege", sealed.commitments.length - 1);
    return true;
  })],
  ["V12", "a claim of a report has another form", opened("report", "privilege", (values, set, forge) => set(forge.random.below(values.length), basis(forge)))],
  ["V12", "a claim stands in a report that had none", at("report", (entry, forge) => {
    const question = questionOf(forge.matter, entry);
    if (question === undefined || statementOf(entry).sealed["privilege"] !== undefined || sizeOf(question) === 0) return false;
    const i = forge.random.below(sizeOf(question));
    seal(forge, entry, "privilege", ALICE_AND_COURT, Array.from({ length: sizeOf(question) }, (_, j) => (i === j ? basis(forge) : null)));
    return true;
  })],
  ["V25", "every claim of a report is a class", opened("report", "privilege", (values, set, forge) => {
    if (!isKeyed(terms(forge.matter)["classes"])) return false;
    values.forEach((_, i) => set(i, { class: classOf(forge) }));
    return true;
  })],
  ["V12", "a report signs other openings", at("report", (entry, { random }) => {
    entry.keep.add("openings");
    contentOf(entry)["openings"] = random.pick([random.hash(), entry.statementId]);
  })],
  ["", "an opening of a report matches nothing, and Alice signs it", (forge) => toOne(ofKind(forge.matter, "report").filter((entry) => !entry.keep.has("openings")), forge.random, (entry) => {
    const { random } = forge;
    const field = random.pick(Object.keys(entry.opened!));
    if (field === undefined) return false;
    const one = openedIn(entry, field)[0]!;
    switch (random.below(3)) {
      case 0:
        entry.keep.add(`commitments/${field}/${one.index}`);
        one.salt = random.hash();
        break;
      case 1:
        entry.opened![field] = [...openedIn(entry, field), { index: 50, salt: random.hash(), value: null }];
        break;
      default:
        entry.opened![random.pick(["threshold", "extra"])] = [{ index: 0, salt: random.hash(), value: null }];
    }
    return true;
  })],
  ["", "openings of a report stand twice or in disorder, and Alice signs it", (forge) => toOne(ofKind(forge.matter, "report").filter((entry) => !entry.keep.has("openings") && Object.keys(entry.opened!).length > 0), forge.random, (entry) => {
    const field = forge.random.pick(Object.keys(entry.opened!));
    const list = openedIn(entry, field);
    entry.opened![field] = forge.random.isOneIn(2) ? [...list, { ...list.at(-1)! }] : [...list].reverse();
  })],
  // Escalations.
  ["V27", "an escalation states another size", inContent("escalation", (content, { random }) => {
    content["size"] = Math.max(1, nudged(content["size"], random));
  })],
  ["V27", "an escalation that is not due", (forge) => begin(forge, "escalation")],
  ["V27", "an escalation comes once more", (forge) => again(forge, "escalation", "between")],
  ["V27", "an escalation is left out", (forge) => leaveOut(forge, "escalation")],
  ["V27", "a look gives up other positions", inContent("look", (content, { random, matter }, entry) => {
    const size = contentOf(roundsFirst(matter, statementOf(entry).round) ?? entry)["size"] as number;
    content["positions"] = random.pick([listChanged(content["positions"] as number[], random, size), listChanged(content["positions"] as number[], random, size + 1), [1, size], [2, 1], [0], []]);
  })],
  // Validations.
  ["V28", "a validation has another number", inContent(["validation", "call"], (content, { random }) => {
    content["number"] = Math.max(1, nudged(content["number"], random));
  })],
  ["V28", "a validation draws others", inContent(["validation", "call"], (content, { random, matter }) => {
    content["numbers"] = random.pick([listChanged(content["numbers"] as number[], random, contentOf(opening(matter))["corpus"].documents), [...content["numbers"], contentOf(opening(matter))["corpus"].documents - 1]]);
  })],
  ["V28", "a validation draws one less, in all that it says", at(["validation", "call"], (entry, forge) => {
    const numbers = contentOf(entry)["numbers"] as number[];
    if (numbers.length === 0) return false;
    const i = forge.random.below(numbers.length);
    numbers.splice(i, 1);
    contentOf(entry)["reviewed"] = (contentOf(entry)["reviewed"] as number[]).filter((p) => p !== i + 1).map((p) => (p > i + 1 ? p - 1 : p));
    if (numbers.length === 0) {
      delete statementOf(entry).sealed["documents"];
      delete entry.opened!["documents"];
    } else dropSealed(entry, "documents", i);
    return true;
  })],
  ["V28", "a validation draws one more, in all that it says", at(["validation", "call"], (entry, forge) => {
    const numbers = contentOf(entry)["numbers"] as number[];
    const free = Array.from({ length: contentOf(opening(forge.matter))["corpus"].documents as number }, (_, n) => n).filter((n) => !numbers.includes(n) && n > (numbers.at(-1) ?? -1));
    if (free.length === 0 || numbers.length === 0) return false;
    const number = forge.random.pick(free);
    numbers.push(number);
    addSealed(forge, entry, "documents", { document: number, name: "x" });
    return true;
  })],
  ["V28", "a validation says of others that they were reviewed", inContent(["validation", "call"], (content, { random }) => {
    content["reviewed"] = listChanged(content["reviewed"] as number[], random, content["numbers"].length + random.below(2));
  })],
  ["V28", "a validation seals documents too few or too many, or of other numbers", at(["validation", "call"], (entry, forge) => {
    const { random } = forge;
    if (statementOf(entry).sealed["documents"] === undefined) {
      seal(forge, entry, "documents", ALICE_AND_COURT, [{ document: 0, name: "x" }]);
      return true;
    }
    switch (random.below(3)) {
      case 0:
        addSealed(forge, entry, "documents", { document: 0, name: "x" });
        break;
      case 1:
        dropSealed(entry, "documents", 0);
        break;
      default:
        {
          const list = openedIn(entry, "documents");
          if (list.length === 0) return false;
          list[0]!.value = random.pick<Free>([null, { ...list[0]!.value, document: 39 }, { ...list[0]!.value, name: null }]);
        }
    }
    return true;
  })],
  ["V28", "a validation does not release the numbers, or other things", releasingOtherwise(["validation", "call"], ([release]) => {
    if (release === undefined) return false;
    release.indices = [0];
    return true;
  }, (releases) => {
    releases.length = Math.max(0, releases.length - 1);
    return true;
  })],
  ["V28", "a validation comes once more", (forge) => again(forge, forge.random.pick(["validation", "call"]), "between")],
  ["V28", "a validation is left out", (forge) => leaveOut(forge, forge.random.pick(["validation", "call"]))],
  ["V28", "a validation in one stage in place of two, or the other way", at(["validation", "call"], (entry) => {
    statementOf(entry).kind = kindOf(entry) === "call" ? "validation" : "call";
  })],
  ["V28", "the draw of a validation is left out", (forge) => toOne(ofKind(forge.matter, "draw").filter((entry) => {
    const next = ofKind(forge.matter, ...ROUND).find((one) => placeOf(forge.matter, one) > placeOf(forge.matter, entry));
    return next !== undefined && ["validation", "call"].includes(kindOf(next));
  }), forge.random, (entry) => {
    for (const answer of answersTo(forge.matter, entry)) remove(forge.matter, answer);
    remove(forge.matter, entry);
    fit(forge);
  })],
  ["", "the corpus is the forger's, and all proofs lead there", (forge) => corpusAnew(forge.matter, forge.random)],
];

/** Takes a whole round out, and what comes after the next begins; so the record ends there, or the numbers of rounds are fitted. */
function leaveOut(forge: Forge, kind: string): boolean {
  const { matter, random } = forge;
  const firsts = ofKind(matter, kind);
  if (firsts.length === 0) return false;
  const { round } = statementOf(random.pick(firsts));
  for (const entry of shaped(matter).filter((one) => statementOf(one).round === round && round > 0)) remove(matter, entry);
  for (const entry of shaped(matter)) if (statementOf(entry).round > round) statementOf(entry).round -= 1;
  fit(forge);
  return true;
}
