/**
 * What an exhibit tells of its document, a sentence for each thing that happened to it.
 */
import { coinsOfEscalation } from "../engine/alone.ts";
import { dueNow } from "../engine/due-positions.ts";
import type { Entry } from "../engine/chain.ts";
import { coin } from "../engine/hash.ts";
import type { Matter } from "../engine/matter.ts";
import { CALLED, listing, partsSay } from "../engine/names.ts";
import { TWO64 } from "../engine/numbers.ts";
import { Camera, type Round } from "../engine/round.ts";
import type { Ruled } from "../engine/rules.ts";
import type { Opening, Role } from "../engine/verdict.ts";
import type { ReadExhibit } from "./exhibit-entries.ts";
import type { Course, Whole } from "./exhibit-whole.ts";
import { type Part, isOpen } from "./proof.ts";
import { quoted } from "./quoted.ts";

/** A round that was replayed. The matter stands as it was left, so a round that closed is only here. */
export interface Judged extends Course {
  readonly m: Matter;
  readonly round: Round;
  /** The seed of the draw that listed the positions of a validation; null in any other round. */
  readonly listSeed: Uint8Array | null;
}

const part = (chance: bigint): string => (chance >= TWO64 ? "1, that is for certain" : chance === 0n ? "0" : (Number(chance) / 2 ** 64).toFixed(6));
const called = (label: boolean): string => (label ? "responsive" : "not responsive");
const thrown = (own: bigint): string => `${own}, which is ${part(own)} of 2^64`;

export function storyOf(read: ReadExhibit, signers: readonly Role[], document: { readonly name: string; readonly number: number; readonly parts: readonly Part[] }, opening: Opening, rounds: readonly Judged[], { reclaim }: Whole): string[] {
  const { parts } = document;
  const withheld = parts.filter((one) => !isOpen(one)).length;
  const handed =
    parts.length === 1
      ? "The files here are that document and its text, byte for byte."
      : `It has ${parts.length} parts. The files here are ${parts.length - withheld} of them and their texts, byte for byte.${withheld === 0 ? "" : ` The content of ${withheld} is withheld; only what a privilege log states is shown.`}`;
  const cosigners = signers.filter((role) => role !== "trent").map((role) => CALLED[role]);
  return [
    `Commitment. The document is number ${document.number} of the ${opening.documents} to which the matter's first entry commits, under the name ${quoted(document.name)}. Alice, Bob and the court signed that entry before anything was reviewed. ${handed}`,
    ...(rounds.length === 0 ? ["Review. Nothing here shows that the document was ever reviewed, disclosed or withheld, nor that it was not: the exhibit proves the commitment alone. If there was a review, its round was left out."] : rounds.flatMap((judged) => new Teller(judged).tell())),
    ...(reclaim === null ? [] : [askedBack(read.entries, reclaim.entry, reclaim.index)]),
    `Signatures. The record of ${read.checkpoint.size} entries, with the head ${read.checkpoint.head}, is signed by Trent, cosigned by ${cosigners.length === 0 ? "nobody" : listing(cosigners)}.`,
  ];
}

function askedBack(entries: readonly Entry[], reclaim: Entry, index: number): string {
  const ruling = entries.find(({ statement }) => statement.kind === "returned" && statement.answers === reclaim.hash);
  const upheld = (ruling?.statement.content["upheld"] as readonly boolean[] | undefined)?.[index];
  const basis = reclaim.openings["privilege"]!.values.at(0);
  const entry = `(entry ${ruling?.body.sequence})`;
  const answer = upheld === undefined ? "Here the court has not ruled on that." : upheld ? `The court upheld that ${entry}: it is clawed back, and Bob must return or destroy it.` : `The court overruled that ${entry}, so Bob keeps it.`;
  return `Asked back. Alice asked for the document back after Bob was shown it (entry ${reclaim.body.sequence}), on the basis ${quoted(String(basis))}. ${answer}`;
}

class Teller {
  private readonly position: number;

  constructor(private readonly judged: Judged) {
    this.position = judged.alone.position;
  }

  tell(): string[] {
    return [this.listed(), this.reported(), this.claimed(), this.givenUp(), this.drawn(), this.shown(), this.labelled(), this.ruled(), this.closed()].filter((text) => text !== "");
  }

  /** The number of the first entry of a kind; of an answer, the one to a question about the position. */
  private numberOf(kind: string, holds: (entry: Entry) => boolean = () => true): number | undefined {
    return this.judged.entries.find((entry) => entry.statement.kind === kind && holds(entry))?.body.sequence;
  }

  private answerOf(question: string, answer: string): string {
    const asked = this.numberOf(question, ({ statement }) => (statement.content["positions"] as number[]).includes(this.position)) ?? Infinity;
    return `(entry ${this.numberOf(answer, ({ body }) => body.sequence > asked)})`;
  }

