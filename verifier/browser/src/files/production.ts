/**
 * The check of a production volume against a copy of the record: P01 to P09 (docs/production.md).
 */
import { fromUtf8, hex, unhex, utf8 } from "../engine/bytes.ts";
import { verifyTagged } from "../engine/ed25519.ts";
import { verifyCopy } from "../engine/index.ts";
import { Sha256, sha256 } from "../engine/sha256.ts";
import type { CheckOutcome, Trust, Verdict } from "../engine/verdict.ts";
import { COLUMNS, loadFileLines, returnLines, slipSheet } from "./load-file.ts";
import { type NamedFile, chunksOfFile } from "./named-files.ts";
import { type Part, holdsWithheld, isOpen, textHash } from "./proof.ts";
import type { Story } from "./story.ts";
import { readStory } from "./teller.ts";
import { type Due, type Producible, type ToReturn, toProduce, toReturn } from "./to-produce.ts";
import { type EarlierVolume, type Manifest, UnreadableVolume, type Volume, type VolumeRecord, batesNumber, dataOf, filesOf, isInPlace, volumesIn } from "./volume.ts";

export interface ProductionCheck {
  readonly id: string;
  readonly name: string;
  readonly question: string;
  readonly outcome: CheckOutcome;
  readonly detail: string;
  /** How many files, documents and so on passed; 0 unless the check passes. */
  readonly items: number;
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

/** Checks the latest of the volumes among these files; the others count as earlier ones. */
export async function checkProduction(files: readonly NamedFile[], copy: NamedFile, trust: Trust): Promise<ProductionVerdict> {
  const [volume = new UnreadableVolume("There is no MANIFEST.json in what was opened."), ...others] = await volumesIn(files);
  return checkVolume(volume, others, copy, trust);
}

export async function checkVolume(volume: Opened, others: readonly Opened[], copy: NamedFile, trust: Trust): Promise<ProductionVerdict> {
  const verdict = await verifyCopy(chunksOfFile(copy), { trust, withoutPositions: true });
  const name = volume instanceof UnreadableVolume ? "the folder" : volume.name;
  if (verdict.verdict === "rejected") return { ...undecided(name, "The copy is rejected.", verdict), verdict: "rejected" };
  if (volume instanceof UnreadableVolume) return undecided(name, volume.message, verdict);
  if (verdict.verdict === "undecided") return undecided(name, "The copy is undecided.", verdict);
  const story = await readStory(copy);
  if (story.audience === "public") return undecided(name, "The public copy shows no documents. Use Bob's, Alice's or the court's.", verdict);
  if (volume.manifest.matter !== story.matter) return undecided(name, "The volume is of another matter than the copy.", verdict);
  return new VolumeCheck(volume, others, story, verdict).judge();
}

type Opened = Volume | UnreadableVolume;

class VolumeCheck {
  private readonly findings: ProductionFinding[] = [];
  private readonly counts = new Map<string, readonly [number, string]>();
  private readonly notChecked = new Map<string, string>();
  /** The files of the manifest, and the paths of those that are in the folder as they were listed. */
  private readonly listed: ReadonlyMap<string, Manifest["files"][number]>;
  private readonly intact = new Set<string>();
  private readonly earlier = new Map<number, Volume>();
  /** Why the answer is open, unless there is a finding. */
  private trouble = "";
  private signed = false;

  constructor(
    private readonly volume: Volume,
    private readonly others: readonly Opened[],
    private readonly story: Story,
    private readonly verdict: Verdict,
  ) {
    this.listed = new Map(volume.manifest.files.map((file) => [file.path, file]));
  }

  async judge(): Promise<ProductionVerdict> {
    const { manifest, name, hash } = this.volume;
    await this.signature();
    const back = this.isFound("P01") ? [] : await this.afterSignature();
    const last = manifest.records[manifest.records.length - 1]?.number ?? "";
    return {
      verdict: this.findings.length > 0 ? "rejected" : this.trouble === "" ? "verified" : "undecided",
      reason: this.trouble,
      volume: name,
      copyVerdict: this.verdict,
      manifest: { volume: manifest.volume, begin: manifest.records[0]?.number ?? "", last, size: manifest.size, hash },
      documents: this.counts.get("P04")?.[0] ?? 0,
      records: manifest.records.length,
      withheld: manifest.records.filter((record) => record.withheld).length,
      toReturn: back.length,
      checks: CHECKS.map(([id, name, question]) => this.outcome(id, name, question)),
      findings: this.findings,
    };
  }

