/**
 * What was handed to the page: told by what is inside, not by a name.
 */
import { linesOf } from "./lines.ts";
import { type NamedFile, foldersWith, isLeftBySystem, lastName } from "./named-files.ts";

export interface Recognised<F extends NamedFile> {
  readonly copies: readonly F[];
  readonly proofs: readonly F[];
  readonly trust: readonly F[];
  readonly policies: readonly F[];
  /** Each exhibit is the files of one folder, named from there. */
  readonly exhibits: readonly { readonly name: string; readonly files: readonly F[] }[];
  readonly volumes: readonly F[];
  readonly handed: readonly F[];
  readonly unknown: readonly F[];
}

type Sort = "copy" | "proofs" | "trust" | "policy" | "unknown";

/** Files inside a dropped folder have a slash in their path; a file on its own has none. */
export async function recognise<F extends NamedFile>(files: readonly F[]): Promise<Recognised<F>> {
  const kept = files.filter((file) => !isLeftBySystem(file.path));
  const exhibitBases = foldersWith(kept, "exhibit.json");
  const volumeBases = foldersWith(kept, "MANIFEST.json");
  const inside = (file: F, bases: readonly string[]): string | undefined => bases.find((base) => file.path.startsWith(base));
  const exhibits = exhibitBases.map((base) => ({ name: base.replace(/\/$/, "") || "exhibit", files: kept.filter((file) => file.path.startsWith(base)) }));
  const volumes = files.filter((file) => inside(file, volumeBases) !== undefined);
  const rest = kept.filter((file) => inside(file, exhibitBases) === undefined && inside(file, volumeBases) === undefined);
  const by: Record<Sort, F[]> = { copy: [], proofs: [], trust: [], policy: [], unknown: [] };
  const handed: F[] = [];
  for (const file of rest) {
    if (file.path.includes("/")) handed.push(file);
    else by[await sortOf(file)].push(file);
  }
  // A folder that holds nothing but a copy or two is opened as these copies.
  const copiesInside = handed.filter((file) => /\.jsonl(\.gz)?$/.test(lastName(file.path)));
  if (handed.length > 0 && copiesInside.length === handed.length) {
    for (const file of handed.splice(0)) by[await sortOf(file)].push(file);
  }
  return { copies: by.copy, proofs: by.proofs, trust: by.trust, policies: by.policy, exhibits, volumes, handed, unknown: by.unknown };
}

async function sortOf(file: NamedFile): Promise<Sort> {
  let first = "";
  try {
    for await (const line of linesOf(file)) {
      first = line;
      if (line.trim() !== "" && !line.startsWith("#")) break;
    }
    if (first === "" && file.size < 100_000) first = new TextDecoder().decode(await file.read());
  } catch {
    // A copy that is damaged in its packing is still a copy: the engine says what is wrong with it.
    return isCopyName(file) ? "copy" : "unknown";
  }
  if (first.startsWith('{"manifest":')) return "copy";
  if (first.startsWith('{"format":') && first.includes('"numbers":')) return "proofs";
  if (/^\s*(alice|bob|court|trent)[\s:]+[\d\s]+$/im.test(first)) return "trust";
  if (/^\s*(log|witness|group|quorum)\s/.test(first)) return "policy";
  return isCopyName(file) ? "copy" : "unknown";
}

function isCopyName(file: NamedFile): boolean {
  return /\.jsonl(\.gz)?$/i.test(file.path);
}
