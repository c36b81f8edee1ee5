/**
 * The search for one document: what the record says of it, in every round in which it stood.
 *
 * The page keeps no story of all documents, since a copy can open very many. It reads the file again when somebody asks.
 */
import type { RoundReport } from "../engine/verdict.ts";
import { isOpen, textHash } from "../files/proof.ts";
import { quoted } from "../files/quoted.ts";
import type { Reclaimed } from "../files/story.ts";
import { type Child, el, fill, paragraph, subtitle, code } from "./dom.ts";
import { type KnownDocument, documentCell } from "./document-cell.ts";
import { type Found, type FoundDocument, MOST_RESULTS, type PlaceTold, isHash, placeAsked } from "./finding.ts";
import { type ReportData, type Searching, coinAt, reportedByAlice, whyShown } from "./report-data.ts";
import { Cancelled } from "./run.ts";
import { list, section } from "./table.ts";
import { chanceOf, megabytes, partsSay, plural, responsive } from "./words.ts";

export function searchSection(data: ReportData): HTMLElement | null {
  if (data.verdict.rounds.length === 0) return null;
  const input = el("input", { type: "search", id: "search-text", autocomplete: "off", spellcheck: "false" });
  const progress = el("div", { id: "search-progress", class: "no-print" });
  const results = el("div", { id: "search-results", role: "status", "aria-live": "polite" });
  const form = el(
    "form",
    { class: "search-form", role: "search" },
    el("div", {}, el("label", { for: "search-text" }, "Name, number, SHA-256, or round and position such as 3/17"), input),
    el("button", { type: "submit" }, "Search"),
  );
  let current: Searching | null = null;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void ask(input.value.trim());
  });
  return section("search", "Search for one document", el("p", { class: "hint" }, "The file is read again for each search. Of a document that this copy seals, only its round and position are known."), form, progress, results);

  async function ask(text: string): Promise<void> {
    current?.cancel();
    fill(results);
    if (text === "") {
      current = null;
      fill(progress);
      results.removeAttribute("aria-busy");
      return fill(results, paragraph("Type a name, a number, a SHA-256, or a round and position such as 3/17."));
    }
    const bar = el("progress", { max: 1000, "aria-label": "Searching" });
    const figures = el("p", { class: "figures" });
    const cancel = el("button", { type: "button" }, "Cancel the search");
    const own = data.search(text, ({ bytes, total }) => {
      bar.value = total === 0 ? 0 : Math.round((1000 * bytes) / total);
      figures.textContent = `Read ${megabytes(bytes)} of ${megabytes(total)}: the file twice.`;
    });
    current = own;
    cancel.addEventListener("click", () => {
      own.cancel();
      input.focus();
    });
    fill(progress, bar, figures, paragraph(cancel));
    results.setAttribute("aria-busy", "true");
    const answer: Child = await own.result.then(
      (found) => told(data, found, text),
      (error: unknown) => paragraph(error instanceof Cancelled ? "The search was cancelled." : error instanceof Error ? error.message : String(error)),
    );
    // Whoever asked for something else in the meantime waits for that.
    if (current !== own) return;
    current = null;
    fill(progress);
    fill(results, answer);
    results.removeAttribute("aria-busy");
  }
}

/** Why nothing answers: what does not exist is not sealed. */
function nothing({ verdict }: ReportData, text: string): string {
  const place = placeAsked(text);
  if (place !== null) {
    const round = verdict.rounds.find((one) => one.round === place.round);
    if (round === undefined) return `There is no round ${place.round} in this copy.`;
    if (place.position < 1 || place.position > round.size) return `Round ${place.round} has ${plural(round.size, "position")}.`;
  }
  const documents = verdict.opening?.documents ?? 0;
  const isNumber = /^\d+$/.test(text);
  if (isNumber && Number(text) >= documents) return `The collection has ${plural(documents, "document")}, numbered from 0.`;
  const hint = place !== null || isNumber || isHash(text) ? "" : " Only names, numbers, SHA-256 and places such as 3/17 are searched.";
  return `This copy says nothing of such a document. It may be sealed here, or never have been put up for review.${hint}`;
}

function told(data: ReportData, { count, documents, reclaims }: Found, text: string): Child {
  if (count === 0) return paragraph(nothing(data, text));
  return [
    paragraph(`${plural(count, "document")} found${count > MOST_RESULTS ? `; the first ${MOST_RESULTS} are shown` : ""}.`),
    documents.map((document) => storyOf(data, document, reclaims)),
  ];
}

function storyOf(data: ReportData, { number, places }: FoundDocument, reclaims: readonly Reclaimed[]): Child {
  const first = places[0];
  if (first === undefined) return null;
  const known = places.find((place) => place.known !== null)?.known ?? null;
  const title = number === null ? `Round ${first.round}, position ${first.position}` : `Document ${number}`;
  return el(
    "article",
    { class: "panel found-document" },
    subtitle(title),
    paragraph(documentCell(first.name ?? known?.name ?? null, known)),
    known === null ? null : hashes(known),
    places.map((place) => list(sentences(data, place, reclaims))),
  );
}

