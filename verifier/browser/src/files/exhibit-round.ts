/**
 * One round of an exhibit, judged by itself (docs/exhibits.md, step 6).
 *
 * Every link is hashed down to its owner's anchor, every coin is computed again, and each wave is compared with what
 * the rule makes due. What rests on other rounds is left to the whole record. A round with orders, new keys, claims
 * that came late or documents of a class is not judged here.
 */
import { hex, unhex } from "../engine/bytes.ts";
import { documentLeaf } from "../engine/documents.ts";
import { coin, drawSeed, linkBefore, queryHash, wordsHash } from "../engine/hash.ts";
import type { Json, JsonObject } from "../engine/json.ts";
import { decimal, threshold } from "../engine/numbers.ts";
import { type Ruled, applyRule } from "../engine/rules.ts";
import { termNumbers } from "../engine/terms.ts";
import type { Role, Terms } from "../engine/verdict.ts";
import { type ExhibitEntry, ExhibitDamage, ExhibitFinding, NotJudgedHere } from "./exhibit-entries.ts";

export interface ExhibitSetting {
  readonly matter: string;
  readonly terms: Terms;
  readonly corpusRoot: string;
  readonly anchors: Readonly<Record<"alice" | "bob" | "trent", string>>;
  readonly document: { readonly number: number; readonly name: string; readonly leaf: string };
}

const JUDGED = new Set(["draw", "link", "batch", "report", "escalation", "look", "validation", "call", "camera", "privilege", "disclosure", "labels", "dispute", "rulings", "closed", "claim"]);
const LARGEST_WAVE = 4096;

/** The sentences that a judged round adds to the story, and whether it is closed. */
export interface JudgedRound {
  readonly number: number;
  readonly closed: boolean;
  readonly says: readonly string[];
}

export function judgeRound(entries: readonly ExhibitEntry[], setting: ExhibitSetting): JudgedRound {
  for (const entry of entries) {
    if (!JUDGED.has(entry.statement.kind)) throw new NotJudgedHere(`entry ${entry.number} (${entry.statement.kind}) belongs to a round that this page does not judge`);
  }
  return new RoundJudge(entries, setting).judge();
}

class RoundJudge {
  private readonly says: string[] = [];
  private readonly list: ExhibitEntry;
  private readonly sort: "batch" | "escalation" | "validation" | "call";
  private size = 0;
  private position = 0;
  private labels: (boolean | null)[] | null = null;
  private readonly shown = new Map<number, { readonly entry: number; readonly wave: number }>();
  private readonly bob = new Map<number, { readonly label: boolean; readonly entry: number }>();
  private readonly ruled = new Map<number, { readonly label: boolean; readonly entry: number }>();
  private readonly upheld = new Set<number>();
  private readonly byCourt = new Map<number, boolean>();

  constructor(
    private readonly entries: readonly ExhibitEntry[],
    private readonly setting: ExhibitSetting,
  ) {
    const list = entries.find((entry) => ["batch", "escalation", "validation", "call"].includes(entry.statement.kind));
    if (list === undefined) throw new ExhibitDamage("a round lacks the entry that lists its documents");
    this.list = list;
    this.sort = list.statement.kind as typeof this.sort;
  }

  judge(): JudgedRound {
    this.contiguous();
    this.questions();
    this.links();
    this.place();
    const close = this.find("closed");
    this.report(close !== undefined);
    if (this.find("camera") !== undefined && this.setting.terms.classes !== null) throw new NotJudgedHere("a round with classes before the court");
    const coins = close === undefined ? null : this.coinsOf(close);
    const end = this.course(coins);
    if (close !== undefined) this.close(close, end);
    this.tell(close, coins, end);
    return { number: this.list.statement.round, closed: close !== undefined, says: this.says };
  }

  private find(kind: string): ExhibitEntry | undefined {
    return this.entries.find((entry) => entry.statement.kind === kind);
  }

  private contiguous(): void {
    this.entries.forEach((entry, index) => {
      const before = this.entries[index - 1];
      if (before !== undefined && entry.number !== before.number + 1) throw new ExhibitDamage(`entry ${before.number + 1} of the round is missing`);
    });
  }