  /** What rests on a manifest that Trent signed; returns what Bob may not keep. */
  private async afterSignature(): Promise<readonly ToReturn[]> {
    const { size } = this.volume.manifest;
    if (size > this.story.size) {
      this.trouble = `The copy has ${this.story.size} entries and ends before the volume's head, entry ${size - 1}. Ask for a later copy.`;
      return [];
    }
    this.heads();
    if (this.isFound("P02")) return [];
    await this.files();
    const due = this.documents();
    const back = toReturn(this.story, size);
    if (due === null || back === null) {
      this.trouble = "The copy does not open the documents that Bob was shown.";
      return [];
    }
    const inPlace = due.slice(0, strangeRecord(this.volume.manifest, due)?.index);
    this.contents(inPlace);
    await this.loadFile(inPlace);
    this.sortOthers();
    if (this.trouble !== "") return back;
    await this.returns(back);
    await this.earlierVolumes();
    return back;
  }

  private isFound(check: string): boolean {
    return this.findings.some((finding) => finding.check === check);
  }

  /** P01. Nobody is blamed for an invalid signature: anybody can write one. */
  private async signature(): Promise<void> {
    this.count("P01", 1, "signature");
    this.signed = await this.isSigned(this.volume.signed, this.volume.signature);
    if (!this.signed) this.find("P01", "the signature of the manifest is not valid under Trent's key in the copy", false);
  }

  /** P02: the volumes up to this one, each made of as many entries as the one before, or more. */
  private heads(): void {
    const { manifest } = this.volume;
    const volumes = [...manifest.earlier, manifest];
    volumes.forEach(({ volume, size, head }, index) => {
      const name = `volume ${volume}`;
      if (this.story.hashes[size - 1] !== head) this.find("P02", `${name} names a head that is not entry ${size - 1} of this record`);
      if (size < (volumes[index - 1]?.size ?? 0)) this.find("P02", `${name} is made of fewer entries than the one before`);
    });
    this.count("P02", volumes.length, "entry", "entries");
  }

  /** P03. Nobody signs a single file, so nobody is blamed for one that is missing, added or changed. */
  private async files(): Promise<void> {
    const { folder, manifest } = this.volume;
    const paths = manifest.files.map(({ path }) => path);
    const due = filesOf(manifest);
    const at = Array.from({ length: Math.max(paths.length, due.length) }).findIndex((_, index) => paths[index] !== due[index]);
    if (at >= 0) this.find("P03", `the manifest does not list just the files of a volume, each once and ascending: ${paths[at] ?? "nothing"} stands where ${due[at] ?? "nothing"} is due`);
    if ((this.listed.get(dataOf(manifest).opt)?.size ?? 0) > 0) this.find("P03", "the list of images is not empty");
    for (const { path, sha256, size } of manifest.files) {
      const file = folder.get(path);
      if (file === undefined) this.find("P03", `${path} is missing`, false);
      else if (file.size !== size || (await hashOf(file)) !== sha256) this.find("P03", `${path} is not the file of the manifest`, false);
      else this.intact.add(path);
    }
    for (const path of folder.keys()) {
      if (path !== "MANIFEST.json" && !this.listed.has(path)) this.find("P03", `${path} is not in the manifest`, false);
    }
    this.count("P03", manifest.files.length, "file");
  }

  /** P04: the parts that are to be produced, or null if the copy does not open them. */
  private documents(): readonly Due[] | null {
    const { manifest } = this.volume;
    const before = new Set<string>();
    for (const { size } of manifest.earlier) toProduce(this.story, size)?.forEach((one) => before.add(key(one)));
    const documents = toProduce(this.story, manifest.size)?.filter((one) => !before.has(key(one))) ?? null;
    if (documents === null) return null;
    const due = partsOf(documents);
    const wrong = wrongRecords(manifest, due) ?? (goOn([...manifest.earlier, manifest]) ? null : "the numbers do not go on from the volume before");
    if (wrong !== null) this.find("P04", wrong);
    this.count("P04", documents.length, "document");
    return due;
  }

