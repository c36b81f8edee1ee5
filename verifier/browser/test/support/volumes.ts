/** Volumes in which Trent signs what is wrong: one statement is changed, and the manifest is signed again with his key. */
import { sha256 } from "../../src/engine/sha256.ts";
import { hex, utf8 } from "../../src/engine/bytes.ts";
import { type Json, textOf } from "../../src/engine/json.ts";
import { type NamedFile, fileOfBytes } from "../../src/files/named-files.ts";
import type { Manifest } from "../../src/files/volume.ts";
import { keyIn, signed } from "./forge.ts";
import { filesBelow } from "./disk.ts";
import { sample } from "./samples.ts";

type Changed<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer U)[] ? Changed<U>[] : T[K] };

export class Forged {
  readonly manifest: Changed<Manifest>;
  private readonly files: Map<string, Uint8Array>;
  /** Whether Trent signs it. */
  isSigned = true;

  private constructor(files: readonly (readonly [string, Uint8Array])[]) {
    this.files = new Map(files);
    this.manifest = (JSON.parse(new TextDecoder().decode(this.files.get("MANIFEST.json"))) as { manifest: Changed<Manifest> }).manifest;
    this.files.delete("MANIFEST.json");
  }

  /** The volume of the real matter. */
  static async volume(): Promise<Forged> {
    return new Forged(await Promise.all(filesBelow(sample("production", "real1")).map(async (file) => [file.path, await file.read()] as const)));
  }

  /** The volume after these, of the same entries: nothing more is to be produced. */
  static async next(...before: readonly Forged[]): Promise<Forged> {
    const volume = await Forged.volume();
    const { manifest } = volume;
    manifest.earlier = before.map(({ manifest: { volume, begin, next, size, head }, hash }) => ({ volume, begin, next, size, head, manifest: hash }));
    const begin = before[before.length - 1]!.manifest.next;
    Object.assign(manifest, { volume: before.length + 1, begin, next: begin, records: [], files: [] });
    const [names] = volume.text("DATA/VOL001.dat").split("\r\n");
    const back = volume.text("RETURN.csv");
    volume.files.clear();
    const data = `DATA/VOL00${manifest.volume}`;
    volume.put(`${data}.dat`, `${names}\r\n`);
    volume.put(`${data}.opt`, "");
    volume.put("RETURN.csv", back);
    return volume;
  }

  text(path: string): string {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.files.get(path));
  }

  /** Puts a file into the folder and, if Trent signs it, into the manifest. */
  put(path: string, content: string | Uint8Array, isListed = true): void {
    const bytes = typeof content === "string" ? utf8(content) : content;
    this.files.set(path, bytes);
    if (!isListed) return;
    const rest = this.manifest.files.filter((file) => file.path !== path);
    this.manifest.files = [...rest, { path, sha256: hex(sha256(bytes)), size: bytes.length }].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  remove(path: string): void {
    this.files.delete(path);
    this.manifest.files = this.manifest.files.filter((file) => file.path !== path);
  }

  move(from: string, to: string): void {
    const bytes = this.files.get(from)!;
    this.files.delete(from);
    this.files.set(to, bytes);
    this.manifest.files = this.manifest.files.map((file) => (file.path === from ? { ...file, path: to } : file)).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  private get written(): Uint8Array {
    const key = keyIn(sample("work", "real", "trent.key"));
    const { manifest } = this;
    return utf8(textOf({ manifest, signature: hex(signed(key, this.isSigned ? "production" : "other", manifest)) } as unknown as Json));
  }

  get hash(): string {
    return hex(sha256(this.written));
  }

  in(folder: string): NamedFile[] {
    return [...this.files, ["MANIFEST.json", this.written] as const].map(([path, bytes]) => fileOfBytes(`${folder}/${path}`, bytes));
  }
}
