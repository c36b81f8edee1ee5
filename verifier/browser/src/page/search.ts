/**
 * The search for one document: what the record says of it, in every round in which it stood.
 */
import type { RoundReport } from "../engine/verdict.ts";
import { isOpen, textHash } from "../files/proof.ts";
import type { Round } from "../files/story.ts";
import { type Child, el, fill } from "./dom.ts";
import { type KnownDocument, documentCell, partsOf, placeOf } from "./document-cell.ts";
import { type ReportData, coinAt, reportedByAlice, storyRound, whyShown } from "./report-data.ts";
import { list, section } from "./table.ts";
import { chanceOf, plural, responsive } from "./words.ts";

const MOST_RESULTS = 25;

export interface Hit {
  readonly round: number;
  readonly position: number;
}

export function searchSection(data: ReportData): HTMLElement | null {
  if (data.story === null || data.verdict.rounds.length === 0) return null;
  const input = el("input", { type: "search", id: "search-text", autocomplete: "off", spellcheck: "false" });
  const results = el("div", { id: "search-results", role: "status", "aria-live": "polite" });
  const form = el(
    "form",
    { class: "search-form", role: "search" },
    el("div", {}, el("label", { for: "search-text" }, "Name, number, SHA-256, or round and position such as 3/17"), input),
    el("button", { type: "submit" }, "Search"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show(data, input.value, results);
  });
  return section("search", "Search for one document", el("p", { class: "hint" }, "Of a document that this copy seals, only its round and position are known."), form, results);
}

function show(data: ReportData, text: string, results: HTMLElement): void {
  const asked = text.trim();
  if (asked === "") return fill(results);
  const hits = find(data, asked);
  if (hits.length === 0) {
    return fill(results, el("p", {}, "This copy says nothing of such a document. It may be sealed here, or never have been put up for review."));
  }
  const families = grouped(data, hits);
  fill(
    results,
    el("p", {}, `${plural(families.length, "document")} found${families.length > MOST_RESULTS ? `; the first ${MOST_RESULTS} are shown` : ""}.`),
    families.slice(0, MOST_RESULTS).map((places) => storyOf(data, places)),
  );
}

/** Every place that answers: by round and position, by number, by hash, or by a piece of the name. */
export function find(data: ReportData, text: string): Hit[] {
  const place = /^(?:r(?:ound)?\s*)?(\d+)\s*(?:\/|-\s*p|,\s*position|\s+)\s*(\d+)$/i.exec(text);
  const hits: Hit[] = [];
  const lower = text.toLowerCase();
  const hash = /^[0-9a-f]{64}$/.test(lower);
  for (const round of data.verdict.rounds) {
    const names = storyRound(data, round.round)?.names ?? [];
    const size = Math.max(names.length, round.size);
    for (let position = 1; position <= size; position += 1) {
      if (answers(data, round, position)) hits.push({ round: round.round, position });
    }
  }
  return hits;

  function answers(all: ReportData, round: RoundReport, position: number): boolean {
    if (place !== null) return round.round === Number(place[1]) && position === Number(place[2]);
    const known = all.known.get(placeOf(round.round, position));
    // The salts of a proof look like hashes: only a content or a text counts.
    if (hash) return known !== undefined && known.proof.includes(lower) && partsOf(known).some((part) => isOpen(part) && (part.content === lower || textHash(part) === lower));
    const named = storyRound(all, round.round)?.names[position - 1] ?? null;
    const number = named?.document ?? storyRound(all, round.round)?.numbers?.[position - 1];
    if (/^\d+$/.test(text)) return number === Number(text);
    const names = [named?.name ?? "", ...(known === undefined || known.size < 2 ? [] : partsOf(known).map((part) => (isOpen(part) ? (part.rest.name ?? "") : "")))];
    return names.some((name) => name.toLowerCase().includes(lower));
  }
}

/** Places of one document belong together: it can stand in a batch, and again in an escalation or a validation. */
function grouped(data: ReportData, hits: readonly Hit[]): Hit[][] {
  const by = new Map<string, Hit[]>();
  for (const hit of hits) {
    const round = storyRound(data, hit.round);
    const number = numberAt(round, hit.position);
    const key = number === null ? `at ${placeOf(hit.round, hit.position)}` : `number ${number}`;
    by.set(key, [...(by.get(key) ?? []), hit]);
  }
  return [...by].map(([key, places]) => (key.startsWith("number ") ? everyPlace(data, Number(key.slice(7))) : places));
}

function numberAt(round: Round | null, position: number): number | null {
  return round?.names[position - 1]?.document ?? round?.numbers?.[position - 1] ?? null;
}

function everyPlace(data: ReportData, number: number): Hit[] {
  const places: Hit[] = [];
  for (const round of data.story?.rounds ?? []) {
    for (let position = 1; position <= round.size; position += 1) {
      if (numberAt(round, position) === number) places.push({ round: round.number, position });
    }
  }
  return places;
}

