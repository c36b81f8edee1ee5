/**
 * What lies open on the reader's desk, and the list that shows it.
 */
import { recognise } from "../files/recognise.ts";
import { filesInZip, isZip } from "../files/zip.ts";
import { type PageFile, pageFile } from "./drop.ts";
import { byId, el, fill } from "./dom.ts";
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

/** Put files on the desk. Says which places changed, the text of fingerprints if there was one, and what was not understood. */
export async function open(desk: Desk, files: readonly PageFile[]): Promise<{ changed: Set<Kind>; trust: string | null; unknown: string[] }> {
  const found = await recognise((await Promise.all(files.map(unzipped))).flat());
  const changed = new Set<Kind>();
  let trust: string | null = null;
  for (const copy of found.copies) {
    const place = desk.copy === null ? "copy" : "second";
    desk[place] = copy;
    changed.add(place);
  }
  const [proofs, policy, exhibit] = [found.proofs[0], found.policies[0], found.exhibits[0]];
  if (proofs !== undefined) (desk.proofs = proofs), changed.add("proofs");
  if (policy !== undefined) (desk.policy = policy), changed.add("policy");
  if (exhibit !== undefined) (desk.exhibit = exhibit), changed.add("exhibit");
  if (found.volumes.length > 0) (desk.volumes = [...desk.volumes, ...found.volumes]), changed.add("volumes");
  if (found.handed.length > 0) (desk.handed = found.handed), changed.add("handed");
  const fingerprints = found.trust[0];
  if (fingerprints !== undefined) (trust = new TextDecoder().decode(await fingerprints.read())), changed.add("trust");
  return { changed, trust, unknown: found.unknown.map((file) => file.path) };
}

/** A zip stands for the files in it: a room keeps its questions that way. */
async function unzipped(file: PageFile): Promise<PageFile[]> {
  if (!file.path.toLowerCase().endsWith(".zip")) return [file];
  const bytes = await file.read();
  if (!isZip(bytes)) return [file];
  const inside = await filesInZip(file.path, bytes);
  return Promise.all(inside.map(async (one) => pageFile(one.path, new File([(await one.read()) as Uint8Array<ArrayBuffer>], one.path))));
}

export function showDesk(desk: Desk, remove: (kind: keyof Desk) => void): void {
  const rows: (HTMLElement | null)[] = [
    one("copy", desk.copy, "copy"),
    one("second", desk.second, "second copy, to compare"),
    one("proofs", desk.proofs, "proofs of a privilege log"),
    one("policy", desk.policy, "policy: logs and witnesses that you trust"),
    many("handed", desk.handed, "handed documents"),
    many("volumes", desk.volumes, "production volume"),
    desk.exhibit === null ? null : row("exhibit", desk.exhibit.name, `exhibit, ${plural(desk.exhibit.files.length, "file")}`),
  ];
  fill(byId("opened"), rows);

  function one(kind: keyof Desk, file: PageFile | null, what: string): HTMLElement | null {
    return file === null ? null : row(kind, file.path, `${what}, ${megabytes(file.size)}`);
  }
  function many(kind: keyof Desk, files: readonly PageFile[], what: string): HTMLElement | null {
    const first = files[0];
    return first === undefined ? null : row(kind, first.path.split("/")[0] ?? "", `${what}, ${plural(files.length, "file")}`);
  }
  function row(kind: keyof Desk, name: string, what: string): HTMLElement {
    const button = el("button", { type: "button", class: "quiet", "aria-label": `Take ${name} away` }, "Take away");
    button.addEventListener("click", () => remove(kind));
    return el("li", {}, el("span", {}, el("bdi", {}, name), " ", el("span", { class: "what" }, what)), button);
  }
}
