/**
 * What the parties and the court said of single documents: disputes, errors, privilege, claw-backs, orders and changes.
 */
import type { EventRow } from "../engine/verdict.ts";
import { type Child, el, foreign, paragraph, subtitle } from "./dom.ts";
import { documentCell, placeOf } from "./document-cell.ts";
import { type ReportData, coinAt, reportedByAlice, whyShown } from "./report-data.ts";
import { silenceSays } from "./sentences.ts";
import { MOST_ROWS, list, section, table } from "./table.ts";
import type { Ruled } from "./told.ts";
import { capital, chanceOf, estimate, plural, responsive, who } from "./words.ts";

export function disputesSection(data: ReportData): HTMLElement | null {
  const told = data.told;
  if (told === null) return null;
  const heads = ["Round / position", "Document", "Alice reported", "Bob says", "Court's ruling", "Agrees with", "Ruling in entry"];
  return section(
    "disputes",
    "Disputes and rulings",
    paragraph("If Bob's label for a document differed from Alice's, the court ruled, and its ruling counts. What she withheld has her label not responsive; what a validation drew and nobody had reviewed counts as not responsive until somebody says otherwise. Entries are numbered as in the record, so each can be looked up."),
    told.rulings === 0
      ? paragraph("In the part of the record that was read, the court ruled on no dispute.")
      : table(
          plural(told.rulings, "ruling"),
          heads,
          told.ruled.map((row) => [
            `${row.round} / ${row.position}`, documentCell(row.name, row.known), row.alice, responsive(row.bob), responsive(row.ruling), row.ruling === row.bob ? "Bob" : "Alice", row.ruledIn,
          ]),
        ),
    left(told.rulings),
  );
}

export function errorsSection(data: ReportData): HTMLElement | null {
  if (data.told === null) return null;
  const { errors, missed, erred } = data.told;
  return section(
    "errors",
    "Alice's confirmed errors",
    errors === 0
      ? paragraph("In the part of the record that was read, the court decided nothing against Alice's reports.")
      : [
          paragraph(`The court found ${errors} of Alice's labels wrong: ${plural(missed, "document is", "documents are")} responsive that she had not reported as such, and ${errors - missed} ${errors - missed === 1 ? "is" : "are"} not responsive that she had reported as responsive. Her signature fixed each label before the coins were known. An error breaks no rule, and does not show intent.`),
          table(
            plural(errors, "confirmed error"),
            ["Round / position", "Document", "What was wrong", "Why Bob saw it", "Evidence: entries of the record"],
            erred.map((row) => [
              `${row.round} / ${row.position}`, documentCell(row.name, row.known), row.ruling ? "responsive, not reported as such" : "not responsive, reported as responsive",
              seenBecause(data, row), row.evidence,
            ]),
          ),
          left(errors),
        ],
  );
}

function seenBecause(data: ReportData, { round, position }: Ruled): string {
  const report = data.verdict.rounds.find((one) => one.round === round);
  if (report === undefined) return "not told by this copy";
  const why = whyShown(report, position);
  const thrown = coinAt(report, position);
  if (why === "by coin" && thrown !== null) {
    const whence = report.sort === "escalation" ? " from all that was withheld" : report.sort === "validation" ? " from the whole collection" : "";
    const chance = chanceOf(thrown.chance);
    return `drawn by coin${whence}: coin ${chanceOf(thrown.coin).toFixed(6)}, drawn if below ${chance.toFixed(6)} (a chance of ${estimate(chance)})`;
  }
  if (why !== "certain") return why ?? "not shown";
  if (report.threshold !== null && position <= report.threshold) return `certain: it stands at or above the threshold (position ${report.threshold})`;
  if (reportedByAlice(report, position)) return "certain: she reported it as responsive";
  return "certain: due by the rule";
}

