/**
 * The whole report of a verdict, in the order in which a reader needs it.
 */
import { el, foreign, paragraph } from "./dom.ts";
import type { ReportData } from "./report-data.ts";
import { searchSection } from "./search.ts";
import { checksSection, notCheckedSection } from "./section-checks.ts";
import { escalationsSection, validationsSection } from "./section-draws.ts";
import { glossarySection } from "./section-glossary.ts";
import { aboutSection, partiesSection } from "./section-parties.ts";
import { disputesSection, errorsSection, ordersSection, privilegeSection } from "./section-people.ts";
import { receivedSection } from "./section-received.ts";
import { roundsSection, whySection } from "./section-rounds.ts";
import { verdictSection } from "./section-verdict.ts";
import { section } from "./table.ts";
import { wordsSection } from "./section-words.ts";

const SECTIONS: readonly ((data: ReportData) => HTMLElement | null)[] = [
  searchSection, receivedSection, wordsSection, roundsSection, whySection, escalationsSection, validationsSection, checksSection, notCheckedSection,
  disputesSection, errorsSection, privilegeSection, ordersSection, partiesSection, glossarySection, aboutSection,
];

export function reportOf(data: ReportData): HTMLElement[] {
  const sections = SECTIONS.map((draw, index) => drawn(() => draw(data), (why) => section(`unshown-${index}`, "A part that could not be shown", paragraph(why)))).filter((one) => one !== null);
  const contents = el(
    "nav",
    { "aria-label": "Contents" },
    el("ul", { class: "contents" }, sections.map((section) => el("li", {}, el("a", { href: `#${section.id}` }, section.querySelector("h2")?.textContent)))),
  );
  return [drawn(() => verdictSection(data), (why) => verdictAlone(data, why)), contents, ...sections];
}

/** What cannot be drawn says so: it is never just missing, and takes nothing else with it. */
function drawn<T>(draw: () => T, instead: (why: string) => T): T {
  try {
    return draw();
  } catch (error) {
    return instead(`This page failed to show this, which says nothing about the record: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The answer, if what belongs to it cannot be drawn. */
function verdictAlone({ verdict, file }: ReportData, why: string): HTMLElement {
  return el("section", { id: "verdict", "aria-labelledby": "answer" }, el("p", { class: "kicker" }, "Verification of ", foreign(file.name)), el("h1", { id: "answer", tabindex: -1 }, verdict.verdict.toUpperCase()), paragraph(why));
}
