/**
 * A production volume's MANIFEST.json: its form, and the numbers that it gives (docs/production.md).
 */
import { type Json, encode, isObject, parseCanonical, isArray } from "../engine/json.ts";
import { hex, isHex, unhex } from "../engine/bytes.ts";
import { isNatural, isPositive } from "../engine/shapes.ts";
import { sha256 } from "../engine/sha256.ts";
import { type Folder, type NamedFile, folderAt, foldersWith, isLeftBySystem } from "./named-files.ts";

export interface VolumeRecord {
  readonly number: string;
  readonly document: number;
  readonly part: number;
  readonly round: number;
  readonly position: number;
  readonly withheld: boolean;
  readonly text: string;
  readonly native: string | null;
}

export interface EarlierVolume {
  readonly volume: number;
  readonly begin: number;
  readonly next: number;
  readonly size: number;
  readonly head: string;
  readonly manifest: string;
}

export interface Manifest {
  readonly format: number;
  readonly matter: string;
  readonly size: number;
  readonly head: string;
  readonly volume: number;
  readonly prefix: string;
  readonly digits: number;
  readonly begin: number;
  readonly next: number;
  readonly earlier: readonly EarlierVolume[];
  readonly fields: readonly { readonly field: string; readonly called: string }[];
  readonly files: readonly { readonly path: string; readonly sha256: string; readonly size: number }[];
  readonly records: readonly VolumeRecord[];
}

export interface Volume {
  /** The folder's name, for messages. */
  readonly name: string;
  readonly folder: Folder;
  readonly manifest: Manifest;
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
  /** The SHA-256 of MANIFEST.json itself, by which a later volume names it. */
  readonly hash: string;
}

/** A volume that cannot be read, or has a form that this page does not know: nothing is decided. */
export class UnreadableVolume extends Error {}

/** The volumes among these files: the latest first, and last what cannot be read. What lies inside one is a part of it. */
export async function volumesIn(files: readonly NamedFile[]): Promise<(Volume | UnreadableVolume)[]> {
  const bases = foldersWith(files, "MANIFEST.json");
  const outer = bases.filter((base) => !bases.some((other) => other !== base && base.startsWith(other)));
  const volumes = await Promise.all(outer.map((base) => openVolume(base.replace(/\/$/, "") || "the folder", folderAt(files, base))));
  return volumes.sort((a, b) => numberOf(b) - numberOf(a));
}

function numberOf(volume: Volume | UnreadableVolume): number {
  return volume instanceof UnreadableVolume ? 0 : volume.manifest.volume;
}

export async function openVolume(name: string, folder: Folder): Promise<Volume | UnreadableVolume> {
  try {
    return await readVolume(name, new Map([...folder].filter(([path]) => !isLeftBySystem(path))));
  } catch (error) {
    if (error instanceof UnreadableVolume) return error;
    throw error;
  }
}

async function readVolume(name: string, folder: Folder): Promise<Volume> {
  const file = folder.get("MANIFEST.json");
  if (file === undefined) throw new UnreadableVolume(`${name} has no MANIFEST.json.`);
  const bytes = await file.read();
  const parsed = parseCanonical(bytes);
  if ("error" in parsed) throw new UnreadableVolume(`MANIFEST.json of ${name} is not canonical JSON (${parsed.error}).`);
  const outer = parsed.value;
  if (!isObject(outer) || keys(outer) !== "manifest,signature" || !isHex(outer["signature"], 64)) {
    throw new UnreadableVolume(`MANIFEST.json of ${name} does not have a manifest and a signature.`);
  }
  const manifest = outer["manifest"] as Json;
  if (isObject(manifest) && typeof manifest["format"] === "number" && manifest["format"] !== 1) {
    throw new UnreadableVolume(`${name} has the format ${manifest["format"]}, which this page does not know.`);
  }
  if (!isManifest(manifest)) throw new UnreadableVolume(`MANIFEST.json of ${name} does not have the form of a manifest.`);
  return {
    name,
    folder,
    manifest: manifest as unknown as Manifest,
    signed: encode(manifest),
    signature: unhex(outer["signature"]) ?? new Uint8Array(),
    hash: hex(sha256(bytes)),
  };
}

