/**
 * The check of a production volume against a copy of the record: P01 to P09 (docs/production.md).
 */
import { hex, unhex, utf8 } from "../engine/bytes.ts";
import { verifyTagged } from "../engine/ed25519.ts";
import { verifyCopy } from "../engine/index.ts";
import { Sha256 } from "../engine/sha256.ts";
import type { CheckOutcome, Trust, Verdict } from "../engine/verdict.ts";
import { COLUMNS, loadFileLines, returnLines, slipSheet } from "./load-file.ts";
import { type Folder, type NamedFile, chunksOfFile } from "./named-files.ts";
import { holdsWithheld, isOpen, textHash } from "./proof.ts";
import type { Story } from "./story.ts";
import { readStory } from "./teller.ts";
import { type Producible, toProduce, toReturn } from "./to-produce.ts";
import { type Manifest, UnreadableVolume, type Volume, batesNumber, volumesIn } from "./volume.ts";

export interface ProductionCheck {
  readonly id: string;
  readonly name: string;
  readonly question: string;
  readonly outcome: CheckOutcome;
  readonly detail: string;
}

export interface ProductionFinding {
  readonly check: string;
  readonly what: string;
  /** Trent, where he signed what is wrong; null where anybody could have done it. */
  readonly blamed: "trent" | null;
}

export interface ProductionVerdict {
  readonly verdict: "verified" | "rejected" | "undecided";
  /** Why nothing could be decided; empty otherwise. */
  readonly reason: string;
  readonly volume: string;
  readonly copyVerdict: Verdict | null;
  readonly manifest: { readonly volume: number; readonly begin: string; readonly last: string; readonly size: number; readonly hash: string } | null;
  readonly documents: number;
  readonly records: number;
  readonly withheld: number;
  readonly toReturn: number;
  readonly checks: readonly ProductionCheck[];
  readonly findings: readonly ProductionFinding[];
}

const CHECKS: readonly (readonly [string, string, string])[] = [
  ["P01", "signature", "Is the manifest signed by Trent's key in the copy?"],
  ["P02", "head", "Is its head an entry of this record, and are those of earlier volumes?"],
  ["P03", "files", "Are just the files of the manifest in the folder, each with its size and hash?"],
  ["P04", "documents", "Does the volume hold just what is to be produced, in order, with all parts, under numbers that go on?"],
  ["P05", "contents", "Has each native the committed content, and each text the committed text?"],
  ["P06", "slip sheets", "Are just the parts that the proof withholds slip sheets, do they say nothing else, and does no native hold such a part?"],
  ["P07", "fields", "Does each line of the load file state the committed fields?"],
  ["P08", "return", "Does RETURN.csv list just what Bob may not keep?"],
  ["P09", "earlier volumes", "Are the earlier volumes those that the manifest names, and do they hold what was to be produced in them?"],
];

export async function checkProduction(files: readonly NamedFile[], copy: NamedFile, trust: Trust): Promise<ProductionVerdict> {
  let volumes: Volume[];
  try {
    volumes = await volumesIn(files);
  } catch (error) {
    if (error instanceof UnreadableVolume) return undecided("the folder", error.message, null);
    throw error;
  }
  const [volume, ...earlier] = volumes;
  if (volume === undefined) return undecided("the folder", "There is no MANIFEST.json in what was opened.", null);
  const verdict = await verifyCopy(chunksOfFile(copy), { trust, withoutPositions: true });
  if (verdict.verdict === "undecided") return undecided(volume.name, "The copy is undecided.", verdict);
  if (verdict.verdict === "rejected") {
    return { ...undecided(volume.name, "The copy is rejected.", verdict), verdict: "rejected" };
  }
  const story = await readStory(copy);
  const { manifest } = volume;
  if (story.audience === "public") return undecided(volume.name, "The public copy shows no documents. Use Bob's, Alice's or the court's.", verdict);
  if (manifest.matter !== story.matter) return undecided(volume.name, "The volume is of another matter than the copy.", verdict);
  if (manifest.size > story.size) return undecided(volume.name, `The copy has ${story.size} entries and ends before the volume's head, entry ${manifest.size - 1}. Ask for a later copy.`, verdict);
  return new VolumeCheck(volume, earlier, story, verdict).judge();
}