  private listed(): string {
    const { position } = this;
    const { list, round, alone, listSeed } = this.judged;
    const entry = `(entry ${list.body.sequence})`;
    const { kind, content } = list.statement;
    if (kind === "batch") return `Batch. In round ${round.number} it stood at position ${position} of a batch of ${round.size}, ${content["drawn"] === null ? "ranked by a model" : "drawn by coin"} ${entry}.`;
    if (kind === "escalation") return `Escalation. Round ${round.number} was an escalation of all ${round.size} documents that were withheld; the document stood at position ${position} ${entry}.`;
    const own = coin(listSeed!, alone.document);
    if (kind === "validation") {
      const { show } = this.judged.m.numbers.validation!;
      const chance = this.judged.m.terms.validation!.hits === null ? `It was to be drawn if below ${show}, a probability of ${part(show)}.` : `By the terms it was to be drawn with a probability of at most ${part(show)}; the whole record tells which.`;
      return `Validation. In round ${round.number} coins drew it from the whole collection ${entry}: the coin of its number was ${thrown(own)}. ${chance} All that was drawn was due.`;
    }
    if (this.isCalled) return `Validation. In round ${round.number} coins called it for Alice to label, with the coin ${own} of its number ${entry}. It stood at position ${position}.`;
    return `Validation. Round ${round.number} was a validation in two stages ${entry}. The document had been withheld before, and stood at position ${position}.`;
  }

  private get isCalled(): boolean {
    return this.position <= (this.judged.round.validation?.called ?? Infinity);
  }

  private reported(): string {
    const { round } = this.judged;
    const { report, reportEntry } = round;
    const { threshold } = this;
    if (report === "none") return "";
    if (report === "awaited") return "Report. Up to this checkpoint Alice has not reported on it.";
    if (report === "ordered away") return "Report. Alice did not report on it; the court ordered the matter to go on without her report.";
    if (report === "sealed") return `Report. Alice has reported (entry ${reportEntry}); what she says stays sealed until the round is closed.`;
    if (!this.isCalled) return `Report. Alice reported on what was called (entry ${reportEntry}); she had withheld this document before.`;
    const label = round.labels![this.position - 1]!;
    const rank = threshold === null ? "" : ` The document stood ${this.position <= threshold ? "at or above" : "below"} the threshold of her report, at rank ${threshold}.`;
    return `Report. Alice ${label === null ? "gave no label for it" : `reported it as ${called(label)}`} (entry ${reportEntry}), and signed that before anyone could know the coins.${rank}`;
  }

  /** The rank by her report; null where the rule has none, or the exhibit does not show her labels. */
  private get threshold(): number | null {
    const { round, m } = this.judged;
    return m.terms.protocol !== "spot-check" && round.sort === "batch" ? (this.rule?.threshold ?? null) : null;
  }

  private get rule(): Ruled | null {
    const { round, m } = this.judged;
    return round.seed !== null && round.labelsShown ? dueNow(m, round, round.sheet).ruled : null;
  }

  private claimed(): string {
    const { round } = this.judged;
    const { sheet } = round;
    const claim = round.claim(this.position);
    const answer = sheet.camera[this.position];
    const ruled = this.answerOf("camera", "privilege");
    if (sheet.isLabelledInCamera(this.position)) {
      const parts = sheet.withheldParts.get(this.position);
      const withheld = parts === undefined ? "" : `, withheld ${partsSay(parts)} as privileged`;
      return `In camera. The court read it alone${withheld} and held it to be ${answer === Camera.Responsive ? `responsive ${ruled}` : `not responsive ${ruled}, so Bob does not get it`}.`;
    }
    if (claim?.class != null) return `Class. Alice put it into the sensitive class ${quoted(claim.class)}.`;
    if (claim == null && answer === Camera.None && !sheet.late.has(this.position)) return "";
    const what = claim?.parts == null ? "it" : partsSay(claim.parts);
    const claims = claim == null ? "Alice claimed it as privileged." : `Alice claimed ${what} as privileged ${sheet.late.has(this.position) ? "after" : "with"} her report on the basis ${quoted(claim.basis!)}.`;
    if (answer === Camera.Upheld) return `Privilege. ${claims} The court upheld the claim: it is withheld from Bob as privileged ${ruled}.`;
    if (answer === Camera.Overruled) return `Privilege. ${claims} The court overruled the claim ${ruled}.`;
    return `Privilege. ${claims} The court ${answer === Camera.Asked ? "has not ruled on that up to this checkpoint" : "was not asked, since the document was not due to Bob so far"}.`;
  }