function hashes(document: KnownDocument): Child {
  return list(document.parts.map((part, index) => (!isOpen(part) ? `Part ${index} is withheld.` : [`Part ${index}: content `, code(part.content), textHash(part) === part.content ? "" : [", text ", code(textHash(part))]])));
}

/** What the record says of a position, in the words of an exhibit. */
function sentences(data: ReportData, place: PlaceTold, reclaims: readonly Reclaimed[]): string[] {
  const { round, position, reported, claim, camera, shown, bob, dispute, close } = place;
  const report = data.verdict.rounds.find((one) => one.round === round);
  if (report === undefined) return [];
  const says: string[] = [putUp(place)];
  if (reported !== null) says.push(`Report. Alice reported it as ${responsive(reported.label)} (entry ${reported.entry}), and signed that before anyone could know the coins.`);
  if (place.givenUp) says.push("Given up. Alice gave it up in her second look.");
  says.push(...coinSays(report, position));
  if (claim !== null) says.push(claimSays(claim));
  if (camera !== undefined) says.push(camera === null ? "In camera. It went to the court, which has not ruled yet." : `In camera. The court ${camera.upheld ? "kept it from Bob" : "let it go to Bob"}${camera.parts.length > 0 ? `, without ${partsSay(camera.parts)}` : ""} (entry ${camera.entry}).`);
  if (shown !== null) says.push(`Disclosure. Bob was shown it in wave ${shown.wave} (entry ${shown.entry}).`);
  if (bob !== null) says.push(`Label. Bob labelled it as ${responsive(bob.label)} (entry ${bob.entry}).`);
  else if (shown !== null && close !== null) says.push("Label. Bob did not label it.");
  if (dispute !== null) says.push(dispute.ruling === null ? "Ruling. The court has not ruled yet." : `Ruling. The court held it to be ${responsive(dispute.ruling)} (entry ${dispute.ruledIn}).`);
  if (close !== null) {
    says.push(`Outcome. The round closed with the label ${responsive(close.responsive)} for it (entry ${close.entry}).`);
    if (shown === null && camera?.upheld !== true) says.push("Disclosure. In this round Bob was not shown the document.");
  } else says.push("Outcome. The round is not closed in this copy.");
  for (const back of reclaims) {
    if (back.round !== round || back.position !== position) continue;
    const ruling = back.ruling === null ? "The court has not ruled yet" : back.ruling.upheld ? `The court upheld it: CLAWED BACK (entry ${back.ruling.entry})` : `The court overruled it (entry ${back.ruling.entry})`;
    says.push(`Asked back. Alice asked for it back (entry ${back.entry}). ${ruling}.`);
  }
  return says;
}

function claimSays({ basis, late }: NonNullable<PlaceTold["claim"]>): string {
  if (typeof basis !== "string" && "class" in basis) return `Class. Alice put it into the sensitive class ${quoted(basis.class)}.`;
  const [what, why] = typeof basis === "string" ? ["it", basis] : [partsSay(basis.parts), basis.basis];
  return `Privilege. Alice claimed ${what} as privileged ${late ? "after" : "with"} her report on the basis ${quoted(why)}.`;
}

function putUp({ round, position, sort, size, drawn, entry }: PlaceTold): string {
  switch (sort) {
    case "batch":
      return `Batch. In round ${round} it stood at position ${position} of a batch of ${size}, ${drawn ? "drawn by coin" : "ranked by a model"} (entry ${entry}).`;
    case "escalation":
      return `Escalation. Round ${round} was an escalation of all ${size} documents that were withheld; the document stood at position ${position} (entry ${entry}).`;
    case "validation":
      return `Validation. In round ${round} coins drew it from the whole collection (entry ${entry}), at position ${position}.`;
    case "call":
      return `Validation. Round ${round} was a validation in two stages; the document stood at position ${position} (entry ${entry}).`;
  }
}

function coinSays(report: RoundReport, position: number): string[] {
  const thrown = coinAt(report, position);
  if (thrown !== null) {
    const { coin, chance, drawn } = thrown;
    return [`Coin. Its coin${report.draw === null ? "" : ` in draw ${report.draw}`} was ${coin}, which is ${chanceOf(coin).toFixed(6)} of 2^64. It was to be drawn if below ${chance}, a probability of ${chanceOf(chance).toFixed(6)}. So it was ${drawn ? "" : "not "}drawn.`];
  }
  return whyShown(report, position) === "certain" && reportedByAlice(report, position) ? ["Coin. No coin decided: Alice reported it responsive."] : [];
}
