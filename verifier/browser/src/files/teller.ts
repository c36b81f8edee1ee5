/**
 * Reads what a record says of its documents from the lines of a copy.
 *
 * The engine judges a copy. This module judges nothing: it reads the lines once more, and collects what they say, for the
 * search, for the tables of rounds, and for the checks of other files against a copy.
 */
import { isArray } from "../engine/json.ts";
import { linesOf } from "./lines.ts";
import type { NamedFile } from "./named-files.ts";
import type { Proof } from "./proof.ts";
import type { Basis, Content, Named, Place, Reclaimed, Round, Sort, Story } from "./story.ts";

interface Opened {
  readonly indices: readonly number[];
  readonly values: readonly unknown[];
}

interface Line {
  readonly entry: {
    readonly body: {
      readonly asks: readonly string[];
      readonly previous: string;
      readonly releases: readonly { audience: string; entry: number; field: string; indices: readonly number[] | null }[];
      readonly sequence: number;
      readonly statement: {
        readonly answers: string | null;
        readonly author: string;
        readonly content: Content;
        readonly kind: string;
        readonly round: number;
        readonly sealed: Readonly<Record<string, { readonly commitments: readonly string[] }>>;
      };
    };
  };
  readonly openings: Readonly<Record<string, Opened>>;
}

/**
 * Read what a copy says. Whoever passes `settled` gets each round once nothing more is said of it, and must take from it
 * what is needed: the round is emptied afterwards, so that memory does not grow with the documents that a copy opens.
 */
export async function readStory(copy: NamedFile, settled: ((round: Round) => void) | null = null, lines?: number): Promise<Story> {
  const teller = new Teller(settled);
  for await (const line of linesOf(copy, lines)) {
    const value = JSON.parse(line) as Record<string, unknown>;
    if ("manifest" in value) teller.manifest(value["manifest"] as Content);
    else if ("entry" in value) {
      teller.entry(value as unknown as Line);
    }
  }
  return teller.story();
}

class Teller {
  private head: Content = {};
  private readonly hashes: string[] = [];
  private opening: Content = {};
  private claims: Content | null = null;
  private readonly rounds: Round[] = [];
  private readonly reclaims: Reclaimed[] = [];
  private withheld: Place[] | null = [];
  /** The entries of Alice's reports, by the numbers of their rounds. */
  private readonly reports: number[] = [];
  private readonly lists = new Map<number, Round>();
  /** What the last question of each kind was about: its answer goes through it by index. */
  private lastCamera: readonly number[] = [];
  private lastWave: readonly number[] = [];
  private lastDispute: readonly number[] = [];
  private lastReclaim: Reclaimed[] = [];
  private size = 0;
  /** The round that the entries are about now. */
  private current: Round | null = null;

  constructor(private readonly settled: ((round: Round) => void) | null) {}

  manifest(manifest: Content): void {
    this.head = manifest;
  }

  entry(line: Line): void {
    const body = line.entry.body;
    const statement = body.statement;
    if (body.sequence > 0) this.hashes.push(body.previous);
    this.size = body.sequence + 1;
    const round = this.rounds[statement.round - 1];
    switch (statement.kind) {
      case "open":
        this.opening = statement.content;
        return;
      case "batch":
      case "escalation":
      case "validation":
      case "call":
        this.begin(statement.kind, line);
        return;
      case "claims":
        this.claims = statement.content;
        return;
      case "reclaim":
        this.reclaim(line);
        return;
      case "returned":
        this.returned(line);
        return;
      default:
        if (round !== undefined) this.step(round, line);
    }
  }

  story(): Story {
    this.settle();
    const last = this.head["head"];
    if (this.size === this.head["size"] && typeof last === "string") this.hashes.push(last);
    return {
      audience: String(this.head["audience"]),
      matter: String(this.head["matter"]),
      size: this.size,
      hashes: this.hashes,
      opening: this.opening,
      rounds: this.rounds,
      reclaims: this.reclaims,
      claims: this.claims,
    };
  }

  /** Hand over the round that is at its end, and keep of it only what later rounds can need. */
  private settle(): void {
    const round = this.current;
    this.current = null;
    if (this.settled === null || round === null) return;
    this.settled(round);
    // An escalation or a validation can put up again what nobody was shown: its name, and all numbers.
    round.names = round.names.map((name, index) => (round.shown.has(index + 1) ? null : name));
    if (round.names.every((name) => name == null)) round.names = [];
    round.places = null;
    round.reviewed = [];
    round.report = null;
    round.givenUp = [];
    round.look = null;
    round.close = null;
    for (const all of [round.claims, round.lateClaims, round.camera, round.cameraProofs, round.shown, round.bob, round.disputed, round.before]) all.clear();
  }