  /** A party answers an entry of the round that asked it, once, and in the round of its question. */
  private questions(): void {
    const open = new Map<string, Set<Role>>();
    for (const { number, hash, body, statement } of this.entries) {
      if (statement.author !== "trent") {
        const asked = open.get(statement.answers ?? "");
        if (asked === undefined || !asked.delete(statement.author)) throw new ExhibitDamage(`entry ${number} answers no question of the round`);
      } else if ([...open.values()].some((roles) => roles.size > 0)) throw new ExhibitFinding("V05", "trent", number, "he went on while somebody had to answer");
      if (statement.round !== this.list.statement.round) throw new ExhibitDamage(`entry ${number} is of another round`);
      open.set(hash, new Set(body.asks));
    }
  }

  /** V08: every link leads to its owner's anchor, in as many steps as its draw's number. */
  private links(): void {
    const matter = raw(this.setting.matter);
    for (const { number, statement } of this.entries) {
      const content = statement.content;
      const spent = (content["drawn"] ?? content) as JsonObject;
      if (typeof spent["link"] !== "string" || typeof spent["draw"] !== "number") continue;
      const owner = statement.author as "alice" | "bob" | "trent";
      let link = raw(spent["link"]);
      if (spent["draw"] > this.setting.terms.draws) throw new ExhibitFinding("V08", owner, number, "the chains have no such draw");
      for (let i = spent["draw"]; i > 0; i -= 1) link = linkBefore(matter, owner, i, link);
      if (hex(link) !== this.setting.anchors[owner]) throw new ExhibitFinding("V08", owner, number, "the link does not lead to its owner's anchor");
    }
  }

  /** Where the document stands: its opened place, or in an escalation the proof that leads to its leaf. */
  private place(): void {
    const { content, sealed } = this.list.statement;
    const numbers = content["numbers"] as number[] | undefined;
    this.size = this.sort === "escalation" ? (content["size"] as number) : (numbers?.length ?? (content["size"] as number));
    const opened = this.list.openings["documents"];
    const value = opened?.values[0] as { document: number; name: string } | undefined;
    if (opened !== undefined && value !== undefined) {
      if (opened.indices.length !== 1 || value.document !== this.setting.document.number || value.name !== this.setting.document.name) throw new ExhibitDamage("the place that is opened is not that of the document");
      if ((sealed["documents"]?.commitments.length ?? 0) !== this.size) throw new ExhibitFinding("V09", "trent", this.list.number, "as many documents are sealed as the size says");
      this.position = (opened.indices[0] ?? 0) + 1;
      return;
    }
    for (const entry of this.entries) {
      const proofs = entry.openings["proofs"];
      const proof = proofs?.values[0];
      if (proofs === undefined || proof === undefined) continue;
      const leaf = documentLeaf(this.setting.document.number, proof as Json);
      if (leaf === null || hex(leaf) !== this.setting.document.leaf) throw new ExhibitDamage("a proof in the round is not that of the document");
      this.position = (entry.statement.content["positions"] as number[])[proofs.indices[0] ?? 0] ?? 0;
      return;
    }
    throw new ExhibitDamage("the round does not open the place of the document");
  }

  /** V12: a label for each position, once the round is closed. */
  private report(closed: boolean): void {
    const report = this.find("report");
    if (report === undefined || !closed) return;
    const labels = report.openings["labels"]?.values[0];
    if (labels === undefined) {
      if (report.statement.sealed["labels"] === undefined) return;
      throw new ExhibitDamage("the labels of the report are not opened");
    }
    if (!Array.isArray(labels) || labels.length !== this.size) throw new ExhibitFinding("V12", "alice", report.number, "the report does not have a label for each position");
    this.labels = labels as (boolean | null)[];
  }

  /** The coins of the draw that decides what Bob is shown; null where the round has none. */
  private coinsOf(close: ExhibitEntry): ((item: number) => bigint) | null {
    const asks = this.sort === "validation" ? this.find("draw") : (this.find("report") ?? this.find("look"));
    if (asks === undefined) throw new NotJudgedHere("a round without a report");
    const first = this.sort === "validation";
    const trent = (first ? this.list.statement.content["drawn"] : close.statement.content) as JsonObject;
    const draw = trent["draw"] as number;
    const linkOf = (role: Role): Uint8Array => {
      const entry = this.entries.find((one) => one.statement.author === role && one.statement.content["draw"] === draw && typeof one.statement.content["link"] === "string");
      if (entry === undefined) throw new ExhibitDamage(`the link of ${role} for draw ${draw} is missing`);
      return raw(entry.statement.content["link"]);
    };
    const matter = raw(this.setting.matter);
    const answers = first ? queryHash(raw(this.setting.corpusRoot), this.setting.terms.query) : wordsHash(asks.statement as unknown as JsonObject);
    const seed = drawSeed(matter, draw, linkOf("alice"), linkOf("bob"), raw(trent["link"]), answers);
    return (item) => coin(seed, item);
  }

