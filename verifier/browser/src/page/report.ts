/**
 * The whole report of a verdict, in the order in which a reader needs it.
 */
import { el } from "./dom.ts";
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
import { wordsSection } from "./section-words.ts";

export function reportOf(data: ReportData): HTMLElement[] {
  const sections = [
    searchSection(data),
    receivedSection(data),
    wordsSection(data),
    roundsSection(data),
    whySection(data),
    escalationsSection(data),
    validationsSection(data),
    checksSection(data),
    notCheckedSection(data),
    disputesSection(data),
    errorsSection(data),
    privilegeSection(data),
    ordersSection(data),
    partiesSection(data),
    glossarySection(),
    aboutSection(data),
  ].filter((section) => section !== null);
  const contents = el(
    "nav",
    { "aria-label": "Contents" },
    el("ul", { class: "contents" }, sections.map((section) => el("li", {}, el("a", { href: `#${section.id}` }, section.querySelector("h2")?.textContent)))),
  );
  return [verdictSection(data), contents, ...sections];
}