  private begin(sort: Sort, line: Line): void {
    this.settle();
    const { sequence, statement } = line.entry.body;
    const content = statement.content;
    const listed = isArray(content["numbers"]) ? (content["numbers"] as number[]) : null;
    const before = sort === "escalation" || sort === "call" ? this.withheld : null;
    const sealedNumbers = line.openings["numbers"]?.values[0] as number[] | undefined;
    const own = sort === "escalation" ? 0 : (listed?.length ?? (content["size"] as number));
    const size = sort === "escalation" ? (content["size"] as number) : own + (sort === "call" ? (before?.length ?? 0) : 0);
    // Only what the copy opens takes room, whatever size is stated.
    const names: (Named | null)[] = [];
    for (const [index, value] of opened(line, "documents")) names[index] = value as Named;
    const round: Round = {
      number: statement.round,
      sort,
      entry: sequence,
      size,
      drawn: content["drawn"] !== null && content["drawn"] !== undefined,
      validation: typeof content["number"] === "number" ? content["number"] : null,
      names,
      numbers: listed ?? sealedNumbers ?? null,
      numbersCommitment: statement.sealed["numbers"]?.commitments[0] ?? null,
      reviewed: (content["reviewed"] as number[] | undefined) ?? [],
      places: before === null ? null : before.slice(),
      before: new Map(),
      report: null,
      claims: new Map(),
      lateClaims: new Set(),
      givenUp: [],
      look: null,
      camera: new Map(),
      cameraProofs: new Map(),
      shown: new Map(),
      bob: new Map(),
      disputed: new Map(),
      close: null,
      waves: 0,
    };
    this.rounds[statement.round - 1] = round;
    this.current = round;
    this.lists.set(sequence, round);
    this.nameWithheld(round);
    if (sort === "validation") {
      const places = new Map(this.withheld?.map((place) => [this.numberAt(place), place]));
      for (const position of round.reviewed) this.wasAt(round, position, places.get(listed?.[position - 1]));
    } else if (sort === "call") before?.forEach((place, index) => this.wasAt(round, own + index + 1, place));
  }

  private numberAt(place: Place): number | undefined {
    return this.rounds[place.round - 1]?.numbers?.[place.position - 1];
  }

  private wasAt(round: Round, position: number, place: Place | undefined): void {
    if (place !== undefined) round.before.set(position, { ...place, report: this.reports[place.round] });
  }

  /** A position that was put up before has the name of its place there. */
  private nameWithheld(round: Round): void {
    if (round.places === null) return;
    const own = round.size - round.places.length;
    round.places.forEach((place, index) => {
      round.names[own + index] = this.rounds[place.round - 1]?.names[place.position - 1] ?? null;
    });
  }

  private step(round: Round, line: Line): void {
    const { sequence, statement } = line.entry.body;
    const content = statement.content;
    switch (statement.kind) {
      case "report": {
        const labels = first(line, "labels") as (boolean | null)[] | undefined;
        const threshold = first(line, "threshold") as number | undefined;
        this.reports[round.number] = sequence;
        const sealsNone = statement.sealed["labels"] === undefined;
        round.report = { entry: sequence, labels: labels ?? (sealsNone ? [] : null), threshold: threshold ?? null };
        for (const [index, value] of opened(line, "privilege")) {
          if (value !== null) round.claims.set(index + 1, value as Basis);
        }
        return;
      }
      case "look":
        round.givenUp = content["positions"] as number[];
        round.look = sequence;
        return;
      case "claim": {
        const positions = content["positions"] as number[];
        positions.forEach((position) => round.lateClaims.add(position));
        for (const [index, value] of opened(line, "privilege")) round.claims.set(positions[index] ?? 0, value as Basis);
        return;
      }
      case "camera":
        this.lastCamera = content["positions"] as number[];
        this.lastCamera.forEach((position) => round.camera.set(position, null));
        for (const [index, value] of opened(line, "proofs")) {
          round.cameraProofs.set(this.lastCamera[index] ?? 0, value as Proof);
        }
        return;
      case "privilege":
        this.lastCamera.forEach((position, index) => {
          const upheld = (content["upheld"] as boolean[])[index] === true;
          const parts = (content["parts"] as number[][])[index] ?? [];
          round.camera.set(position, { entry: sequence, upheld, parts, reason: reasonAt(line, index) });
        });
        return;
      case "disclosure":
        this.disclose(round, line);
        return;
      case "labels":
        this.lastWave.forEach((position, index) => {
          const label = (content["labels"] as boolean[])[index];
          if (label !== undefined) round.bob.set(position, { entry: sequence, label, reason: reasonAt(line, index) });
        });
        return;
      case "dispute":
        this.lastDispute = content["positions"] as number[];
        this.lastDispute.forEach((position) => round.disputed.set(position, { entry: sequence, ruling: null, ruledIn: null, reason: "" }));
        return;
      case "rulings":
        this.lastDispute.forEach((position, index) => {
          const dispute = round.disputed.get(position);
          const label = (content["labels"] as boolean[])[index];
          if (dispute === undefined || label === undefined) return;
          dispute.ruling = label;
          dispute.ruledIn = sequence;
          dispute.reason = reasonAt(line, index);
        });
        return;
      case "closed":
        round.close = { entry: sequence, content };
        this.settleWithheld(round);
        return;
    }
  }