  private rule(coins: (item: number) => bigint): Ruled | null {
    if (this.sort !== "batch" || this.labels === null) return null;
    const report = this.find("report");
    const stated = report?.openings["threshold"]?.values[0];
    const reported = typeof stated === "number" ? stated : null;
    if (this.setting.terms.protocol === "classifier" && reported === null) throw new ExhibitDamage("the threshold of the report is not opened");
    return applyRule(termNumbers(this.setting.terms).rule, this.labels, reported, coins, (position) => this.settled(position), new Set());
  }

  private settled(position: number): boolean | null {
    return this.ruled.get(position)?.label ?? this.byCourt.get(position) ?? this.bob.get(position)?.label ?? null;
  }

  /** V13, V15, V25: each wave in turn, Bob's labels, and the court's rulings. */
  private course(coins: ((item: number) => bigint) | null): Ruled | null {
    let wave: readonly number[] = [];
    let disputed: readonly number[] = [];
    let camera: readonly number[] = [];
    let waves = 0;
    for (const { number, statement } of this.entries) {
      const content = statement.content;
      const positions = (content["positions"] as number[] | undefined) ?? [];
      switch (statement.kind) {
        case "camera":
          camera = positions;
          if (coins !== null) this.within(number, positions, coins, "V25");
          break;
        case "privilege": {
          const upheld = content["upheld"] as boolean[];
          const parts = content["parts"] as number[][];
          if (upheld.length !== camera.length || parts.length !== camera.length) throw new ExhibitFinding("V25", "court", number, "there is a ruling for each position");
          camera.forEach((position, index) => {
            if (upheld[index]) this.upheld.add(position);
            if ((parts[index]?.length ?? 0) > 0) this.byCourt.set(position, !upheld[index]);
          });
          break;
        }
        case "disclosure":
          waves += 1;
          wave = positions;
          if (positions.length === 0 || positions.some((position, index) => position <= (positions[index - 1] ?? 0) || this.shown.has(position) || this.upheld.has(position))) {
            throw new ExhibitFinding("V13", "trent", number, "the positions of a wave are ascending, and not shown or withheld before");
          }
          if (coins !== null) this.exactly(number, positions, coins);
          positions.forEach((position) => this.shown.set(position, { entry: number, wave: waves }));
          break;
        case "labels": {
          const labels = content["labels"] as boolean[];
          if (labels.length !== wave.length) throw new ExhibitFinding("V15", "bob", number, "Bob labels just what he was shown");
          wave.forEach((position, index) => this.bob.set(position, { label: labels[index] === true, entry: number }));
          break;
        }
        case "dispute":
          disputed = positions;
          if (this.labels !== null || this.sort !== "batch") this.disputes(number, wave, positions);
          break;
        case "rulings": {
          const labels = content["labels"] as boolean[];
          if (labels.length !== disputed.length) throw new ExhibitFinding("V15", "court", number, "the court rules on just what was disputed");
          disputed.forEach((position, index) => this.ruled.set(position, { label: labels[index] === true, entry: number }));
          break;
        }
      }
    }
    return coins === null ? null : this.rule(coins);
  }

  private aliceSays(position: number): boolean | null {
    if (this.sort === "validation") return false;
    if (this.sort === "escalation") return ((this.find("look")?.statement.content["positions"] as number[] | undefined) ?? []).includes(position);
    if (this.labels === null) return null;
    return this.labels[position - 1] ?? false;
  }

  private disputes(number: number, wave: readonly number[], positions: readonly number[]): void {
    const due = wave.filter((position) => {
      const bob = this.bob.get(position)?.label;
      return bob !== undefined && !this.byCourt.has(position) && !this.ruled.has(position) && this.aliceSays(position) !== bob;
    });
    if (due.join() !== positions.join()) throw new ExhibitFinding("V15", "trent", number, "the court is asked about just what is disputed");
  }

