/**
 * What was received, and what became of it.
 */
import { quoted } from "../engine/quoted.ts";
import { el, foreign, paragraph, svg, strong } from "./dom.ts";
import type { ReportData } from "./report-data.ts";
import { accountStanding, receivedSays } from "./sentences.ts";
import { list, section } from "./table.ts";
import { plural } from "./words.ts";

export function receivedSection({ verdict }: ReportData): HTMLElement | null {
  const opening = verdict.opening;
  if (opening === null) return null;
  const account = opening.account;
  const kinds = [
    ["certain", account.entered, `${account.entered} entered`, "families that are in the corpus"],
    ["coin", account.duplicates, plural(account.duplicates, "duplicate"), "families that equal one that entered as a whole"],
    ["sealed", account.exceptions, plural(account.exceptions, "exception"), "items that could not enter"],
    ["kept", account.containers, plural(account.containers, "container"), "mailboxes, archives and load files that were opened"],
  ] as const;
  const there = kinds.filter(([, count]) => count > 0);
  let x = 0;
  const bars = there.map(([style, count]) => {
    const width = (480 * count) / Math.max(1, account.items);
    const bar = svg("rect", { x: x.toFixed(1), y: 0, width: width.toFixed(1), height: 28, class: style === "kept" ? "strip-frame" : `bar-${style}` });
    x += width;
    return bar;
  });
  const reasons = Object.entries(account.reasons);
  return section(
    "received",
    "What was received",
    paragraph(receivedSays(verdict)),
    el("figure", {}, el("figcaption", {}, `What became of ${plural(account.items, "item")}`), svg("svg", { viewBox: "0 0 480 28", preserveAspectRatio: "none", role: "img", class: "strip", "aria-label": `${plural(account.items, "item")} received: ${kinds.map(([, , counted]) => counted).join("; ")}` }, svg("rect", { width: 480, height: 28, class: "strip-frame" }), bars)),
    el("ul", { class: "legend" }, there.map(([style, , counted, what]) => el("li", {}, svg("svg", { viewBox: "0 0 20 14", width: 20, height: 14, class: "swatch", "aria-hidden": "true" }, svg("rect", { width: 20, height: 14, class: style === "kept" ? "strip-frame" : `bar-${style}` })), `${counted}: ${what}`))),
    reasons.length === 0 ? null : [paragraph("Why items could not enter:"), list(reasons.map(([reason, count]) => [foreign(quoted(reason, "“”")), `: ${count}`]))],
    paragraph(accountStanding(verdict), " ", strong("Nothing is proven about what was never received.")),
    account.protections.length === 0 ? null : [paragraph("What kept files from harming the machine that read them, according to Trent:"), list(account.protections.map((text) => foreign(quoted(text, "“”"))))],
  );
}
