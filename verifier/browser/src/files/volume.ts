/**
 * A production volume's MANIFEST.json: its form, and the numbers that it gives (docs/production.md).
 */
import { type Json, encode, isObject, parseCanonical, isArray } from "../engine/json.ts";
import { isHex, unhex } from "../engine/bytes.ts";
import { sha256 } from "../engine/sha256.ts";
import { hex } from "../engine/bytes.ts";
import { type Folder, type NamedFile, folderAt, foldersWith } from "./named-files.ts";

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
  readonly begin: number | string;
  readonly next: number | string;
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
  readonly begin: number | string;
  readonly next: number | string;
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

/** The volume cannot be read, or has a form that this page does not know: nothing is decided. */
export class UnreadableVolume extends Error {}

/** The volumes among these files, the latest first. */
export async function volumesIn(files: readonly NamedFile[]): Promise<Volume[]> {
  const volumes: Volume[] = [];
  for (const base of foldersWith(files, "MANIFEST.json")) {
    const folder = folderAt(files, base);
    volumes.push(await readVolume(base.replace(/\/$/, "") || "the folder", folder));
  }
  return volumes.sort((a, b) => b.manifest.volume - a.manifest.volume);
}

async function readVolume(name: string, folder: Folder): Promise<Volume> {
  const file = folder.get("MANIFEST.json");
  if (file === undefined) throw new UnreadableVolume(`${name} has no MANIFEST.json.`);
  const bytes = await file.read();
  const whole = bytes[bytes.length - 1] === 10 ? bytes.subarray(0, -1) : bytes;
  const parsed = parseCanonical(whole);
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

function isManifest(value: Json): boolean {
  if (!isObject(value) || keys(value) !== FIELDS) return false;
  return (
    isHex(value["matter"], 32) &&
    isHex(value["head"], 32) &&
    [value["size"], value["volume"], value["digits"]].every(natural) &&
    typeof value["prefix"] === "string" &&
    list(value["earlier"], "begin,head,manifest,next,size,volume", (one) => natural(one["size"]) && natural(one["volume"])) &&
    list(value["fields"], "called,field", (one) => typeof one["called"] === "string" && typeof one["field"] === "string") &&
    list(value["files"], "path,sha256,size", (one) => typeof one["path"] === "string" && isHex(one["sha256"], 32) && natural(one["size"])) &&
    list(value["records"], "document,native,number,part,position,round,text,withheld", isRecord)
  );
}

function isRecord(one: { [key: string]: Json }): boolean {
  return (
    [one["document"], one["part"], one["position"], one["round"]].every(natural) &&
    typeof one["number"] === "string" &&
    typeof one["text"] === "string" &&
    typeof one["withheld"] === "boolean" &&
    (one["native"] === null || typeof one["native"] === "string")
  );
}

function list(value: Json | undefined, fields: string, right: (one: { [key: string]: Json }) => boolean): boolean {
  return isArray(value) && value.every((one) => isObject(one) && keys(one) === fields && right(one));
}

function natural(value: Json | undefined): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

function keys(value: object): string {
  return Object.keys(value).sort().join(",");
}

/** The n-th number of a volume: the prefix and the digits, with zeros in front. */
export function batesNumber(manifest: Manifest, n: number): string {
  return manifest.prefix + String(n).padStart(manifest.digits, "0");
}