  private disclose(round: Round, line: Line): void {
    const { sequence, statement, releases } = line.entry.body;
    const positions = statement.content["positions"] as number[];
    this.lastWave = positions;
    round.waves += 1;
    const proofs = new Map(opened(line, "proofs"));
    const here = new Set<number>();
    const earlier: Place[] = [];
    for (const release of releases) {
      const list = this.lists.get(release.entry);
      if (release.field !== "documents" || list === undefined || release.indices === null) continue;
      for (const index of release.indices) {
        if (list === round) here.add(index + 1);
        else earlier.push({ round: list.number, position: index + 1 });
      }
    }
    // What was put up before is released in the order of its rounds and positions, and shown in the same order.
    let next = 0;
    positions.forEach((position, index) => {
      const place = here.has(position) ? { round: round.number, position } : earlier[next++];
      const proof = (proofs.get(index) as Proof | undefined) ?? null;
      round.shown.set(position, {
        entry: sequence,
        wave: round.waves,
        place: place ?? { round: round.number, position },
        proof,
      });
      if (place !== undefined && !here.has(position)) {
        round.names[position - 1] = this.rounds[place.round - 1]?.names[place.position - 1] ?? null;
      }
    });
  }

  /** Which documents Bob still has not seen, after this round; null once this copy cannot tell. */
  private settleWithheld(round: Round): void {
    if (this.withheld === null) return;
    if (round.report !== null && round.report.labels === null) {
      this.withheld = null;
      return;
    }
    const gone = (position: number): boolean => round.shown.has(position) || round.camera.get(position)?.upheld === true;
    if (round.places !== null) {
      const own = round.size - round.places.length;
      const left = new Set(round.places.filter((_, index) => !gone(own + index + 1)));
      this.withheld = this.withheld.filter((place) => left.has(place));
    }
    if (round.sort === "validation") {
      const seen = new Set((round.numbers ?? []).filter((_, index) => gone(index + 1)));
      this.withheld = this.withheld.filter((place) => {
        const number = this.numberAt(place);
        return number === undefined || !seen.has(number);
      });
    }
    round.report?.labels?.forEach((label, index) => {
      if (label !== true && !gone(index + 1)) this.withheld?.push({ round: round.number, position: index + 1 });
    });
  }

  private reclaim(line: Line): void {
    const { sequence, statement } = line.entry.body;
    const bases = new Map(opened(line, "privilege"));
    this.lastReclaim = (statement.content["documents"] as Place[]).map((place, index) => ({
      ...place,
      entry: sequence,
      basis: (bases.get(index) as Basis | undefined) ?? null,
      ruling: null,
    }));
    this.reclaims.push(...this.lastReclaim);
  }

  private returned(line: Line): void {
    const { sequence, statement } = line.entry.body;
    this.lastReclaim.forEach((reclaimed, index) => {
      reclaimed.ruling = { entry: sequence, upheld: (statement.content["upheld"] as boolean[])[index] === true, reason: reasonAt(line, index) };
    });
  }
}

function opened(line: Line, field: string): (readonly [number, unknown])[] {
  const openings = line.openings[field];
  if (openings === undefined) return [];
  return openings.indices.map((index, at) => [index, openings.values[at]] as const);
}

/** The reason of one answer of many, without the blanks that fill it up; empty where none is given, or the copy seals it. */
function reasonAt(line: Line, index: number): string {
  const { indices, values } = line.openings["reasons"] ?? { indices: [], values: [] };
  return String(values[indices.indexOf(index)] ?? "").replace(/ +$/, "");
}

function first(line: Line, field: string): unknown {
  return line.openings[field]?.values[0];
}