  private stillDue(coins: (item: number) => bigint): number[] | null {
    const rule = this.rule(coins);
    const left = (position: number): boolean => !this.shown.has(position) && !this.upheld.has(position);
    if (this.sort === "validation") return range(this.size).filter(left).slice(0, LARGEST_WAVE);
    if (rule === null) return null;
    return range(this.size).filter((position) => rule.due[position] === 1 && left(position)).slice(0, LARGEST_WAVE);
  }

  private exactly(number: number, positions: readonly number[], coins: (item: number) => bigint): void {
    const due = this.stillDue(coins);
    if (due !== null && due.join() !== positions.join()) throw new ExhibitFinding("V13", "trent", number, "Bob was not shown what the agreed rule and the coins say, no more and no less");
  }

  private within(number: number, positions: readonly number[], coins: (item: number) => bigint, check: string): void {
    const due = this.stillDue(coins);
    if (due !== null && positions.some((position) => !due.includes(position))) throw new ExhibitFinding(check, "trent", number, "the court was shown what is not due");
  }

  /** V13 at the end, V16, V28: nothing due is left, and the close states what follows. */
  private close(close: ExhibitEntry, rule: Ruled | null): void {
    const coins = this.coinsOf(close);
    const content = close.statement.content;
    if (coins === null) return;
    const left = this.stillDue(coins);
    if (left !== null && left.length > 0) throw new ExhibitFinding("V13", "trent", close.number, `what was due was not shown: positions ${left.slice(0, 5).join(", ")}`);
    if (this.sort === "escalation") this.escalated(close, coins);
    if (this.sort === "validation" || this.sort === "call") this.drawnByNumber();
    if (this.sort === "call") this.calledShown(close, coins);
    const output = range(this.size).filter((position) => this.settled(position) ?? (this.sort === "batch" ? (this.labels?.[position - 1] ?? false) : false));
    const stated = content["responsive"] as number[];
    const whole = this.sort === "batch" || this.sort === "validation" || this.sort === "escalation";
    if (whole && output.join() !== stated.join()) throw new ExhibitFinding("V16", "trent", close.number, "the round does not close with the labels that follow from it");
    if (rule === null) return;
    const sampled = rule.drawn.reduce((sum, drawn) => sum + drawn, 0);
    const follows = content["threshold"] === rule.threshold && content["error"] === rule.error && content["sampled"] === sampled && content["compelled"] === (rule.compelledAt !== null);
    if (!follows) throw new ExhibitFinding("V16", "trent", close.number, "the numbers of the close do not follow from the round");
  }

  /** One chance held for all: whatever was drawn has a smaller coin than whatever was not. */
  private escalated(close: ExhibitEntry, coins: (item: number) => bigint): void {
    let largest = -1n;
    let least = 1n << 64n;
    for (const position of range(this.size)) {
      if (this.aliceSays(position)) continue;
      const own = coins(position);
      if (this.shown.has(position) || this.upheld.has(position)) largest = own > largest ? own : largest;
      else least = own < least ? own : least;
    }
    if (largest >= least) throw new ExhibitFinding("V13", "trent", close.number, "a position was shown, and one with a smaller coin was not");
  }

  private firstCoin(): bigint {
    const drawn = this.list.statement.content["drawn"] as JsonObject;
    const draw = this.find("draw")?.statement.content["draw"];
    if (draw !== drawn["draw"]) throw new ExhibitDamage("the draw of the validation is missing");
    const matter = raw(this.setting.matter);
    const linkOf = (role: Role): Uint8Array => unhex(this.entries.find((one) => one.statement.kind === "link" && one.statement.author === role && one.statement.content["draw"] === draw)?.statement.content["link"]) ?? new Uint8Array();
    const seed = drawSeed(matter, drawn["draw"] as number, linkOf("alice"), linkOf("bob"), raw(drawn["link"]), queryHash(raw(this.setting.corpusRoot), this.setting.terms.query));
    return coin(seed, this.setting.document.number);
  }

  /** V28: the coin of the document's number is below the chance by which the terms let it be drawn. */
  private drawnByNumber(): void {
    const terms = this.setting.terms.validation;
    const listed = (this.list.statement.content["numbers"] as number[]).includes(this.setting.document.number);
    if (terms === null || !listed) return;
    const chance = decimal(this.sort === "call" ? (terms.review ?? "0") : terms.show);
    if (chance !== null && this.firstCoin() >= threshold(chance)) throw new ExhibitFinding("V28", "trent", this.list.number, "the coin of the document's number did not draw it");
  }

