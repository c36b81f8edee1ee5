/**
 * The first screen: the answer, what is proven about recall beside it, and what the verdict covers.
 */
import { GROUPS, asked } from "./asked.ts";
import { type Child, el, foreign, paragraph, subtitle, strong } from "./dom.ts";
import { mark } from "./marks.ts";
import { type ReportData, closedRounds, countsOf, roundsSay } from "./report-data.ts";
import {
  NO_RECORD_SHOWS, answerOf, brokenAssumptions, certifies, checked, claimed, copyLine, endedBecause, inDoubt, provenLines, reasonsBySort,
  receivedSays, signedWith,
} from "./sentences.ts";
import { facts, list, simulationNotice } from "./table.ts";
import { confidence, plural } from "./words.ts";

export function verdictSection(data: ReportData): HTMLElement {
  const { verdict } = data;
  const answer = answerOf(verdict);
  const proven = verdict.verdict === "verified" || verdict.verdict === "not closed" ? provenPanel(data) : null;
  return el(
    "section",
    { id: "verdict", "aria-labelledby": "answer" },
    el("p", { class: "kicker" }, "Verification of ", foreign(data.file.name)),
    el(
      "div",
      { class: "pair" },
      el(
        "div",
        { class: `answer ${answer.tone}` },
        el("div", { class: "answer-line" }, mark(answer.mark, 48), el("h1", { id: "answer", tabindex: -1 }, answer.word)),
        el("p", { class: "says" }, answer.says),
        damagePart(data),
        el("p", { class: "copy-line" }, copyLine(verdict)),
      ),
      proven,
    ),
    othersPart(data),
    verdict.isSimulation ? simulationNotice() : null,
    captionPart(data),
    findingsPart(data),
    summary(data),
    verdict.verdict === "undecided" ? null : coverage(data),
  );
}

/** The answer is about the copy. What was opened with it has answers of its own, and they must not be overlooked. */
function othersPart({ others }: ReportData): Child {
  if (others.length === 0) return null;
  const isBad = others.some((other) => other.isBad);
  return el(
    "div",
    { class: `panel others ${isBad ? "bad" : "plain"}` },
    el("h2", {}, "Opened with this copy"),
    list(others.map(({ id, title, word, isBad: bad }) => [bad ? mark("cross", 18) : null, el("a", { href: `#${id}` }, title), ": ", strong(word)])),
  );
}

function provenPanel(data: ReportData): HTMLElement {
  const lines = provenLines(data.verdict);
  const broken = brokenAssumptions(data.verdict);
  const tone = broken !== null || lines.some((line) => !line.good) ? "wait" : "good";
  return el(
    "div",
    { class: `panel ${tone}` },
    el("h2", {}, "What is proven about recall"),
    lines.length === 0 ? paragraph("Nothing yet: the claims, which state it, have not been made.") : null,
    lines.map((line) =>
      el("div", { class: "certificate" }, mark(line.mark, 26), el("div", {}, subtitle(`${line.about}: `, el("span", {}, line.target)), paragraph(line.says))),
    ),
    broken === null ? null : paragraph(strong(`In this simulation the assumptions are broken on purpose: ${inDoubt(data.verdict)}.`)),
  );
}

function damagePart({ verdict, file, changed }: ReportData): Child {
  const damage = verdict.damage;
  if (damage === null) return null;
  const where = damage.line === null ? "" : ` (line ${damage.line})`;
  if (damage.sort === "unknown version") {
    return paragraph(foreign(file.name), ` is of another version${where}: ${damage.what}. Nobody is blamed for this. Use a verifier that knows this version.`);
  }
  return paragraph(foreign(file.name), ` is damaged${where}: ${damage.what}.${changed === null ? "" : ` ${changed}`} Nobody is blamed for this. Get the file again from where it came. Whether the record is in order stays open.`);
}

function captionPart({ verdict }: ReportData): Child {
  const caption = verdict.opening?.caption;
  if (!caption) return null;
  return facts([
    ["Case", foreign(caption.case)],
    ["Court", foreign(caption.court)],
    ["Request", foreign(caption.request)],
  ]);
}

function findingsPart({ verdict }: ReportData): Child {
  if (verdict.findings.length === 0) return null;
  return [
    el("h2", {}, "What is wrong"),
    verdict.findings.map((finding) => {
      const check = verdict.checks.find((one) => one.id === finding.check);
      const where = finding.entry === null ? "" : `, entry ${finding.entry}`;
      const rows: [string, Child][] = [["Rule", finding.rule]];
      if (finding.expected) rows.push(["Expected", foreign(finding.expected)]);
      if (finding.found) rows.push(["Found", foreign(finding.found)]);
      rows.push(finding.blamed === null ? ["Blamed", "nobody"] : ["Signed", signedWith(verdict, finding).replace(/^signed /, "")]);
      return el("div", { class: "finding" }, subtitle(`${finding.check} ${check?.name ?? ""}${where}`), facts(rows));
    }),
    verdict.blamed.length > 0
      ? paragraph("Only the holder of that key could have made this. Keep the file as it is: it is the evidence.")
      : null,
  ];
}