class VolumeCheck {
  private readonly findings: ProductionFinding[] = [];
  private readonly details = new Map<string, string>();
  private readonly notChecked = new Map<string, string>();
  private readonly intact = new Set<string>();
  private signed = false;

  constructor(
    private readonly volume: Volume,
    private readonly earlier: readonly Volume[],
    private readonly story: Story,
    private readonly verdict: Verdict,
  ) {}

  async judge(): Promise<ProductionVerdict> {
    const { manifest } = this.volume;
    await this.signature();
    this.heads();
    await this.files();
    const due = this.documents();
    if (due === null) return undecided(this.volume.name, "The copy does not open the documents that Bob was shown.", this.verdict);
    await this.contents(due);
    await this.loadFile(due);
    const back = toReturn(this.story, manifest.size) ?? [];
    await this.returns(back);
    this.earlierVolumes();
    const last = manifest.records[manifest.records.length - 1]?.number ?? "";
    return {
      verdict: this.findings.length > 0 ? "rejected" : "verified",
      reason: "",
      volume: this.volume.name,
      copyVerdict: this.verdict,
      manifest: { volume: manifest.volume, begin: manifest.records[0]?.number ?? "", last, size: manifest.size, hash: this.volume.hash },
      documents: due.length,
      records: manifest.records.length,
      withheld: manifest.records.filter((record) => record.withheld).length,
      toReturn: back.length,
      checks: CHECKS.map(([id, name, question]) => this.outcome(id, name, question)),
      findings: this.findings,
    };
  }

  /** P01. Nobody is blamed for an invalid signature: anybody can write one. */
  private async signature(): Promise<void> {
    const key = unhex((this.story.opening["keys"] as { trent: string }).trent) ?? new Uint8Array();
    this.details.set("P01", "1 signature");
    this.signed = await verifyTagged(key, "production", this.volume.signed, this.volume.signature);
    if (!this.signed) this.find("P01", "the signature of the manifest is not valid under Trent's key in the copy", false);
  }

  /** P02. */
  private heads(): void {
    const { manifest } = this.volume;
    const heads = [{ name: "the volume", size: manifest.size, head: manifest.head }].concat(
      manifest.earlier.map((one) => ({ name: `volume ${one.volume}`, size: one.size, head: one.head })),
    );
    for (const { name, size, head } of heads) {
      if (this.story.hashes[size - 1] !== head) this.find("P02", `${name} names a head that is not entry ${size - 1} of this record`);
    }
    this.details.set("P02", plural(heads.length, "entry", "entries"));
  }

  /** P03. Nobody signs a single file, so nobody is blamed for one that is missing, added or changed. */
  private async files(): Promise<void> {
    const { folder, manifest } = this.volume;
    const listed = new Set(manifest.files.map((file) => file.path));
    for (const { path, sha256, size } of manifest.files) {
      const file = folder.get(path);
      if (file === undefined) this.find("P03", `${path} is missing`, false);
      else if (file.size !== size || (await hashOf(file)) !== sha256) this.find("P03", `${path} is not the file of the manifest`, false);
      else this.intact.add(path);
    }
    for (const path of folder.keys()) {
      if (path !== "MANIFEST.json" && !listed.has(path)) this.find("P03", `${path} is not in the manifest`, false);
    }
    this.details.set("P03", plural(manifest.files.length, "file"));
  }

  /** P04: the documents that are to be produced, or null if the copy does not open them. */
  private documents(): readonly Producible[] | null {
    const { manifest } = this.volume;
    const before = new Set<string>();
    for (const { size } of manifest.earlier) toProduce(this.story, size)?.forEach((one) => before.add(key(one)));
    const due = toProduce(this.story, manifest.size)?.filter((one) => !before.has(key(one))) ?? null;
    if (due === null) return null;
    const wrong = this.recordsFault(manifest, due);
    if (wrong !== null) this.find("P04", wrong);
    this.details.set("P04", plural(due.length, "document"));
    return due;
  }