function storyOf(data: ReportData, places: readonly Hit[]): HTMLElement {
  const first = places[0] as Hit;
  const known = places.map((place) => data.known.get(placeOf(place.round, place.position))).find((one) => one !== undefined);
  const round = storyRound(data, first.round);
  const named = round?.names[first.position - 1] ?? null;
  const number = numberAt(round, first.position);
  const title = number === null ? `Round ${first.round}, position ${first.position}` : `Document ${number}`;
  return el(
    "article",
    { class: "panel found-document" },
    el("h3", {}, title),
    el("p", {}, documentCell(named?.name ?? known?.name ?? null, known)),
    known === undefined ? null : hashes(known),
    places.map((place) => list(sentences(data, place))),
  );
}

function hashes(document: KnownDocument): Child {
  return list(partsOf(document).map((part, index) => (!isOpen(part) ? `Part ${index} is withheld.` : [`Part ${index}: content `, el("code", {}, part.content), textHash(part) === part.content ? "" : [", text ", el("code", {}, textHash(part))]])));
}

/** What the record says of a position, in the words of an exhibit. */
function sentences(data: ReportData, { round: number, position }: Hit): string[] {
  const round = storyRound(data, number);
  const report = data.verdict.rounds.find((one) => one.round === number);
  if (round === null || report === undefined) return [];
  const says: string[] = [putUp(round, position)];
  const label = round.sort === "batch" || round.sort === "call" ? round.report?.labels?.[position - 1] : undefined;
  if (typeof label === "boolean" && round.report !== null) says.push(`Reported. Alice reported it as ${responsive(label)} (entry ${round.report.entry}), and signed that before anyone could know the coins.`);
  if (round.givenUp.includes(position)) says.push("Given up. Alice gave it up in her second look.");
  says.push(...coinSays(report, position));
  const claim = round.claims.get(position);
  if (claim !== undefined) says.push(`Claimed. Alice claimed privilege for it${round.lateClaims.has(position) ? ", late" : ""}: ${typeof claim === "string" ? claim : "class" in claim ? `class ${claim.class}` : `${claim.basis} (parts ${claim.parts.join(", ")})`}.`);
  const camera = round.camera.get(position);
  if (camera !== undefined) says.push(camera === null ? "In camera. It went to the court, which has not ruled yet." : `In camera. The court ${camera.upheld ? "kept it from Bob" : "let it go to Bob"}${camera.parts.length > 0 ? `, without parts ${camera.parts.join(", ")}` : ""} (entry ${camera.entry}).`);
  const shown = round.shown.get(position);
  if (shown !== undefined) says.push(`Shown. Bob was shown it in wave ${shown.wave} (entry ${shown.entry}).`);
  const bob = round.bob.get(position);
  if (bob !== undefined) says.push(`Labelled. Bob labelled it as ${responsive(bob.label)} (entry ${bob.entry}).`);
  else if (shown !== undefined && round.close !== null) says.push("Unread. Bob did not label it.");
  const dispute = round.disputed.get(position);
  if (dispute !== undefined) says.push(dispute.ruling === null ? "Disputed. The court has not ruled yet." : `Ruled on. The court held it to be ${responsive(dispute.ruling)} (entry ${dispute.ruledIn}).`);
  if (round.close !== null) {
    const output = (round.close.content["responsive"] as readonly number[]).includes(position);
    says.push(`Output. The round closed with the label ${responsive(output)} for it (entry ${round.close.entry}).`);
    if (shown === undefined && camera?.upheld !== true) says.push("Withheld. It was not shown to Bob in this round.");
  } else says.push("Open. The round is not closed in this copy.");
  for (const back of data.story?.reclaims ?? []) {
    if (back.round !== number || back.position !== position) continue;
    const ruling = back.ruling === null ? "The court has not ruled yet" : back.ruling.upheld ? `The court upheld it: CLAWED BACK (entry ${back.ruling.entry})` : `The court overruled it (entry ${back.ruling.entry})`;
    says.push(`Asked back. Alice asked for it back (entry ${back.entry}). ${ruling}.`);
  }
  return says;
}

function putUp(round: Round, position: number): string {
  switch (round.sort) {
    case "batch":
      return `Ranked. In round ${round.number} it stood at position ${position} of a batch of ${round.size}, ${round.drawn ? "drawn by coin" : "ranked by a model"} (entry ${round.entry}).`;
    case "escalation":
      return `Drawn again. Round ${round.number} was an escalation of all ${round.size} documents that were withheld; the document stood at position ${position} (entry ${round.entry}).`;
    case "validation":
      return `Validated. In round ${round.number} coins drew it from the whole collection (entry ${round.entry}), at position ${position}.`;
    case "call":
      return `Called. In round ${round.number}, a validation in two stages, it stood at position ${position} (entry ${round.entry}).`;
  }
}

function coinSays(report: RoundReport, position: number): string[] {
  const thrown = coinAt(report, position);
  if (thrown !== null) {
    const { coin, chance, drawn } = thrown;
    return [`Drawn. Its coin${report.draw === null ? "" : ` in draw ${report.draw}`} was ${coin}, which is ${chanceOf(coin).toFixed(6)} of 2^64. It was to be drawn if below ${chance}, a probability of ${chanceOf(chance).toFixed(6)}. So it was ${drawn ? "" : "not "}drawn.`];
  }
  return whyShown(report, position) === "certain" && reportedByAlice(report, position) ? ["Drawn. No coin decided: Alice reported it responsive."] : [];
}