  private givenUp(): string {
    return this.judged.round.givenUp?.has(this.position) === true && this.judged.round.sort === "escalation" ? `Given up. Alice named it in her second look (entry ${this.numberOf("look")}).` : "";
  }

  private drawn(): string {
    const { round, isClosed } = this.judged;
    if (round.validation?.stages === 1) return "";
    if (!isClosed) return "Coin. The round is open at this checkpoint, and its coins are not shown.";
    if (round.givenUp?.has(this.position) === true) return "";
    if (round.report === "ordered away") return this.isCalled ? "Coin. No coin decided: without a report, all that she was to label was due to Bob." : "Coin. No coin was thrown for it.";
    return `Coin. ${round.sort === "batch" ? this.inBatch() : round.sort === "escalation" ? this.inEscalation() : this.inCall()}`;
  }

  private inBatch(): string {
    const { round, m } = this.judged;
    const { position } = this;
    const { threshold, rule } = this;
    if (m.terms.protocol === "reveal-all") return "No coin decided: the rule shows every document.";
    if (position <= (threshold ?? 0)) return `No coin decided: it stands at or above the threshold (position ${threshold}).`;
    if (m.terms.protocol !== "classifier" && round.labels![position - 1] === true) return "No coin decided: Alice reported it responsive.";
    if (rule === null) return "Only the whole record tells its chance.";
    const compelled = rule.compelledAt === null ? null : `a responsive document that a coin drew, at position ${rule.compelledAt}, made the whole batch due.`;
    const chance = rule.chances.get(position);
    if (chance === undefined) return `No coin decided: ${compelled}`;
    return this.thrown(`It was to be drawn if below ${chance}, a probability of ${part(chance)}.`, chance, compelled);
  }

  private inCall(): string {
    const { round, m } = this.judged;
    const { show, review } = m.numbers.validation!;
    if (round.labels?.[this.position - 1] === true) return "No coin decided: Alice reported it responsive.";
    const chance = this.isCalled ? show : (review! * show) / TWO64;
    return this.thrown(`It was to be drawn if below ${chance}, a probability of ${part(chance)}.`, chance, null);
  }

  private inEscalation(): string {
    const { round } = this.judged;
    if (round.seed === null) return "No coin was thrown for it.";
    const { largest, least } = coinsOfEscalation(round);
    return this.thrown(`All had the same chance: what else was drawn puts it between ${part(largest + 1n)} and ${part(least)}. The whole record tells which.`, largest + 1n, null);
  }

  private thrown(says: string, chance: bigint, compelled: string | null): string {
    const { round } = this.judged;
    const own = round.coin(this.position);
    let end = "So it was not drawn.";
    if (own < chance) end = "So it was drawn.";
    else if (round.sheet.late.has(this.position)) end = "It was not, but a late claim of Alice's counts as drawn.";
    else if (compelled !== null) end = `It was not, but ${compelled}`;
    return `Its coin in draw ${round.draw} was ${thrown(own)}. ${says} ${end}`;
  }

  private shown(): string {
    const wave = this.judged.round.sheet.wave[this.position]!;
    const entry = this.numberOf("disclosure", ({ statement }) => (statement.content["positions"] as number[]).includes(this.position));
    if (wave > 0) return `Disclosure. Bob was shown it in wave ${wave} (entry ${entry}).`;
    return `Disclosure. ${this.judged.isClosed ? "In this round" : "Up to this checkpoint"} Bob was not shown the document.`;
  }

  private labelled(): string {
    const { sheet } = this.judged.round;
    const label = sheet.bob(this.position);
    if (!sheet.isShown(this.position)) return "";
    if (label !== null) return `Label. Bob labelled it as ${called(label)} ${this.answerOf("disclosure", "labels")}.`;
    if (sheet.unread[this.position] === 1) return "Label. Bob did not answer, and by the court's order Alice's label stands.";
    return "Label. Up to this checkpoint Bob has not labelled it.";
  }

  private ruled(): string {
    const ruling = this.judged.round.sheet.ruling(this.position);
    return ruling === null ? "" : `Ruling. The court held it to be ${called(ruling)} ${this.answerOf("dispute", "rulings")}.`;
  }

  private closed(): string {
    const { round, isClosed, entries } = this.judged;
    if (!isClosed) return "Outcome. At this checkpoint the round is open, and the document has no output label.";
    const { content } = entries.at(-1)!.statement;
    const label = (content["responsive"] as number[]).includes(this.position);
    const isUnsettled = round.settled(this.position) === null || round.sheet.unread[this.position] === 1;
    const isNew = label || round.sort !== "escalation" || !isUnsettled;
    return `Outcome. The round closed ${isNew ? `with the label ${called(label)}` : "without a new label"} for it (entry ${entries.at(-1)!.body.sequence}).`;
  }
}