  /** What P05 to P07 say of the records before the first that is not due at its place: that none is wrong tells nothing of the others. */
  private countRecords(check: string, compared: readonly Due[], items: number, one: string): void {
    const { length } = this.volume.manifest.records;
    if (compared.length < length) this.notChecked.set(check, `only the first ${compared.length} of ${plural(length, "record")} could be compared (P04)`);
    this.count(check, items, one);
  }

  /** P05 and P06. */
  private contents(due: readonly Due[]): void {
    const { manifest } = this.volume;
    let [parts, slips] = [0, 0];
    for (const [index, record] of manifest.records.slice(0, due.length).entries()) {
      const { document, part: at } = due[index] as Due;
      const part = document.proof.parts[at] as Part;
      const held = holdsWithheld(document.proof.parts, at);
      if (record.withheld === isOpen(part)) {
        this.find("P06", `${record.number} is ${record.withheld ? "a slip sheet, though the proof opens its part" : "no slip sheet, though the proof withholds its part"}`);
        continue;
      }
      const check = isOpen(part) ? "P05" : "P06";
      if (!isInPlace(record.text, "TEXT", manifest, index)) this.find(check, `${record.text} is not where the text of ${record.number} must be`);
      if (record.native !== null && (held || !isOpen(part))) {
        this.find("P06", `${record.number} has a native, though ${held ? "a withheld part lies in it" : "it is withheld"}`);
      }
      if (!isOpen(part)) {
        slips += 1;
        this.sameHash("P06", record.text, hex(sha256(utf8(slipSheet(record.number)))), "text of a slip sheet");
        continue;
      }
      parts += 1;
      if (!held) this.sameNative(record, index, part.content);
      this.sameHash("P05", record.text, textHash(part), "committed text");
    }
    this.countRecords("P05", due, parts, "part");
    this.countRecords("P06", due, slips, "slip sheet");
  }

  private sameNative({ native, number }: VolumeRecord, index: number, content: string): void {
    const { manifest } = this.volume;
    if (native === null) return this.find("P05", `${number} has no native`);
    if (!isInPlace(native, "NATIVES", manifest, index)) this.find("P05", `${native} is not where the native of ${number} must be`);
    this.sameHash("P05", native, content, "committed content");
  }

  private sameHash(check: string, path: string, hash: string, what: string): void {
    const file = this.listed.get(path);
    if (file === undefined) this.find(check, `${path} is not among the files of the manifest`);
    else if (file.sha256 !== hash) this.find(check, `${path} does not have the ${what}`);
  }

  /** P07. */
  private async loadFile(due: readonly Due[]): Promise<void> {
    const { manifest } = this.volume;
    const fields = manifest.fields.map(({ field }) => field).join();
    const names = new Set(manifest.fields.map(({ called }) => called));
    if (fields !== COLUMNS.join() || names.size < COLUMNS.length || names.has("")) {
      this.find("P07", "the manifest does not name the fields of a load file in their order, each with a name of its own");
      return;
    }
    const compared = due.slice(0, manifest.records.length);
    this.countRecords("P07", compared, compared.length, "line");
    await this.sameLines("P07", dataOf(manifest).dat, loadFileLines(manifest, compared), compared.length < manifest.records.length, (line) => (line === 0 ? "the line of names" : `the line of ${manifest.records[line - 1]?.number ?? line}`));
  }

  /** P08. Without the earlier volumes the numbers in it are not known here, and a volume that is not the one that is named tells none. */
  private async returns(back: readonly ToReturn[]): Promise<void> {
    const known = this.hasAllEarlier() && this.volume.manifest.earlier.every(({ volume, manifest }) => this.earlier.get(volume)?.hash === manifest);
    const numbers = new Map<number, readonly [string, string]>();
    for (const { manifest: before } of this.earlier.values()) {
      for (const record of before.records) {
        const first = numbers.get(record.document)?.[0] ?? record.number;
        numbers.set(record.document, [first, record.number]);
      }
    }
    const lines = returnLines(back, (document) => numbers.get(document)?.join("-") ?? "");
    const strip = known ? undefined : (line: string): string => line.replace(/"[^"]*"$/, '""');
    await this.sameLines("P08", "RETURN.csv", lines, false, (line) => `line ${line + 1}`, strip);
    this.count("P08", back.length, "document");
  }

