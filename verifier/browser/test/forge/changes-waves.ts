/** Changes to what goes out in a round: camera and privilege, claims, waves, labels, rulings, the close, and clawbacks. */
import { corpusAnew, freeNumber, inventedProof, pathAnew, proofsIn } from "./corpus.ts";
import { audienceOf, type Entry, type Free, type Matter } from "./matter.ts";
import type { Random } from "./random.ts";
import { type Act, addSealed, ALICE_AND_COURT, ALL, answersTo, at, before, type Change, contentOf, cutAfter, dropSealed, fit, type Forge, inContent, isKeyed, kindOf, listChanged, nudged, ofKind, openedIn, openRound, placeOf, questionOf, quiet, releasingOtherwise, remove, roundsFirst, roundsReport, say, seal, sizeOf, statementOf, terms, toOne } from "./tools.ts";

const size = (matter: Matter, entry: Entry): number => sizeOf(roundsFirst(matter, statementOf(entry).round) ?? entry);
const positions = (entry: Entry): number[] => contentOf(entry)["positions"] as number[];

/** Takes a position out of an entry that lists some, and out of all that answers it. */
function dropPosition(forge: Forge, entry: Entry, i: number): void {
  const { matter } = forge;
  positions(entry).splice(i, 1);
  dropSealed(entry, "proofs", i);
  let at = i;
  for (const release of entry.body.releases) {
    const { indices } = release;
    if (indices !== null && at < indices.length) indices.splice(at, 1);
    at -= indices?.length ?? 0;
    if (at < 0) break;
  }
  entry.body.releases = entry.body.releases.filter(({ indices }) => indices === null || indices.length > 0);
  for (const answer of answersTo(matter, entry)) {
    for (const field of ["labels", "upheld", "parts"]) contentOf(answer)[field]?.splice(i, 1);
    dropSealed(answer, "reasons", i);
  }
}

/** Nobody disputes a position any more. */
function dropDispute(forge: Forge, round: number, position: number): void {
  const { matter } = forge;
  const dispute = ofKind(matter, "dispute").find((one) => statementOf(one).round === round && positions(one).includes(position));
  if (dispute === undefined) return;
  if (positions(dispute).length > 1) return dropPosition(forge, dispute, positions(dispute).indexOf(position));
  for (const answer of answersTo(matter, dispute)) remove(matter, answer);
  remove(matter, dispute);
}

/** A wave or a camera without one of its positions, in all that it says, seals and releases. */
function without(kind: string): Act {
  return at(kind, (entry, forge) => {
    const original = structuredClone(forge.matter);
    const list = positions(entry);
    if (list.length < 2) return false;
    const i = forge.random.below(list.length);
    if (kind === "disclosure") dropDispute(forge, statementOf(entry).round, list[i]!);
    dropPosition(forge, entry, i);
    fit(forge);
    return pathAnew(forge.matter, original, entry);
  });
}

/** A wave with one position more that was not due, in a corpus that has it. */
function withOneMore(entry: Entry, forge: Forge): boolean {
  const { matter, random } = forge;
  const round = statementOf(entry).round;
  const batch = roundsFirst(matter, round);
  if (batch === undefined || kindOf(batch) !== "batch") return false;
  const shown = new Set(ofKind(matter, "disclosure").filter((one) => statementOf(one).round === round).flatMap(positions));
  const free = Array.from({ length: size(matter, entry) }, (_, i) => i + 1).filter((position) => !shown.has(position) && position > (positions(entry).at(-1) ?? 0));
  if (free.length === 0) return false;
  const position = random.pick(free);
  positions(entry).push(position);
  entry.body.releases.find(({ field, indices }) => field === "documents" && indices !== null)?.indices!.push(position - 1);
  const number = freeNumber(matter, random);
  fit(forge);
  const document = openedIn(batch, "documents").find(({ index }) => index === position - 1)?.value;
  // In Bob's copy it was invented.
  if (number !== null && document?.document >= 1_000) document.document = number;
  const so = proofsIn(matter).find(({ opening }) => opening.value?.parts?.[0]?.rest?.name === document?.name);
  addSealed(forge, entry, "proofs", document === undefined || so === undefined ? inventedProof(document?.name ?? "x", random) : structuredClone(so.opening.value));
  for (const answer of answersTo(matter, entry)) {
    contentOf(answer)["labels"]?.push(false);
    if (statementOf(answer).sealed["reasons"] !== undefined) addSealed(forge, answer, "reasons", " ".repeat(256));
  }
  return audienceOf(matter) === "public" || corpusAnew(matter, random);
}

