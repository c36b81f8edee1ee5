/**
 * What the parties and the court said of single documents: disputes, errors, privilege, claw-backs, orders and changes.
 */
import { hasOwn } from "../engine/json.ts";
import { quoted } from "../engine/quoted.ts";
import { type EventRow, Flag, type PrivilegeRow } from "../engine/verdict.ts";
import { type Child, el, foreign, paragraph, subtitle } from "./dom.ts";
import type { Place } from "../files/story.ts";
import { documentCell, placeOf } from "./document-cell.ts";
import { type ReportData, coinAt, isFlagged, reportedByAlice, whyShown } from "./report-data.ts";
import { silenceSays } from "./sentences.ts";
import { MOST_ROWS, list, section, table, untoldNotice } from "./table.ts";
import type { Ruled } from "./told.ts";
import { capital, chanceOf, chanceSays, listing, partsSay, plural, responsive, who } from "./words.ts";

const READ = "In the part of the record that was read, ";

export function disputesSection({ told }: ReportData): HTMLElement {
  const reasons = told.ruled.some((row) => row.bobsReason + row.courtsReason !== "");
  const heads = ["Round / position", "Document", "Alice reported", "Bob says", "Court's ruling", "Agrees with", "Ruling in entry", ...(reasons ? ["Bob's reason", "Court's reason"] : [])];
  const title = "Disputes and rulings";
  const untold = untoldNotice(told);
  if (untold !== null) return section("disputes", title, untold);
  return section(
    "disputes",
    title,
    paragraph("If Bob's label differed from Alice's, the court ruled, and its ruling counts. What a validation drew and nobody had reviewed counts as not responsive until somebody says otherwise. Entries are numbered as in the record."),
    told.rulings === 0
      ? paragraph(READ + "the court ruled on no dispute.")
      : table(
          plural(told.rulings, "ruling"),
          heads,
          told.ruled.map((row) => [
            `${row.round} / ${row.position}`, documentCell(row.name, row.known), row.alice ?? "nothing: nobody had reviewed it", responsive(row.bob), responsive(row.ruling),
            row.ruling === row.bob ? "Bob" : row.alice === null ? "neither" : "Alice", row.ruledIn, ...(reasons ? [foreign(row.bobsReason), foreign(row.courtsReason)] : []),
          ]),
        ),
    left(told.rulings),
  );
}