export function privilegeSection(data: ReportData): HTMLElement {
  const { privilege, clawbacks } = data.verdict;
  const name = (round: number, position: number): Child => {
    if (data.told === null) return el("em", {}, "not read");
    const document = data.told.named.get(placeOf(round, position));
    return documentCell(document?.name ?? null, document?.known ?? null);
  };
  return section(
    "privilege",
    "Privilege",
    privilege.length === 0
      ? paragraph("In the part of the record that was read, the court was asked about no claim of privilege.")
      : table(
          `${plural(privilege.length, "position")} before the court in camera`,
          ["Round / position", "Document", "Basis", "Ruling", "In entry"],
          privilege.slice(0, MOST_ROWS).map((row) => [
            `${row.round} / ${row.position}`, name(row.round, row.position),
            row.class !== null ? ["class ", foreign(row.class)] : [row.basis === null ? el("em", {}, "sealed in this copy, or none") : foreign(row.basis), row.claimedParts === null ? "" : ` (parts ${row.claimedParts.join(", ")})`],
            inCameraRuling(row), row.entry,
          ]),
        ),
    left(privilege.length),
    clawbacks.length === 0
      ? null
      : [
          subtitle("Asked back"),
          paragraph("Alice asked for these documents back, which Bob had been shown. What the court upholds is clawed back: whoever has it must return or destroy it. It still counts as shown, in every number."),
          table(
            plural(clawbacks.length, "document"),
            ["Round / position", "Document", "Basis", "Ruling", "In entry"],
            clawbacks.slice(0, MOST_ROWS).map((row) => [
              `${row.round} / ${row.position}`, name(row.round, row.position), row.basis === null ? el("em", {}, "sealed in this copy") : foreign(row.basis),
              row.upheld === null ? "not ruled yet" : row.upheld ? "upheld: CLAWED BACK" : "overruled: Bob keeps it", row.entry,
            ]),
          ),
        ],
  );
}

function inCameraRuling(row: { readonly upheld: boolean | null; readonly class: string | null; readonly basis: string | null; readonly upheldParts: readonly number[] }): string {
  if (row.upheld === null) return "not ruled yet";
  if (row.upheldParts.length > 0) return `parts ${row.upheldParts.join(", ")} withheld; the document is ${row.upheld ? "not responsive" : "responsive"}`;
  if (row.class !== null) return row.upheld ? "not responsive" : "responsive";
  return row.upheld ? "upheld" : "overruled";
}

export function ordersSection(data: ReportData): HTMLElement {
  const events = data.verdict.events;
  const weaker = silenceSays(data.verdict);
  return section(
    "orders",
    "Orders and changes",
    events.length === 0
      ? paragraph("In the part of the record that was read, everyone answered, no key was replaced, and nothing was changed.")
      : table(
          plural(events.length, "request, order or change", "requests, orders and changes"),
          ["Entry", "What happened"],
          events.slice(0, MOST_ROWS).map((event) => [event.sort === "default" || event.sort === "new key" ? (event.order ?? event.entry) : event.entry, eventSays(event)]),
        ),
    left(events.length),
    weaker.length === 0 ? null : [subtitle("How silence weakens the proof"), list(weaker)],
  );
}

function eventSays(event: EventRow): string {
  switch (event.sort) {
    case "default": {
      const silent = `${capital(who(event.absent))} gave no ${asked(event.asked)}`;
      if (event.granted === null) return `${silent}: the court has not answered yet.`;
      if (!event.granted) return `${silent}: the court ordered the matter to wait.`;
      return `${silent}: the court ordered the matter to go on without it.`;
    }
    case "new key": {
      const key = `a new key, ${event.fingerprint}`;
      if (event.granted === null) return `${capital(who(event.role))} asked for ${key}: the court has not answered yet.`;
      return event.granted ? `The court granted ${who(event.role)} ${key}.` : `The court did not grant ${who(event.role)} ${key}.`;
    }
    case "amendment": {
      const change = event.limit === null ? `${plural(event.rounds, "round")} proposed` : `${plural(event.rounds, "round")} and the limit ${event.limit} proposed`;
      return `${change}, and ${event.accepted === null ? "not all have answered" : event.accepted ? "all accepted" : "not all accepted"}.`;
    }
    case "conflict":
      return `A second answer of ${who(event.author)} (${event.kind}) to the question of entry ${event.answer} is on record${event.judged ? "" : "; this copy does not show it"}.`;
  }
}

function asked(kind: string): string {
  const words: Readonly<Record<string, string>> = { report: "report", look: "second look", link: "link", labels: "labels", claim: "claim", cosign: "signature of the end" };
  return words[kind] ?? kind;
}

function left(count: number): Child {
  return count > MOST_ROWS ? paragraph(`${count - MOST_ROWS} more are not listed here. The search finds every document.`) : null;
}