/** Two waves change places, with what answers them. */
function wavesSwapped(forge: Forge): boolean {
  const { matter } = forge;
  const waves = ofKind(matter, "disclosure");
  return toOne(waves, forge.random, (first) => {
    const second = waves.find((one) => one !== first && statementOf(one).round === statementOf(first).round && placeOf(matter, one) > placeOf(matter, first));
    if (second === undefined) return false;
    const pairs = [[first, answersTo(matter, first)[0]], [second, answersTo(matter, second)[0]]] as const;
    const places = pairs.flatMap((pair) => pair.map((one) => (one === undefined ? -1 : placeOf(matter, one))));
    if (places.includes(-1)) return false;
    const [a, b, c, d] = places as [number, number, number, number];
    [matter.entries[a], matter.entries[b], matter.entries[c], matter.entries[d]] = [second, pairs[1][1]!, first, pairs[0][1]!];
    return true;
  });
}

/** Reasons, filled up or not. */
const reason = (random: Random): Free => random.pick<Free>([" ".repeat(256), "x".padEnd(256), "x".repeat(256), "x", "", "x".padEnd(255), "x".padEnd(257), "x".padEnd(512), "x".repeat(257).padEnd(512), "x".repeat(2000).padEnd(2048), "x".repeat(2001).padEnd(2048), "x".repeat(2048), "\u{1f600}".padEnd(257), "\u{1f600}".repeat(200).padEnd(456), " x".padEnd(256), "x\u00a0".padEnd(256), "\n".padEnd(256), "x".padEnd(255) + "\t", null, 1]);

const REASONED = ["labels", "rulings", "privilege", "returned"];
const reasonsFor = (entry: Entry): string[] => (["privilege", "returned"].includes(kindOf(entry)) ? ALICE_AND_COURT : ALL);
const ruled = (entry: Entry): number => (contentOf(entry)["labels"] ?? contentOf(entry)["upheld"] ?? []).length as number;

const proofs = (act: (proof: Free, set: (proof: Free) => void, forge: Forge, entry: Entry) => boolean | void): Act => (forge) => {
  const all = proofsIn(forge.matter);
  if (all.length === 0) return false;
  const { entry, opening: one } = forge.random.pick(all);
  return act(one.value, (value) => (one.value = value), forge, entry);
};

/** Trent asks for a claim or for documents back, and Alice answers; the copy ends there, or goes on. */
function ask(forge: Forge, kind: "late" | "clawback", answer: (round: number, after: Entry) => { content: Record<string, Free>; bases: Free[]; asksCourt: boolean }): boolean {
  const { matter, random } = forge;
  const after = quiet(forge, kind === "late" && !random.isOneIn(6) ? "open" : "anywhere");
  if (after === null) return false;
  if (random.isOneIn(2)) cutAfter(forge, after);
  const round = kind === "late" ? (openRound(matter, after) ?? 1) : 0;
  const question = say(forge, after, { author: "trent", kind, round, asks: ["alice"] });
  const { content, bases, asksCourt } = answer(round, after);
  const audiences = kind === "late" ? ALICE_AND_COURT : ALL;
  const said = say(forge, question, { author: "alice", kind: kind === "late" ? "claim" : "reclaim", content, round, asks: asksCourt ? ["court"] : [], answers: question, sealed: bases.length > 0 ? { privilege: { audiences, values: bases } } : {} });
  if (asksCourt) say(forge, said, { author: "court", kind: "returned", content: { upheld: bases.map(() => random.isOneIn(2)) }, answers: said });
  return true;
}

/** What Bob was shown, by round and position. */
const shownTo = (matter: Matter, upTo: Entry): { position: number; round: number }[] =>
  ofKind(matter, "disclosure").filter((entry) => placeOf(matter, entry) <= placeOf(matter, upTo)).flatMap((entry) => positions(entry).map((position) => ({ position, round: statementOf(entry).round })));