function summary(data: ReportData): Child {
  const { verdict } = data;
  const rounds = closedRounds(data);
  if (verdict.opening === null || verdict.verdict === "rejected" || verdict.verdict === "undecided") return null;
  const counts = rounds.map((round) => countsOf(data, round));
  const sum = (pick: (one: (typeof counts)[number]) => number): number => counts.reduce((all, one) => all + pick(one), 0);
  const shown = sum((one) => one.shown);
  const found = sum((one) => one.found);
  const privileged = claimed(verdict, "privileged") ?? verdict.privilege.filter((row) => row.upheld && row.answer === "ruling").length;
  // The copy can seal whether the court kept a document as privileged or as not responsive.
  const isSealed = verdict.privilege.some((row) => row.answer === "sealed" && row.upheld);
  const hedge = !isSealed ? "" : verdict.claims === null ? ", as far as this copy shows" : ", according to Trent: this copy seals the rulings";
  const granted = verdict.events.filter((event) => event.sort === "default" && event.granted === true).length;
  const skipped = verdict.events.filter((event) => event.sort === "new key" && event.skipped !== null).length;
  const [kept, unread, unproven] = [sum((one) => one.inCamera), sum((one) => one.unread), rounds.reduce((all, one) => all + (one.unproven ?? 0), 0)];
  const clawedBack = verdict.clawbacks.filter((row) => row.upheld).length;
  const rows: [string, Child][] = [["Received", (receivedSays(verdict).split(". ")[0] ?? "").replace(/\.?$/, ".")]];
  rows.push(["Reviewed", `${verdict.reviewed} of ${plural(verdict.opening.documents, "document")}, in ${roundsSay(rounds)}`]);
  const { untold } = data.told;
  rows.push(["Shown to Bob", untold === "" ? `${shown}: ${found} responsive, ${shown - found} not responsive` : `${shown}; how many of them are responsive could not be told`]);
  if (untold === "") rows.push(["Disputes", `${sum((one) => one.disputes)}, ${sum((one) => one.against)} of them decided against Alice's report`]);
  rows.push(["Privilege", (privileged === 0 ? "nothing withheld as privileged" : `${privileged} withheld as privileged, by rulings of the court in camera`) + hedge]);
  const add = (name: string, count: number, says: string): void => void (count > 0 && rows.push([name, says]));
  add("In camera", kept, `${plural(kept, "document")} that the court found not responsive, not shown${hedge}`);
  add("Clawed back", clawedBack, `${clawedBack}, still counted as shown`);
  add("Silence", granted, `${plural(granted, "order")} of the court to go on without an answer`);
  add("Skipped draws", skipped, `${skipped}, because of a new key of Alice's`);
  add("Left unread by Bob", unread, `${plural(unread, "document")}, in ${rounds.filter((one) => one.unread > 0).length} of ${plural(rounds.length, "round")}`);
  const certificate = verdict.claims?.reviewed;
  if (certificate && certificate.atMost !== null && certifies(verdict)) {
    const tail = brokenAssumptions(verdict) !== null ? "; its assumptions are broken here, see below" : "";
    rows.push(["Hidden among the reviewed", `at most ${certificate.atMost}, with a confidence of ${confidence(certificate.doubt)}${unproven === 0 ? "" : `, ${unproven} of them among what Bob left unread`}${tail}${certificate.atMost === 0 ? "" : ". A limit, not an estimate: the coins cannot rule out that many."}`]);
  }
  const ended = endedBecause(verdict);
  if (ended !== null) rows.push(["Why the review ended", ended + (checked(verdict, "V29") ? "" : ", according to Trent: this copy cannot check that")]);
  return facts(rows);
}

function coverage(data: ReportData): Child {
  const checks = asked(data.verdict);
  const passed = checks.filter((check) => check.ending === "pass");
  const total = checks.filter((check) => check.ending !== "not asked").length;
  const groups = GROUPS.map(([title, ids]) => {
    const those = checks.filter((check) => ids.includes(check.id) && check.ending !== "not asked");
    const done = those.filter((check) => check.ending === "pass");
    if (done.length === 0) return null;
    const part = done.length < those.length ? "in part: " : "";
    return [strong(`${title}:`), ` ${part}${done.map((check) => `${check.name}${check.counted ? ` (${check.counted})` : ""}`).join(", ")}`];
  }).filter((group) => group !== null);
  return el(
    "div",
    { class: "pair covers" },
    el("div", {}, subtitle("What this verdict covers"), paragraph(`${passed.length} of ${total} checks passed:`), list(groups)),
    el(
      "div",
      {},
      subtitle("What it does not cover"),
      list(reasonsBySort(checks).map(({ ids, reason }) => [strong(ids), `: ${reason}`])),
      paragraph(NO_RECORD_SHOWS),
    ),
  );
}