  private recordsFault(manifest: Manifest, due: readonly Producible[]): string | null {
    const expected = due.flatMap((document) => document.proof.parts.map((_, part) => ({ document, part })));
    if (expected.length !== manifest.records.length) {
      return `${plural(expected.length, "record")} expected, ${manifest.records.length} found`;
    }
    const begin = ordinal(manifest, manifest.begin);
    const next = ordinal(manifest, manifest.next);
    const latest = manifest.earlier[manifest.earlier.length - 1];
    if (latest !== undefined && ordinal(manifest, latest.next) !== begin) return "the numbers do not go on from the volume before";
    if (begin + expected.length !== next) return "`next` is not the number after the last";
    for (const [index, { document, part }] of expected.entries()) {
      const record = manifest.records[index];
      if (record === undefined) return "a record is missing";
      const number = batesNumber(manifest, begin + index);
      if (record.number !== number) return `record ${index + 1} has the number ${record.number}, and ${number} is due`;
      if (record.document !== document.document || record.part !== part || record.round !== document.round || record.position !== document.position) {
        return `record ${number} is not part ${part} of the document at round ${document.round}, position ${document.position}`;
      }
    }
    return null;
  }

  /** P05 and P06. */
  private async contents(due: readonly Producible[]): Promise<void> {
    const { manifest, folder } = this.volume;
    let at = 0;
    let slips = 0;
    for (const document of due) {
      for (const [index, part] of document.proof.parts.entries()) {
        const record = manifest.records[at++];
        if (record === undefined) continue;
        const held = holdsWithheld(document.proof.parts, index);
        if (record.withheld === isOpen(part)) {
          this.find("P06", `${record.number} is ${record.withheld ? "a slip sheet, though the proof opens its part" : "no slip sheet, though the proof withholds its part"}`);
          continue;
        }
        if (record.native !== null && (held || !isOpen(part))) {
          this.find("P06", `${record.number} has a native, though ${held ? "a withheld part lies in it" : "it is withheld"}`);
        }
        if (!isOpen(part)) {
          slips += 1;
          await this.sameText("P06", folder, record.text, slipSheet(record.number));
          continue;
        }
        if (record.native === null && !held) this.find("P05", `${record.number} has no native`);
        if (record.native !== null) this.sameHash(manifest, record.native, part.content, "committed content");
        this.sameHash(manifest, record.text, textHash(part), "committed text");
      }
    }
    this.details.set("P05", plural(manifest.records.length - slips, "part"));
    this.details.set("P06", plural(slips, "slip sheet"));
  }

  private sameHash(manifest: Manifest, path: string, hash: string, what: string): void {
    const listed = manifest.files.find((file) => file.path === path);
    if (listed === undefined) this.find("P05", `${path} is not among the files of the manifest`);
    else if (listed.sha256 !== hash) this.find("P05", `${path} does not have the ${what}`);
  }

  private async sameText(check: string, folder: Folder, path: string, text: string): Promise<void> {
    const file = folder.get(path);
    if (file === undefined || !this.intact.has(path)) return; // P03 has said so
    if (!same(await file.read(), utf8(text))) this.find(check, `${path} says something else than a slip sheet does`);
  }

  /** P07. */
  private async loadFile(due: readonly Producible[]): Promise<void> {
    const { manifest } = this.volume;
    const fields = manifest.fields.map(({ field }) => field).join();
    if (fields !== COLUMNS.join()) {
      this.find("P07", "the manifest does not name the fields of a load file in their order");
      return;
    }
    const path = `DATA/VOL${String(manifest.volume).padStart(3, "0")}.dat`;
    const expected = loadFileLines(manifest, due);
    await this.sameLines("P07", path, expected, (line) => (line === 0 ? "the line of names" : `the line of ${manifest.records[line - 1]?.number ?? line}`));
    this.details.set("P07", plural(manifest.records.length, "line"));
  }

  /** P08. Without the earlier volumes the numbers in it are not known here. */
  private async returns(back: readonly { readonly document: number }[]): Promise<void> {
    const { manifest } = this.volume;
    const known = this.hasAllEarlier();
    const numbers = new Map<number, string>();
    for (const { manifest: before } of this.earlier) {
      for (const record of before.records) {
        const first = numbers.get(record.document)?.split("-")[0] ?? record.number;
        numbers.set(record.document, `${first}-${record.number}`);
      }
    }
    const list = toReturn(this.story, manifest.size) ?? [];
    const lines = returnLines(list, (document) => numbers.get(document) ?? "");
    const strip = known ? null : (line: string): string => line.replace(/"[^"]*"$/, '""');
    await this.sameLines("P08", "RETURN.csv", lines, (line) => `line ${line + 1}`, strip);
    this.details.set("P08", plural(back.length, "document"));
    if (!known) this.notChecked.set("P08", "the numbers of earlier volumes need their folders (open them too); everything else in it was compared");
  }

