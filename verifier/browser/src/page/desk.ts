/**
 * What lies open on the reader's desk, and the list that shows it.
 */
import { parsePolicy } from "../engine/logproof.ts";
import { cutOff } from "../engine/quoted.ts";
import { textOf } from "../files/beginning.ts";
import { recognise } from "../files/recognise.ts";
import { BadZip, LARGEST_ZIP, type Room, filesInZip, isZip } from "../files/zip.ts";
import { type PageFile, pageFile } from "./drop.ts";
import { byId, el, fill, foreign } from "./dom.ts";
import { megabytes, plural } from "./words.ts";

export interface Desk {
  copy: PageFile | null;
  second: PageFile | null;
  proofs: PageFile | null;
  policy: PageFile | null;
  handed: readonly PageFile[];
  volumes: readonly PageFile[];
  exhibit: { readonly name: string; readonly files: readonly PageFile[] } | null;
}

export type Kind = keyof Desk | "trust";

export function emptyDesk(): Desk {
  return { copy: null, second: null, proofs: null, policy: null, handed: [], volumes: [], exhibit: null };
}

/** A file that was not put on the desk, or was removed from it, and why. */
export interface LeftAside {
  readonly path: string;
  readonly why: string;
}

/** How the second copy is called where the first has the same name. */
export function secondName({ copy, second }: Desk): string {
  return second === null ? "" : second.path === copy?.path ? `${second.path}, the second copy` : second.path;
}

/** Put files on the desk, unless the reader gives that up. A copy that `givesWay`, or cannot be read, makes room for a new one. Says which places changed, the text of fingerprints if there was one, and what was left aside. */
export async function open(desk: Desk, files: readonly PageFile[], signal: AbortSignal, givesWay: (copy: PageFile) => boolean = () => false, room: Room = { left: LARGEST_ZIP }): Promise<{ changed: Set<Kind>; trust: string | null; left: LeftAside[] }> {
  const left: LeftAside[] = [];
  const aside = (path: string | undefined, why: string): void => void (path === undefined ? null : left.push({ path, why }));
  const unpacked: PageFile[][] = [];
  // One after the other, since all share one room.
  for (const file of files) {
    signal.throwIfAborted();
    const inside = await unzipped(file, room, signal).catch((error: unknown) => {
      aside(file.path, error instanceof BadZip ? error.message : "could not be read. Perhaps it was moved or changed: open it again");
      return [];
    });
    unpacked.push(inside);
  }
  const found = await recognise(unpacked.flat());
  const told = found.trust[0];
  const trust = told === undefined ? null : (textOf(await told.read()) ?? "");
  let isLost = desk.copy !== null && (givesWay(desk.copy) || !(await isThere(desk.copy)));
  const rules = found.policies.length === 0 ? null : parsePolicy(await found.policies[0]!.read());
  // Nothing was put on the desk so far. From here on all is done at once.
  signal.throwIfAborted();
  left.push(...found.unknown);
  const changed = new Set<Kind>();
  const first = <T>(all: readonly T[], name: (one: T) => string): T | undefined => {
    for (const one of all.slice(1)) aside(name(one), "was left aside: one of its kind is opened at a time");
    return all[0];
  };
  const path = (file: PageFile): string => file.path;
  for (const copy of found.copies) {
    const place = desk.copy === null || isLost ? "copy" : "second";
    if (!isLost) aside(desk[place]?.path, "was removed: two copies are compared at a time");
    else if (desk.copy?.path !== copy.path) aside(desk.copy?.path, "was removed: it is damaged, or cannot be read any more");
    isLost = false;
    desk[place] = copy;
    changed.add(place);
  }
  const [proofs, policy, exhibit] = [first(found.proofs, path), first(found.policies, path), first(found.exhibits, (one) => one.name)];
  first(found.trust, path);
  if (proofs !== undefined) (desk.proofs = proofs), changed.add("proofs");
  if (policy !== undefined && rules !== null && "error" in rules) aside(policy.path, `is no policy, so nothing is judged by it: ${rules.error}`);
  else if (policy !== undefined) (desk.policy = policy), changed.add("policy");
  if (exhibit !== undefined) (desk.exhibit = exhibit), changed.add("exhibit");
  if (found.volumes.length > 0) {
    // A folder of the same name takes the place of the other: two must never be judged as one.
    const folders = new Set(found.volumes.map(folderOf));
    desk.volumes = [...desk.volumes.filter((file) => !folders.has(folderOf(file))), ...found.volumes];
    changed.add("volumes");
  }
  if (found.handed.length > 0) (desk.handed = found.handed), changed.add("handed");
  if (trust !== null) changed.add("trust");
  return { changed, trust, left };
}

/** A browser refuses to read a file that was moved or changed since it was opened. */
function isThere({ file }: PageFile): Promise<boolean> {
  return file.slice(0, 1).arrayBuffer().then((bytes) => bytes.byteLength > 0, () => false);
}

function folderOf(file: PageFile): string {
  return file.path.split("/")[0] ?? "";
}

/** A zip stands for the files in it: a room keeps its questions that way. */
async function unzipped(file: PageFile, room: Room, signal: AbortSignal): Promise<PageFile[]> {
  if (!file.path.toLowerCase().endsWith(".zip")) return [file];
  if (file.size > room.left) throw new BadZip("is larger than what this page unpacks. Unpack it, and open the folder");
  const bytes = await file.read();
  if (!isZip(bytes)) return [file];
  const inside = await filesInZip(file.path, bytes, signal, room);
  return Promise.all(inside.map(async (one) => pageFile(one.path, new File([(await one.read()) as Uint8Array<ArrayBuffer>], one.path))));
}

export function showDesk(desk: Desk, remove: (kind: keyof Desk) => void): void {
  const rows: (HTMLElement | null)[] = [
    one("copy", desk.copy, "copy"),
    one("second", desk.second, "second copy, to compare", secondName(desk)),
    one("proofs", desk.proofs, "proofs of a privilege log"),
    one("policy", desk.policy, "policy: logs and witnesses that you trust"),
    many("handed", desk.handed, "taken as documents that Bob was handed"),
    many("volumes", desk.volumes, "production volume"),
    desk.exhibit === null ? null : row("exhibit", desk.exhibit.name, `exhibit, ${plural(desk.exhibit.files.length, "file")}`),
  ];
  fill(byId("opened"), rows);

  function one(kind: keyof Desk, file: PageFile | null, what: string, name = file?.path ?? ""): HTMLElement | null {
    return file === null ? null : row(kind, name, `${what}, ${megabytes(file.size)}`);
  }
  function many(kind: keyof Desk, files: readonly PageFile[], what: string): HTMLElement | null {
    return files.length === 0 ? null : row(kind, [...new Set(files.map(folderOf))].join(", "), `${what}, ${plural(files.length, "file")}`);
  }
  function row(kind: keyof Desk, name: string, what: string): HTMLElement {
    const button = el("button", { type: "button", class: "quiet", "aria-label": `Remove ${cutOff(name)}` }, "Remove");
    button.addEventListener("click", () => remove(kind));
    return el("li", {}, el("span", {}, foreign(name), " ", el("span", { class: "what" }, what)), button);
  }
}