  /**
   * Compares a table of the volume, or only how it begins: then nothing behind these lines is read. One that is not the
   * file of the manifest is compared too: then nobody is blamed for it.
   */
  private async sameLines(check: string, path: string, lines: readonly string[], isBeginning: boolean, called: (line: number) => string, strip = (line: string): string => line): Promise<void> {
    const file = this.volume.folder.get(path);
    if (file === undefined) {
      this.notChecked.set(check, `${path} is missing`);
      return;
    }
    // A name can hold an end of line.
    const wanted = [...lines, ""].join("\r\n").split("\r\n");
    const bytes = await file.read();
    const found = (fromUtf8(isBeginning ? firstLines(bytes, wanted.length - 1) : bytes) ?? "").split("\r\n");
    const same = (index: number): boolean => index < found.length && index < wanted.length && strip(found[index]!) === strip(wanted[index]!);
    for (let index = 0; index < Math.max(found.length, wanted.length); index += 1) {
      if (same(index)) continue;
      // Where only an end of line is missing, it is that of the last line.
      this.find(check, `${path}: ${called(Math.min(index, found.length - 1))} is not what the record says`, this.intact.has(path));
      return;
    }
  }

  /** The other volumes by their number. Those that are none of the earlier ones, or two of one number, leave open which is meant. */
  private sortOthers(): void {
    const { matter, volume } = this.volume.manifest;
    const before = this.others.filter((other): other is Volume => !(other instanceof UnreadableVolume) && other.manifest.matter === matter && other.manifest.volume < volume);
    const strange = this.others.flatMap((other) => {
      if (other instanceof UnreadableVolume) return [other.message];
      const same = before.filter((one) => one.manifest.volume === other.manifest.volume);
      if (!before.includes(other)) return [`${other.name} is none of the volumes before volume ${volume}.`];
      return same.length > 1 ? [`${other.name} is one of ${same.length} that are volume ${other.manifest.volume}.`] : [];
    });
    this.trouble = strange.join(" ");
    for (const one of before) this.earlier.set(one.manifest.volume, one);
    if (this.trouble !== "") for (const check of ["P08", "P09"]) this.notChecked.set(check, this.trouble);
  }

  /** P09. Of an earlier volume only the manifest is read. */
  private async earlierVolumes(): Promise<void> {
    const { manifest } = this.volume;
    if (!this.hasAllEarlier()) {
      const missing = manifest.earlier.filter(({ volume }) => !this.earlier.has(volume)).map(({ volume }) => volume);
      this.notChecked.set("P09", `needs the folders of all earlier volumes, and so do the numbers in RETURN.csv: open volume ${missing.join(", ")} too`);
    }
    const before = new Set<string>();
    for (const named of manifest.earlier) {
      const documents = toProduce(this.story, named.size)?.filter((one) => !before.has(key(one))) ?? [];
      documents.forEach((one) => before.add(key(one)));
      const volume = this.earlier.get(named.volume);
      if (volume !== undefined) await this.earlierVolume(named, volume, partsOf(documents));
    }
    this.count("P09", manifest.earlier.length, "volume");
  }

  private async earlierVolume(named: EarlierVolume, { manifest, hash, signed, signature }: Volume, due: readonly Due[]): Promise<void> {
    const name = `volume ${named.volume}`;
    if (hash !== named.manifest) return this.find("P09", `${name} is not the one that the manifest names`, false);
    if (!(await this.isSigned(signed, signature))) return this.find("P09", `the signature of ${name} is not valid under Trent's key in the copy`, false);
    const { prefix, digits } = this.volume.manifest;
    const stated = Object.entries({ ...named, prefix, digits, manifest: undefined });
    if (stated.some(([field, value]) => manifest[field as keyof Manifest] !== value)) this.find("P09", `${name} states other numbers, or another size or head, than the manifest does`);
    const wrong = wrongRecords(manifest, due);
    if (wrong !== null) this.find("P09", `${name}: ${wrong}`);
  }

  private isSigned(signed: Uint8Array, signature: Uint8Array): Promise<boolean> {
    const key = unhex((this.story.opening["keys"] as { trent: string }).trent) ?? new Uint8Array();
    return verifyTagged(key, "production", signed, signature);
  }

