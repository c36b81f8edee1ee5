/**
 * The files inside a zip, such as a question that a room keeps. Only what this page needs: stored and deflated files.
 */
import { type NamedFile, fileOfBytes } from "./named-files.ts";

/** Largest size to which all files of all zips together may unpack: small zips must not fill the memory. */
export const LARGEST_ZIP = 1 << 30;

/** How many bytes may still be unpacked. */
export interface Room {
  left: number;
}

const END = 0x06054b50;
const CENTRAL = 0x02014b50;

const DAMAGED = "is cut off, or damaged. Get it again from where it came";

/** Why a zip cannot be opened, as what is said of its name. */
export class BadZip extends Error {}

function bad(why: string): never {
  throw new BadZip(why);
}

export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5);
}

/** The files of a zip, each below the zip's own name. Whoever gives it up lets no more be unpacked. */
export async function filesInZip(name: string, bytes: Uint8Array, signal?: AbortSignal, room: Room = { left: LARGEST_ZIP }): Promise<NamedFile[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = endOf(view);
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  const listed: { path: string; packed: Uint8Array; method: number; size: number }[] = [];
  const names = new Set<string>();
  let whole = 0;
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== CENTRAL) bad("has a list of files that cannot be read");
    const isSecret = (view.getUint16(at + 8, true) & 1) !== 0;
    const method = view.getUint16(at + 10, true);
    const packed = view.getUint32(at + 20, true);
    const size = view.getUint32(at + 24, true);
    const [nameLength, extra, comment] = [view.getUint16(at + 28, true), view.getUint16(at + 30, true), view.getUint16(at + 32, true)];
    const start = view.getUint32(at + 42, true);
    // Some programs of Windows write backslashes.
    const path = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength)).replaceAll("\\", "/");
    at += 46 + nameLength + extra + comment;
    // macOS adds files of its own, which its users never see.
    if (path.endsWith("/") || path.startsWith("__MACOSX/")) continue;
    if (path.startsWith("/") || path.split("/").includes("..")) bad("holds a file that leads elsewhere");
    if (names.has(path)) bad("holds two files of one name");
    names.add(path);
    if (isSecret) bad("is locked by a password. Unpack it, and open what was in it");
    whole += size;
    if (whole > room.left) bad("holds more than this page unpacks. Unpack it, and open the folder");
    if (start + 30 > bytes.length) bad(DAMAGED);
    const from = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
    listed.push({ path: `${name}/${path}`, packed: bytes.subarray(from, from + packed), method, size });
  }
  room.left -= whole;
  // Nothing is unpacked before the whole list is known to be harmless.
  const files: NamedFile[] = [];
  for (const one of listed) files.push(fileOfBytes(one.path, await unpacked(one, signal)));
  return files;
}

function endOf(view: DataView): number {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 22 - 0xffff); at -= 1) {
    if (view.getUint32(at, true) === END) return at;
  }
  bad(DAMAGED);
}

async function unpacked({ packed, method, size }: { readonly packed: Uint8Array; readonly method: number; readonly size: number }, signal?: AbortSignal): Promise<Uint8Array> {
  if (method === 0 && packed.length === size) return packed.slice();
  if (method !== 8) bad("is packed in a way that this page does not know");
  const stream = new Blob([packed as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const reader = stream.getReader();
  const whole = new Uint8Array(size);
  let at = 0;
  const next = () =>
    reader.read().catch(() => bad(DAMAGED));
  for (let step = await next(); !step.done; step = await next()) {
    if (at + step.value.length > size) bad("holds a file that is larger than it says");
    signal?.throwIfAborted();
    whole.set(step.value, at);
    at += step.value.length;
  }
  if (at !== size) bad("holds a file that is smaller than it says");
  return whole;
}