export function errorsSection(data: ReportData): HTMLElement {
  const { errors, missed, erred } = data.told;
  const title = "Alice's confirmed errors";
  const untold = untoldNotice(data.told);
  if (untold !== null) return section("errors", title, untold);
  return section(
    "errors",
    title,
    errors === 0
      ? paragraph(READ + "the court decided nothing against Alice's reports.")
      : [
          paragraph(`The court found ${errors} of Alice's labels wrong: she had not reported ${plural(missed, "responsive document")}, and had reported ${errors - missed} that ${errors - missed === 1 ? "is" : "are"} not responsive. Her signature fixed each label before the coins were known. An error breaks no rule, and does not show intent.`),
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
  const { threshold } = report;
  const why = whyShown(report, position);
  const thrown = coinAt(report, position);
  if (why === "by coin" && thrown?.drawn) {
    const whence = report.sort === "escalation" ? " from all that was withheld" : report.sort === "validation" ? " from the whole collection" : "";
    const chance = chanceOf(thrown.chance);
    return `drawn by coin${whence}: coin ${chanceOf(thrown.coin).toFixed(6)}, drawn if below ${chance.toFixed(6)} (a chance of ${chanceSays(chance)})`;
  }
  if (why === "by coin" && isFlagged(report, position, Flag.Late)) return "counts as drawn: claimed as privileged after the coins were fixed";
  if (why === "compelled" && report.compelledAt !== null) return `compelled: the whole batch was due because of position ${report.compelledAt}`;
  if (why !== "certain") return why ?? "not shown";
  if (data.verdict.opening?.terms.protocol === "reveal-all") return "certain: the rule shows every document";
  if (threshold !== null && position <= threshold) return `certain: it stands at or above the threshold (position ${threshold})`;
  if (reportedByAlice(report, position)) return "certain: she reported it as responsive";
  return "certain: due by the rule";
}

export function privilegeSection({ verdict, told }: ReportData): HTMLElement {
  const { privilege, clawbacks, rounds } = verdict;
  const place = (row: Place): string => placeOf(row.round, row.position);
  const begin = (row: Place): Child[] => {
    const document = told.named.get(place(row));
    return [`${row.round} / ${row.position}`, told.untold === "" ? documentCell(document?.name ?? null, document?.known ?? null) : el("em", {}, "could not be told")];
  };
  const basis = (text: string | null): Child => (text === null ? el("em", {}, "sealed in this copy, or none") : foreign(text));
  // The court's reasons have a column where it gave any.
  const reasoned = <T extends Place>(caption: string, heads: readonly string[], rows: readonly T[], cells: (row: T) => Child[], reason: (row: T) => string | undefined): HTMLElement => {
    const some = rows.some(reason);
    return table(caption, ["Round / position", "Document", "Basis", ...heads, ...(some ? ["The court's reason"] : [])], rows.slice(0, MOST_ROWS).map((row) => [...begin(row), ...cells(row), ...(some ? [foreign(reason(row))] : [])]));
  };
  const count = (upheld: boolean | null): number => privilege.filter((row) => row.upheld === upheld && (row.answer === "ruling" || upheld === null)).length;
  const [upheld, overruled, notDue] = [count(true), count(false), count(null)];
  const others = privilege.length - upheld - overruled - notDue;
  const parted = privilege.filter(({ upheldParts }) => upheldParts.length > 0);
  const parts = parted.reduce((sum, { upheldParts }) => sum + upheldParts.length, 0);
  const back = (ruling: boolean): number => clawbacks.filter((row) => row.upheld === ruling).length;
  return section(
    "privilege",
    "Privilege",
    privilege.length === 0
      ? paragraph(READ + "the court was asked about no claim of privilege.")
      : [
          paragraph("If a document that Alice claims as privileged is due to Bob, the court reads it first. What it upholds counts as neither found nor hidden. What is claimed after the report counts as drawn. Of a document of a class, or one claimed in part, the court itself says whether it is responsive."),
          reasoned(
            `${plural(upheld + overruled + notDue, "claim")}: ${upheld} upheld, ${overruled} overruled, ${notDue} not ruled on${others === 0 ? "" : `; ${others} more read by the court in camera`}${parted.length === 0 ? "" : `; ${plural(parts, "part")} of ${plural(parted.length, "document")} withheld`}`,
            ["Claimed", "The court", "Ruling in entry"],
            privilege,
            (row) => [
              row.class === null ? [isClaimed(row) ? basis(row.basis) : "none", row.claimedParts === null ? "" : ` (${partsSay(row.claimedParts)})`] : ["class ", foreign(row.class)],
              !isClaimed(row) ? "not claimed" : row.late ? "later" : "with the report", rounds[row.round - 1]?.closed === null && row.upheld === null ? "not ruled on so far" : inCameraRuling(row), row.entry ?? "none",
            ],
            (row) => told.named.get(place(row))?.reason,
          ),
        ],
    left(privilege.length),
    clawbacks.length === 0
      ? null
      : [
          subtitle("Asked back"),
          paragraph("Bob had been shown these documents, and Alice asked for them back. What the court upholds is clawed back: whoever has it must return or destroy it, which no record can show. It is left out of a production, and still counts as shown, in every number."),
          reasoned(
            `${plural(clawbacks.length, "document")} asked back: ${back(true)} clawed back, ${back(false)} overruled`,
            ["Asked back in entry", "The court"],
            clawbacks,
            (row) => [basis(row.basis), row.entry, row.upheld === null ? "not ruled yet" : `${row.upheld ? "upheld: CLAWED BACK" : "overruled: Bob keeps it"} (entry ${row.ruledIn})`],
            (row) => told.returned.get(place(row)),
          ),
        ],
  );
}

/** The court may read what nobody claims, in a validation. */
function isClaimed(row: PrivilegeRow): boolean {
  return row.answer !== "label" || row.class !== null || row.claimedParts !== null || row.upheldParts.length > 0;
}

/** What the court said in camera: of a claim if it was upheld, of a class or a part if the document is responsive. */
function inCameraRuling({ answer, upheld, upheldParts }: PrivilegeRow): string {
  if (upheld === null) return "not asked: it was not due";
  const parts = upheldParts.length === 0 ? "" : `${partsSay(upheldParts)} withheld as privileged; `;
  const said = answer === "label" ? responsive(!upheld) : answer === "sealed" ? answer : upheld ? "upheld" : "overruled";
  return `${parts}${said}: ${!upheld ? "goes to Bob" : answer === "ruling" ? "withheld as privileged" : "not shown to Bob"}`;
}

export function ordersSection(data: ReportData): HTMLElement {
  const { askedAgain, events } = data.verdict;
  const weaker = silenceSays(data.verdict);
  return section(
    "orders",
    "Orders and changes",
    events.length === 0
      ? paragraph(READ + "everyone answered, no key was replaced, and nothing was changed.")
      : table(
          plural(events.length, "request, order or change", "requests, orders and changes"),
          ["Entry", "What happened"],
          events.slice(0, MOST_ROWS).map((event) => [event.sort === "conflict" ? event.entry : (event.order ?? event.entry), eventSays(event)]),
        ),
    events.some((event) => event.sort === "default")
      ? paragraph("Trent and the court say who was silent. No record can prove that, so it is no finding against anybody.")
      : null,
    askedAgain === 0 ? null : paragraph(`${plural(askedAgain, "question was", "questions were")} asked again, since a new key answers no earlier question.`),
    left(events.length),
    weaker.length === 0 ? null : [subtitle("How silence weakens the proof"), list(weaker)],
  );
}

function eventSays(event: EventRow): string {
  switch (event.sort) {
    case "default": {
      const [what, then] = askedFor(event.asked);
      const silent = `${capital(who(event.absent))} gave no ${what}${event.round === 0 ? "" : ` in round ${event.round}`}`;
      if (event.granted === null) return `${silent}: the court has not answered yet.`;
      return `${silent}: ${event.granted ? `by the court's order ${then}` : "the court ordered the matter to wait"}.`;
    }
    case "new key": {
      const key = `a new key, ${event.fingerprint}`;
      if (event.granted === null) return `${capital(who(event.role))} asked for ${key}: the court has not answered yet.`;
      if (!event.granted) return `The court did not grant ${who(event.role)} ${key}.`;
      const { skipped, voided } = event;
      const became = voided === null ? "" : ` The ${askedFor(voided.kind)[0]} that entry ${voided.entry} had asked for became void${skipped === null ? "" : `, and draw ${skipped} was skipped`}.`;
      return `The court granted ${who(event.role)} ${key}.${became}`;
    }
    case "amendment": {
      const { accepted, before, limit, rounds } = event;
      const changes: string[] = [];
      if (rounds !== before.rounds) changes.push(`${plural(rounds, "round")} instead of ${before.rounds}`);
      if (limit !== before.limit) changes.push(`a limit of ${limit} instead of ${before.limit}`);
      const [all, notAll] = rounds === before.rounds ? ["the court accepted", "the court did not accept"] : ["all accepted", "not all accepted"];
      return `Proposed: ${listing(changes)}; ${accepted === null ? "not all have answered" : accepted ? all : notAll}.`;
    }
    case "conflict":
      return `Besides the answer in entry ${event.answer}, a second answer of ${who(event.author)} (${event.kind}) is on record${event.judged ? "" : "; this copy does not show it"}.`;
  }
}

/** What was asked, and how the matter goes on without it. */
const ASKED: Readonly<Record<string, readonly [string, string]>> = {
  report: ["report", "all that she was to label was due to Bob, and no coin decided"],
  look: ["second look", "nothing was given up"],
  link: ["link", "the link came from the deposit"],
  labels: ["labels", "Alice's labels stand for what Bob was shown"],
  claim: ["answer about late claims", "nothing was claimed"],
  reclaim: ["answer about what to ask back", "nothing was asked back"],
  amended: ["answer about the change", "it counts as not accepted"],
  "signature of the end": ["signature of the end", "the matter ends without it"],
};

function askedFor(kind: string): readonly [string, string] {
  return hasOwn(ASKED, kind) ? ASKED[kind]! : [quoted(kind), ""];
}

function left(count: number): Child {
  return count > MOST_ROWS ? paragraph(`${count - MOST_ROWS} more are not listed here. The search finds every document.`) : null;
}