  private hasAllEarlier(): boolean {
    return this.earlier.size === this.volume.manifest.earlier.length;
  }

  private count(check: string, items: number, one: string, many?: string): void {
    this.counts.set(check, [items, plural(items, one, many)]);
  }

  /** Trent is blamed for what he signed, unless his signature is not valid or his key is not one that the reader trusts. */
  private find(check: string, what: string, bySigner = true): void {
    const distrusted = this.verdict.keys.some((key) => key.role === "trent" && key.trusted === false);
    this.findings.push({ check, what, blamed: bySigner && this.signed && !distrusted ? "trent" : null });
  }

  private outcome(id: string, name: string, question: string): ProductionCheck {
    const wrong = this.findings.find((finding) => finding.check === id);
    if (wrong !== undefined) return { id, name, question, outcome: "fail", detail: wrong.what, items: 0 };
    const counted = this.notChecked.has(id) ? undefined : this.counts.get(id);
    if (counted === undefined) return { id, name, question, outcome: "not checked", detail: this.notChecked.get(id) ?? NOTHING_TO_COMPARE, items: 0 };
    const [items, detail] = counted;
    return { id, name, question, outcome: "pass", detail, items };
  }
}

/** Why a check was not made after P01 or P02 failed, or where the answer is open. */
const NOTHING_TO_COMPARE = "needs a manifest that Trent signed, of entries that the copy has";

function undecided(volume: string, reason: string, copyVerdict: Verdict | null): ProductionVerdict {
  const checks = CHECKS.map(([id, name, question]): ProductionCheck => ({ id, name, question, outcome: "not checked", detail: NOTHING_TO_COMPARE, items: 0 }));
  return { verdict: "undecided", reason, volume, copyVerdict, manifest: null, documents: 0, records: 0, withheld: 0, toReturn: 0, checks, findings: [] };
}

function key(one: { readonly round: number; readonly position: number }): string {
  return `${one.round}/${one.position}`;
}

function partsOf(documents: readonly Producible[]): Due[] {
  return documents.flatMap((document) => document.proof.parts.map((_, part) => ({ document, part })));
}

/** The first record that is not the part in its place, in words; null if there is none. There may still be too few. */
function strangeRecord(manifest: Manifest, due: readonly Due[]): { readonly index: number; readonly what: string } | null {
  for (const [index, record] of manifest.records.entries()) {
    const part = due[index];
    if (part === undefined) return { index, what: `${record.number} is one record too many` };
    const number = batesNumber(manifest, manifest.begin + index);
    if (record.number !== number) return { index, what: `record ${index + 1} has the number ${record.number}, and ${number} is due` };
    const { document } = part;
    if (record.document !== document.document || record.part !== part.part || record.round !== document.round || record.position !== document.position) {
      return { index, what: `record ${number} is not part ${part.part} of the document at round ${document.round}, position ${document.position}` };
    }
  }
  return null;
}

function wrongRecords(manifest: Manifest, due: readonly Due[]): string | null {
  const { records, begin, next } = manifest;
  const strange = strangeRecord(manifest, due);
  if (strange !== null) return strange.what;
  if (records.length !== due.length) return `${plural(due.length, "record")} expected, ${records.length} found`;
  return begin + records.length === next ? null : "`next` is not the number after the last";
}

/** Whether each volume's numbers begin where those of the one before end. */
function goOn(volumes: readonly { readonly begin: number; readonly next: number }[]): boolean {
  return volumes.every(({ begin }, index) => begin === (volumes[index - 1]?.next ?? begin));
}

async function hashOf(file: NamedFile): Promise<string> {
  const hash = new Sha256();
  for await (const chunk of chunksOfFile(file)) hash.update(chunk);
  return hex(hash.digest());
}

/** The bytes of so many lines, with their ends; of fewer, all. */
function firstLines(bytes: Uint8Array, count: number): Uint8Array {
  let lines = 0;
  for (let end = 2; end <= bytes.length; end += 1) {
    if (bytes[end - 2] === 0x0d && bytes[end - 1] === 0x0a) lines += 1;
    if (lines === count) return bytes.subarray(0, end);
  }
  return bytes;
}

function plural(count: number, one: string, many = one + "s"): string {
  return `${count} ${count === 1 ? one : many}`;
}