const FIELDS = "begin,digits,earlier,fields,files,format,head,matter,next,prefix,records,size,volume";

/** What stands before a number: it does not end with a digit, which would look like a part of the number. */
const PREFIX = /^(?=[A-Za-z0-9])[A-Za-z0-9._-]{0,39}[A-Za-z._-]$/;
const MOST_DIGITS = 15;

function isManifest(value: Json): boolean {
  if (!isObject(value) || keys(value) !== FIELDS) return false;
  const { format, matter, prefix, digits, volume, earlier } = value;
  return (
    format === 1 &&
    isHex(matter, 32) &&
    typeof prefix === "string" &&
    PREFIX.test(prefix) &&
    isPositive(digits) &&
    (digits as number) <= MOST_DIGITS &&
    isPlaced(value) &&
    (value["next"] as number) <= 10 ** (digits as number) &&
    list(earlier, "begin,head,manifest,next,size,volume", (one) => isPlaced(one) && isHex(one["manifest"], 32)) &&
    // All volumes before this one, in order.
    (earlier as { [key: string]: Json }[]).every((one, index) => one["volume"] === index + 1) &&
    (earlier as Json[]).length + 1 === volume &&
    list(value["fields"], "called,field", (one) => typeof one["called"] === "string" && typeof one["field"] === "string") &&
    list(value["files"], "path,sha256,size", (one) => typeof one["path"] === "string" && isHex(one["sha256"], 32) && isNatural(one["size"])) &&
    list(value["records"], "document,native,number,part,position,round,text,withheld", isRecord)
  );
}

/** Where a volume stands in the record, and among the volumes. */
function isPlaced(one: { [key: string]: Json }): boolean {
  return isHex(one["head"], 32) && isPositive(one["size"]) && isPositive(one["volume"]) && isNatural(one["begin"]) && isNatural(one["next"]);
}

function isRecord(one: { [key: string]: Json }): boolean {
  return (
    [one["document"], one["part"]].every(isNatural) &&
    [one["position"], one["round"]].every(isPositive) &&
    typeof one["number"] === "string" &&
    typeof one["text"] === "string" &&
    typeof one["withheld"] === "boolean" &&
    (one["native"] === null || typeof one["native"] === "string")
  );
}

function list(value: Json | undefined, fields: string, right: (one: { [key: string]: Json }) => boolean): boolean {
  return isArray(value) && value.every((one) => isObject(one) && keys(one) === fields && right(one));
}

function keys(value: object): string {
  return Object.keys(value).sort().join(",");
}

/** The n-th number of a volume: the prefix and the digits, with zeros in front. */
export function batesNumber(manifest: Manifest, n: number): string {
  return manifest.prefix + String(n).padStart(manifest.digits, "0");
}

/** The files of a volume by its own records, ascending: a listed file that nobody could ask for is not one of them. */
export function filesOf(manifest: Manifest): string[] {
  const { dat, opt } = dataOf(manifest);
  const paths = manifest.records.flatMap(({ native, text }) => (native === null ? [text] : [native, text]));
  return [...new Set([dat, opt, "RETURN.csv", ...paths])].sort();
}

/** The load file and the list of images. */
export function dataOf({ volume }: Manifest): { readonly dat: string; readonly opt: string } {
  const path = `DATA/VOL${String(volume).padStart(3, "0")}`;
  return { dat: `${path}.dat`, opt: `${path}.opt` };
}

const IN_A_FOLDER = 1000;

/** Where a file of the record at this index must lie. Only the ending of a native is not proven. */
export function isInPlace(path: string, kind: "NATIVES" | "TEXT", manifest: Manifest, index: number): boolean {
  const start = `${kind}/${String(Math.floor(index / IN_A_FOLDER) + 1).padStart(4, "0")}/${manifest.records[index]?.number}.`;
  const ending = path.slice(start.length);
  return path.startsWith(start) && (kind === "TEXT" ? ending === "txt" : /^[a-z0-9]{1,10}$/.test(ending));
}