/** Turns one label or ruling, and says which. */
function turn(content: Record<string, Free>, random: Random): number {
  const i = random.below(content["labels"].length);
  content["labels"][i] = !content["labels"][i];
  return i;
}
const turned = (content: Record<string, Free>, { random }: Forge): void => { turn(content, random); };

/** Turns one label or ruling, and the close of its round follows. */
const turnedWithClose = (kind: "labels" | "rulings"): Act => inContent(kind, (content, { matter, random }, entry) => {
  const question = questionOf(matter, entry);
  const close = ofKind(matter, "closed").find((one) => statementOf(one).round === statementOf(entry).round);
  if (question === undefined || close === undefined) return false;
  const position = positions(question)[turn(content, random)]!;
  const so = contentOf(close)["responsive"] as number[];
  contentOf(close)["responsive"] = so.includes(position) ? so.filter((one) => one !== position) : [...so, position].sort((a, b) => a - b);
  return true;
});

export const WAVES: readonly Change[] = [
  // In camera.
  ["V25", "a camera leaves out a position", without("camera")],
  ["V25", "a camera lists other positions", inContent("camera", (content, { random, matter }, entry) => {
    content["positions"] = listChanged(content["positions"] as number[], random, random.pick([size(matter, entry), size(matter, entry) + 1]));
  })],
  ["V25", "a camera lists no position, or the position 0", inContent("camera", (content, { random }) => {
    content["positions"] = random.pick([[], [0], [2 ** 31]]);
  })],
  ["V25", "a camera releases other bases, or none", releasingOtherwise("camera", ([release]) => {
    if (release === undefined) return false;
    release.indices = null;
    return true;
  }, ([release], random) => {
    if (release?.indices == null) return false;
    release.indices = listChanged(release.indices, random, release.indices.at(-1)! + 1);
    return true;
  })],
  ["V25", "a camera is left out", (forge) => toOne(ofKind(forge.matter, "camera"), forge.random, (entry) => {
    for (const answer of answersTo(forge.matter, entry)) remove(forge.matter, answer);
    remove(forge.matter, entry);
    fit(forge);
  })],
  ["V25", "the court upholds all, or nothing", inContent("privilege", (content, { random }) => {
    const { upheld } = content;
    if (!Array.isArray(upheld) || upheld.length === 0) return false;
    const i = random.below(upheld.length);
    upheld[i] = !upheld[i];
    return true;
  })],
  ["V25", "the court rules on one position too few, or too many", inContent(["privilege", "returned"], (content, { random }) => {
    const field = random.pick(["upheld", "parts"]);
    const list = content[field];
    if (!Array.isArray(list)) return false;
    if (random.isOneIn(2)) list.pop(); else list.push(field === "parts" ? [] : false);
    return true;
  })],
  ["V25", "the court upholds parts that nobody claims, or in disorder", inContent("privilege", (content, { random }) => {
    const { parts } = content;
    if (!Array.isArray(parts) || parts.length === 0) return false;
    const i = random.below(parts.length);
    parts[i] = random.pick([[0], [1], [], [0, 0], [1, 0], [65536], [0, 1, 2], [...parts[i], 7]]);
    if (random.isOneIn(2)) content["upheld"][i] = random.isOneIn(2);
    return true;
  })],
  // Late claims.
  ["V25", "Alice claims late what she may, or may not", (forge) => ask(forge, "late", (round) => {
    const first = roundsFirst(forge.matter, round);
    const all = Array.from({ length: first === undefined ? 3 : size(forge.matter, first) + 1 }, (_, i) => i + 1);
    const list = all.filter(() => forge.random.isOneIn(4));
    const bases = list.map(() => (forge.random.isOneIn(6) ? forge.random.pick<Free>(["", { class: "x" }, { basis: "x", parts: [0] }, { basis: "x", parts: [1] }, "x".repeat(2001)]) : "attorney-client"));
    return { content: { positions: list }, bases, asksCourt: false };
  })],
  ["V25", "Alice claims late nothing, or in disorder", (forge) => ask(forge, "late", () => {
    const list = forge.random.pick([[], [], [2, 1], [1, 1], [0]]);
    return { content: { positions: list }, bases: list.map(() => "x"), asksCourt: false };
  })],
  ["V25", "a claim names other positions", inContent("claim", (content, { random, matter }, entry) => {
    content["positions"] = listChanged(content["positions"] as number[], random, size(matter, entry) + random.below(2));
  })],
  ["V25", "a claim has a basis too few or too many", at(["claim", "reclaim"], (entry, forge) => {
    const sealed = statementOf(entry).sealed["privilege"];
    if (sealed === undefined) seal(forge, entry, "privilege", kindOf(entry) === "claim" ? ALICE_AND_COURT : ALL, ["x"]); else if (forge.random.isOneIn(2)) addSealed(forge, entry, "privilege", "x"); else if (sealed.commitments.length > 1) dropSealed(entry, "privilege", 0); else {
      delete statementOf(entry).sealed["privilege"];
      delete entry.opened!["privilege"];
    }
  })],
  ["V25", "a basis of a claim has another form", (forge) => toOne(ofKind(forge.matter, "claim", "reclaim").filter((entry) => openedIn(entry, "privilege").length > 0), forge.random, (entry) => {
    const { random, matter } = forge;
    const names = isKeyed(terms(matter)["classes"]) ? (terms(matter)["classes"].names as string[]) : ["personal"];
    random.pick(openedIn(entry, "privilege")).value = random.pick<Free>(["", "x".repeat(2000), "x".repeat(2001), null, { class: random.pick(names) }, { class: "no-such" }, { basis: "x", parts: [0] }, { basis: "x", parts: [1] }, { basis: "x", parts: [9] }, { basis: "x", parts: [] }]);
  })],
  // Clawbacks.
  ["V25", "Alice asks back what she may, or may not", (forge) => ask(forge, "clawback", (_, after) => {
    const shown = shownTo(forge.matter, after);
    const more = [{ position: 1, round: 99 }, { position: 99, round: 1 }];
    const list = [...shown, ...(forge.random.isOneIn(4) ? more : [])].filter(() => forge.random.isOneIn(4));
    if (!forge.random.isOneIn(4)) list.sort((a, b) => a.round - b.round || a.position - b.position);
    return { content: { documents: list }, bases: list.map(() => "x"), asksCourt: list.length > 0 };
  })],
  ["V25", "Alice asks nothing back", (forge) => ask(forge, "clawback", () => ({ content: { documents: [] }, bases: forge.random.isOneIn(3) ? ["x"] : [], asksCourt: forge.random.isOneIn(3) }))],
  ["V25", "a reclaim names other documents", inContent("reclaim", (content, { random, matter }, entry) => {
    content["documents"] = listChanged(content["documents"] as Free[], random, random.pick(shownTo(matter, entry).concat([{ position: 1, round: 99 }])));
  })],
  ["V05", "a reclaim names a document by something else", inContent("reclaim", (content, { random }) => {
    content["documents"] = random.pick<Free>([[{ position: 0, round: 1 }], [{ position: 1 }], [{ more: 1, position: 1, round: 1 }], [[1, 1]], null, [{ position: 2 ** 31 + 1, round: 1 }]]);
  })],
  ["V17", "the court lets Alice have back what it did not, or the other way", inContent("returned", (content, { random }) => {
    const { upheld } = content;
    const i = random.below(upheld.length);
    upheld[i] = !upheld[i];
  })],
  ["V05", "a clawback is of a round, or comes while somebody must answer", (forge) => {
    const isEarly = forge.random.isOneIn(2);
    const after = isEarly ? ofKind(forge.matter, "draw", "disclosure", "batch", "agreed", "reclaim")[0] : quiet(forge);
    if (after === undefined || after === null) return false;
    cutAfter(forge, after);
    say(forge, after, { author: "trent", kind: "clawback", round: isEarly ? 0 : 1, asks: ["alice"] });
    return true;
  }],
  // Waves.
  ["V13", "a wave leaves out a position", without("disclosure")],
  ["V13", "a wave shows a position that was not due", at("disclosure", withOneMore)],
  ["V13", "the waves come in another order", wavesSwapped],
  ["V13", "a wave is left out", (forge) => toOne(ofKind(forge.matter, "disclosure"), forge.random, (entry) => {
    for (const answer of answersTo(forge.matter, entry)) remove(forge.matter, answer);
    remove(forge.matter, entry);
    fit(forge);
  })],
  ["V13", "a wave is two waves", at("disclosure", (entry, forge) => {
    const { matter } = forge;
    const original = structuredClone(matter);
    const answer = answersTo(matter, entry)[0];
    const count = positions(entry).length;
    if (answer === undefined || kindOf(answer) !== "labels" || count < 2) return false;
    const pair = [entry, answer].map((one) => ({ ...structuredClone(one), id: forge.random.hash(), statementId: forge.random.hash(), number: 2_000_000 + forge.random.below(1_000_000), tail: [] })) as unknown as [Entry, Entry];
    statementOf(pair[1]).answers = pair[0].id;
    matter.entries.splice(placeOf(matter, answer) + 1, 0, ...pair);
    for (let i = count - 1; i > 0; i--) dropPosition(forge, entry, i);
    dropPosition(forge, pair[0], 0);
    fit(forge);
    return pathAnew(matter, original, entry) && pathAnew(matter, original, pair[0]);
  })],
  ["V13", "a wave lists other positions", inContent("disclosure", (content, { random, matter }, entry) => {
    content["positions"] = listChanged(content["positions"] as number[], random, random.pick([size(matter, entry), size(matter, entry) + 1]));
  })],
  ["V13", "a wave lists no position, or the position 0", inContent("disclosure", (content, { random }) => {
    content["positions"] = random.pick([[], [0, ...content["positions"]]]);
  })],
  ["V13", "a wave releases other documents, or none, or by null", at("disclosure", (entry, forge) => {
    const { random } = forge;
    const release = entry.body.releases[0];
    if (release === undefined) return false;
    switch (random.below(4)) {
      case 0:
        entry.body.releases.length = 0;
        break;
      case 1:
        release.indices = null;
        break;
      case 2:
        if (release.indices === null) return false;
        release.indices = listChanged(release.indices, random, release.indices.at(-1)! + 1);
        break;
      default:
        release.field = "numbers";
        release.indices = null;
    }
    fit(forge);
    return true;
  })],
  // Proofs.
  ["V14", "a path has a hash more or less, or another", (forge) => toOne(ofKind(forge.matter, "disclosure", "camera").filter((entry) => openedIn(entry, "path").length > 0), forge.random, (entry) => {
    const path = openedIn(entry, "path")[0]!;
    const { random } = forge;
    path.value = random.pick<Free>([`${path.value}${random.hash()}`, path.value.slice(64), path.value.slice(0, -64), `${random.hash()}${path.value.slice(64)}`, path.value.toUpperCase(), `${path.value}0`, null, [path.value], `${path.value.slice(64)}${path.value.slice(0, 64)}`]);
  })],
  ["V14", "a proof is another document's", at(["disclosure", "camera"], (entry) => {
    const list = openedIn(entry, "proofs");
    if (list.length < 2) return false;
    [list[0]!.value, list[1]!.value] = [list[1]!.value, list[0]!.value];
    return true;
  })],
  ["V14", "a proof is missing, or one too many", at(["disclosure", "camera"], (entry, forge) => {
    if (forge.random.isOneIn(2)) dropSealed(entry, "proofs", 0); else addSealed(forge, entry, "proofs", inventedProof("x", forge.random));
    return (statementOf(entry).sealed["proofs"]?.commitments.length ?? 0) > 0;
  })],
  ["V14", "a proof has another name, row or content", proofs((proof, set, { random }) => {
    const part = random.pick(proof.parts as Free[]);
    switch (random.below(5)) {
      case 0:
        if (!isKeyed(part.rest)) return false;
        part.rest.name = "another";
        break;
      case 1:
        proof.row = random.hash();
        break;
      case 2:
        part.content = random.hash();
        break;
      case 3:
        part.salt = random.hash();
        break;
      default:
        set(random.pick<Free>([null, { row: proof.row }, { ...proof, more: 1 }, { ...proof, parts: [] }, { ...proof, row: proof.row.toUpperCase() }]));
    }
    return true;
  })],
  ["V14", "a part of a proof is withheld that should be open", proofs((proof, _, { random }) => {
    const i = random.below(proof.parts.length);
    proof.parts[i] = { body: random.hash(), rest: random.hash(), salt: random.hash() };
  })],
  ["V14", "a part of a proof states what is empty, or equal", proofs((proof, _, { random }) => {
    const part = random.pick(proof.parts as Free[]);
    Object.assign(part, random.pick<Free>([{ log: {} }, { text: part.content }, { rest: { ...part.rest, paths: [] } }, { rest: { ...part.rest, custodians: null } }, { log: { parent: 0 } }, { log: { more: "x" } }, { rest: { ...part.rest, pages: -1 } }, { rest: { ...part.rest, extraction: {} } }, { rest: { ...part.rest, more: 1 } }]));
  })],
  ["V14", "a path is sealed twice", at(["disclosure", "camera"], (entry, forge) => addSealed(forge, entry, "path", ""))],
  // Labels, disputes, rulings.
  ["V15", "a label too few or too many", inContent(["labels", "rulings"], (content, { random }) => {
    if (random.isOneIn(2)) content["labels"].pop(); else content["labels"].push(true);
  })],
  ["V15", "Bob labels otherwise", inContent("labels", turned)],
  ["V15", "Bob labels otherwise where nothing was disputed, and the close follows", turnedWithClose("labels")],
  ["V16", "the court rules otherwise", inContent("rulings", turned)],
  ["V17", "the court rules otherwise, and the close follows", turnedWithClose("rulings")],
  ["V15", "a dispute leaves out a position", (forge) => toOne(ofKind(forge.matter, "dispute").filter((entry) => positions(entry).length > 1), forge.random, (entry) => {
    dropPosition(forge, entry, forge.random.below(positions(entry).length));
  })],
  ["V15", "a dispute has a position on which all agree", (forge) => toOne(ofKind(forge.matter, "dispute"), forge.random, (entry) => {
    const { matter, random } = forge;
    const shown = ofKind(matter, "disclosure").filter((one) => statementOf(one).round === statementOf(entry).round).flatMap(positions);
    const free = shown.filter((position) => position > (positions(entry).at(-1) ?? 0));
    if (free.length === 0) return false;
    positions(entry).push(random.pick(free));
    for (const answer of answersTo(matter, entry)) {
      contentOf(answer)["labels"]?.push(random.isOneIn(2));
      if (statementOf(answer).sealed["reasons"] !== undefined) addSealed(forge, answer, "reasons", " ".repeat(256));
    }
    return true;
  })],
  ["V15", "a dispute lists other positions, or none", inContent("dispute", (content, { random, matter }, entry) => {
    content["positions"] = random.isOneIn(4) ? [] : listChanged(content["positions"] as number[], random, random.pick([size(matter, entry), size(matter, entry) + 1]));
  })],
  ["V15", "a dispute is left out", (forge) => toOne(ofKind(forge.matter, "dispute"), forge.random, (entry) => {
    for (const answer of answersTo(forge.matter, entry)) remove(forge.matter, answer);
    remove(forge.matter, entry);
    fit(forge);
  })],
  ["V15", "a dispute that nobody has", (forge) => {
    const after = quiet(forge, "open");
    if (after === null) return false;
    const round = openRound(forge.matter, after)!;
    const question = say(forge, after, { author: "trent", kind: "dispute", round, asks: ["court"], content: { positions: [1] } });
    say(forge, question, { author: "court", kind: "rulings", round, content: { labels: [true] }, answers: question });
    return true;
  }],
  ["V15", "reasons are given, as they may be or not", (forge) => toOne(ofKind(forge.matter, ...REASONED).filter((entry) => ruled(entry) > 0), forge.random, (entry) => seal(forge, entry, "reasons", reasonsFor(entry), Array.from({ length: ruled(entry) }, () => reason(forge.random))))],
  ["V15", "reasons are one too few or too many, or all blank", (forge) => toOne(ofKind(forge.matter, ...REASONED).filter((entry) => ruled(entry) > 0), forge.random, (entry) => {
    const count = ruled(entry);
    seal(forge, entry, "reasons", reasonsFor(entry), forge.random.pick<Free[]>([Array(count + 1).fill("x".padEnd(256)), Array(Math.max(1, count - 1)).fill("x".padEnd(256)), Array(count).fill(" ".repeat(256)), Array(count).fill(" ".repeat(512))]));
  })],
  ["V05", "reasons are sealed for others", (forge) => toOne(ofKind(forge.matter, ...REASONED).filter((entry) => ruled(entry) > 0), forge.random, (entry) => seal(forge, entry, "reasons", reasonsFor(entry) === ALL ? ALICE_AND_COURT : ALL, Array(ruled(entry)).fill("x".padEnd(256))))],
  // The close.
  ["V16", "a close lists another position as responsive", inContent("closed", (content, { random, matter }, entry) => {
    content["responsive"] = listChanged(content["responsive"] as number[], random, random.pick([size(matter, entry), size(matter, entry) + 1]));
  })],
  ["V16", "a close turns over one position", inContent("closed", (content, { random, matter }, entry) => {
    const position = 1 + random.below(Math.max(1, size(matter, entry)));
    const so = content["responsive"] as number[];
    content["responsive"] = so.includes(position) ? so.filter((one) => one !== position) : [...so, position].sort((a, b) => a - b);
  })],
  ["V16", "a number of a close is another", inContent("closed", (content, { random }) => {
    const name = random.pick(["error", "sampled", "threshold"]);
    content[name] = Math.max(0, nudged(content[name], random));
  })],
  ["V16", "a number of a close is the round's size, or one more", inContent("closed", (content, { random, matter }, entry) => {
    content[random.pick(["error", "sampled", "threshold"])] = size(matter, entry) + random.below(2);
  })],
  ["V16", "a close says the other of compelled", inContent("closed", (content) => { content["compelled"] = !content["compelled"]; })],
  ["V16", "a close states no truth, or another", inContent("closed", (content, { random }) => {
    content["truth"] = content["truth"] === null ? { responsive: 0, revealed: 0 } : random.pick<Free>([null, { responsive: 0, revealed: 0 }, { responsive: 10_000, revealed: 10_000 }, { ...content["truth"], responsive: content["truth"].responsive + 1 }]);
  })],
  ["V16", "a close releases too little, or too much, or by a list", at("closed", (entry, forge) => {
    const { random, matter } = forge;
    const { releases } = entry.body;
    switch (random.below(3)) {
      case 0:
        if (releases.length === 0) return false;
        releases.pop();
        break;
      case 1:
        if (releases[0] === undefined) return false;
        releases[0].indices = [0];
        break;
      default:
        {
          const batch = ofKind(matter, "batch")[0]!;
          releases.unshift({ audience: "bob", entry: batch.number, field: "numbers", indices: null });
        }
    }
    fit(forge);
    return true;
  })],
  ["V08", "a close spends no link, or one where none is due", inContent("closed", (content, { random }) => {
    if (content["link"] === null) Object.assign(content, { draw: 1 + random.below(9), link: random.hash() }); else Object.assign(content, random.pick<Free>([{ draw: null, link: null }, { draw: null }, { link: null }]));
  })],
  ["V05", "a round closes too early", at("closed", (entry, { matter, random }) => {
    const place = placeOf(matter, entry);
    matter.entries.splice(place, 1);
    matter.entries.splice(Math.max(1, place - 1 - random.below(4)), 0, entry);
  })],
  ["V05", "a round closes twice", at("closed", (entry, forge) => {
    say(forge, entry, { author: "trent", kind: "closed", round: statementOf(entry).round, content: structuredClone(contentOf(entry)) });
  })],
  ["V05", "a wave comes after the close", (forge) => toOne(ofKind(forge.matter, "closed"), forge.random, (entry) => {
    const { matter } = forge;
    const earlier = before(matter, entry);
    if (earlier === undefined) return false;
    const wave = ofKind(matter, "disclosure", "dispute", "camera", "late").find((one) => statementOf(one).round === statementOf(entry).round);
    if (wave === undefined) return false;
    const moved = [wave, ...answersTo(matter, wave)];
    for (const one of moved) matter.entries.splice(placeOf(matter, one), 1);
    matter.entries.splice(placeOf(matter, entry) + 1, 0, ...moved);
    return true;
  })],
  ["V13", "a report is released to Bob before the close", (forge) => toOne(ofKind(forge.matter, "disclosure"), forge.random, (entry) => {
    const report = roundsReport(forge.matter, statementOf(entry).round);
    if (report === undefined) return false;
    entry.body.releases.push({ audience: "bob", entry: report.number, field: "labels", indices: [0] });
    fit(forge);
    return true;
  })],
];