  private calledShown(close: ExhibitEntry, coins: (item: number) => bigint): void {
    const terms = this.setting.terms.validation;
    if (terms === null || !this.shown.has(this.position) || this.aliceSays(this.position) === true) return;
    const [show, review] = [decimal(terms.show), decimal(terms.review ?? "0")];
    if (show === null || review === null) return;
    const called = (this.list.statement.content["numbers"] as number[]).includes(this.setting.document.number);
    const chance = called ? threshold(show) : (threshold(review) * threshold(show)) >> 64n;
    if (coins(this.setting.document.number) >= chance) throw new ExhibitFinding("V13", "trent", close.number, "the document was shown, and its coin did not draw it");
  }

  private tell(close: ExhibitEntry | undefined, coins: ((item: number) => bigint) | null, rule: Ruled | null): void {
    const position = this.position;
    const round = this.list.statement.round;
    const part = (own: bigint): string => (Number(own) / 2 ** 64).toFixed(6);
    if (this.sort === "batch") {
      const how = this.list.statement.content["drawn"] === null ? "ranked by a model" : "drawn by coin";
      this.says.push(`Ranked. In round ${round} it stood at position ${position} of a batch of ${this.size}, ${how} (entry ${this.list.number}).`);
      const report = this.find("report");
      const label = this.labels?.[position - 1];
      if (report !== undefined && typeof label === "boolean") this.says.push(`Reported. Alice reported it as ${called(label)} (entry ${report.number}), and signed that before anyone could know the coins.`);
      const chance = rule?.chances.get(position);
      if (chance !== undefined && coins !== null) {
        const own = coins(position);
        this.says.push(`Drawn. Its coin in draw ${close?.statement.content["draw"]} was ${own}, which is ${part(own)} of 2^64. It was to be drawn if below ${chance}, a probability of ${part(chance)}. So it was ${own < chance ? "" : "not "}drawn.`);
      } else if (label === true) this.says.push("Drawn. No coin decided: Alice reported it responsive.");
    } else if (this.sort === "validation") {
      const own = this.firstCoin();
      const show = decimal(this.setting.terms.validation?.show ?? "0");
      this.says.push(`Validated. In round ${round} coins drew it from the whole collection (entry ${this.list.number}): the coin of its number was ${own}, which is ${part(own)} of 2^64. By the terms it was to be drawn with a probability of at most ${show === null ? "" : part(threshold(show))}; the whole record tells which. All that was drawn was due.`);
    } else if (this.sort === "escalation") {
      this.says.push(`Drawn again. Round ${round} was an escalation of all ${this.size} documents that were withheld; the document stood at position ${position} (entry ${this.list.number}).`);
      if (coins !== null) this.says.push(`Drawn. Its coin in draw ${close?.statement.content["draw"]} was ${coins(position)}, which is ${part(coins(position))} of 2^64. One chance held for all: the whole record tells which.`);
    } else this.says.push(`Called. In round ${round}, a validation in two stages, it stood at position ${position} (entry ${this.list.number}).`);
    const shown = this.shown.get(position);
    this.says.push(shown === undefined ? "Shown. In this round Bob was not shown the document." : `Shown. Bob was shown it in wave ${shown.wave} (entry ${shown.entry}).`);
    const bob = this.bob.get(position);
    if (bob !== undefined) this.says.push(`Labelled. Bob labelled it as ${called(bob.label)} (entry ${bob.entry}).`);
    const ruled = this.ruled.get(position);
    if (ruled !== undefined) this.says.push(`Ruled on. The court held it to be ${called(ruled.label)} (entry ${ruled.entry}).`);
    if (this.upheld.has(position)) this.says.push("Withheld. The court kept it from Bob.");
    if (close !== undefined) this.says.push(`Output. The round closed with the label ${called((close.statement.content["responsive"] as number[]).includes(position))} for it (entry ${close.number}).`);
    else this.says.push("Open. The round is not closed in this exhibit.");
  }
}

/** The bytes of a hex text whose form was judged with its entry. */
function raw(text: unknown): Uint8Array {
  return unhex(text) ?? new Uint8Array();
}

function range(size: number): number[] {
  return Array.from({ length: size }, (_, index) => index + 1);
}

function called(label: boolean): string {
  return label ? "responsive" : "not responsive";
}