  private async sameLines(check: string, path: string, lines: readonly string[], called: (line: number) => string, strip: ((line: string) => string) | null = null): Promise<void> {
    const file = this.volume.folder.get(path);
    if (file === undefined || !this.intact.has(path)) {
      if (!this.volume.manifest.files.some((listed) => listed.path === path)) this.find(check, `${path} is not among the files of the manifest`);
      else this.notChecked.set(check, `${path} is missing, or is not the file of the manifest`);
      return;
    }
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await file.read());
    const found = text.split("\r\n");
    const wanted = [...lines, ""];
    for (let index = 0; index < Math.max(found.length, wanted.length); index += 1) {
      const [a, b] = [found[index] ?? "", wanted[index] ?? ""];
      if (a !== b && (strip === null || strip(a) !== strip(b))) {
        this.find(check, `${path}: ${called(index)} is not what the record says`);
        return;
      }
    }
  }

  /** P09. Of an earlier volume only the manifest is read. */
  private earlierVolumes(): void {
    const { manifest } = this.volume;
    if (!this.hasAllEarlier()) {
      const missing = manifest.earlier.filter((one) => !this.earlier.some((volume) => volume.manifest.volume === one.volume));
      this.notChecked.set("P09", `needs the folders of all earlier volumes: open volume ${missing.map((one) => one.volume).join(", ")} too`);
    }
    const before = new Set<string>();
    for (const named of manifest.earlier) {
      const volume = this.earlier.find((one) => one.manifest.volume === named.volume);
      const due = toProduce(this.story, named.size)?.filter((one) => !before.has(key(one))) ?? [];
      due.forEach((one) => before.add(key(one)));
      if (volume === undefined) continue;
      if (volume.hash !== named.manifest) {
        this.find("P09", `volume ${named.volume} is not the one that the manifest names`, false);
        continue;
      }
      const wrong = this.recordsFault(volume.manifest, due);
      if (wrong !== null) this.find("P09", `volume ${named.volume}: ${wrong}`);
    }
    this.details.set("P09", plural(manifest.earlier.length, "volume"));
  }

  private hasAllEarlier(): boolean {
    return this.volume.manifest.earlier.every((one) => this.earlier.some((volume) => volume.manifest.volume === one.volume));
  }

  /** Trent is blamed for what he signed, unless his signature is not valid or his key is not one that the reader trusts. */
  private find(check: string, what: string, bySigner = true): void {
    const distrusted = this.verdict.keys.some((key) => key.role === "trent" && key.trusted === false);
    this.findings.push({ check, what, blamed: bySigner && this.signed && !distrusted ? "trent" : null });
  }

  private outcome(id: string, name: string, question: string): ProductionCheck {
    const wrong = this.findings.find((finding) => finding.check === id);
    if (wrong !== undefined) return { id, name, question, outcome: "fail", detail: wrong.what };
    const why = this.notChecked.get(id);
    if (why !== undefined) return { id, name, question, outcome: "not checked", detail: why };
    return { id, name, question, outcome: "pass", detail: this.details.get(id) ?? "" };
  }
}

function undecided(volume: string, reason: string, copyVerdict: Verdict | null): ProductionVerdict {
  return { verdict: "undecided", reason, volume, copyVerdict, manifest: null, documents: 0, records: 0, withheld: 0, toReturn: 0, checks: [], findings: [] };
}

function key(one: { readonly round: number; readonly position: number }): string {
  return `${one.round}/${one.position}`;
}

/** A number as the manifest states it: as an integer, or with its prefix. */
function ordinal(manifest: Manifest, number: number | string): number {
  return typeof number === "number" ? number : Number(number.slice(manifest.prefix.length));
}

async function hashOf(file: NamedFile): Promise<string> {
  const hash = new Sha256();
  for await (const chunk of chunksOfFile(file)) hash.update(chunk);
  return hex(hash.digest());
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

function plural(count: number, one: string, many = one + "s"): string {
  return `${count} ${count === 1 ? one : many}`;
}
