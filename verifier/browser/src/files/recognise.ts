/**
 * What the files are that were handed to the page: told by what is inside, and by few names, such as those that each
 * exhibit or volume has.
 *
 * Only the beginning of a file is looked at, since a stranger chose its size: one line of it, or a small packed file, can
 * be larger than any memory.
 */
import { beginningOf, textOf } from "./beginning.ts";
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
  /** What is left aside, with what the reader can do. */
  readonly unknown: readonly { readonly path: string; readonly why: string }[];
}

type Known = "copy" | "proofs" | "trust" | "policy";
type Sort = Known | "empty" | "folder" | "zip" | "unknown";

const WHY = {
  empty: "is empty. Get it again from where it came",
  unknown: "is none of the files that this page knows: look for a copy, whose name ends in .jsonl or .jsonl.gz",
  folder: "is one file of a folder: open the whole folder, or a zip of it",
  zip: "is a zip within a zip: unpack it first, and open what was in it",
  beside: "was left aside, since a copy lies beside it. If it is a document that you were handed, open the folder of the documents by itself",
  told: "came with the copy. Fingerprints and policies count if you have them from elsewhere: then open it by itself",
};

/** Files that say something only with those beside them. */
const PARTS_OF_FOLDERS = ["MANIFEST.json", "exhibit.json", "question.json"];

/** A reader's own lists are short. */
const LARGEST_LIST = 1 << 20;

/** Files inside a dropped folder have a slash in their path; a file on its own has none. */
export async function recognise<F extends NamedFile>(files: readonly F[]): Promise<Recognised<F>> {
  const kept = files.filter((file) => !isLeftBySystem(file.path));
  const exhibitBases = foldersWith(kept, "exhibit.json").filter((base) => base !== "");
  const volumeBases = foldersWith(kept, "MANIFEST.json").filter((base) => base !== "");
  const inside = (file: F, bases: readonly string[]): string | undefined => bases.find((base) => file.path.startsWith(base));
  const exhibits = exhibitBases.map((base) => ({ name: base.replace(/\/$/, ""), files: kept.filter((file) => file.path.startsWith(base)) }));
  const volumes = files.filter((file) => inside(file, volumeBases) !== undefined);
  const rest = kept.filter((file) => inside(file, exhibitBases) === undefined && inside(file, volumeBases) === undefined);
  const by: Record<Known, F[]> = { copy: [], proofs: [], trust: [], policy: [] };
  const unknown: { path: string; why: string }[] = [];
  const put = (file: F, sort: Sort): void => {
    if (isKnown(sort)) by[sort].push(file);
    else unknown.push({ path: file.path, why: WHY[sort] });
  };
  const handed: F[] = [];
  const folders = new Map<string, F[]>();
  for (const file of rest) {
    const [folder = "", inside] = file.path.split("/", 2);
    if (inside === undefined) put(file, await sortOf(file));
    else if (!folders.has(folder)) folders.set(folder, [file]);
    else folders.get(folder)?.push(file);
  }
  for (const folder of folders.values()) {
    const sent = await sentTogether(folder);
    if (sent === null) handed.push(...folder);
    for (const [file, sort] of sent ?? []) {
      const why = sort === "trust" || sort === "policy" ? WHY.told : sort === "unknown" ? WHY.beside : null;
      if (why === null) put(file, sort);
      else unknown.push({ path: file.path, why });
    }
  }
  return { copies: by.copy, proofs: by.proofs, trust: by.trust, policies: by.policy, exhibits, volumes, handed, unknown };
}

/** In a folder with more files a copy is only known by its name. */
const MOST_SENT = 20;

/**
 * The files of a folder that holds a copy, or nothing but zips: they are no documents that Bob was handed, since those
 * come with their question. A document can have a copy's name: beside others the content decides. Null for any other folder.
 */
async function sentTogether<F extends NamedFile>(folder: readonly F[]): Promise<(readonly [F, Sort])[] | null> {
  if (folder.some((file) => lastName(file.path) === "question.json")) return null;
  const sorted = await Promise.all(folder.map(async (file) => [file, folder.length > MOST_SENT && !NAMED_COPY.test(file.path) ? "unknown" : await sortOf(file)] as const));
  const copies = sorted.filter(([, sort]) => sort === "copy");
  const sure = await Promise.all(copies.map(async ([file]) => isCopy(await firstLine(file))));
  const isKnownWhole = copies.length > 0 && sorted.every(([, sort]) => isKnown(sort));
  return sure.includes(true) || isKnownWhole || sorted.every(([, sort]) => sort === "zip") ? sorted : null;
}

const NAMED_COPY = /\.jsonl(\.gz)?$/i;

async function firstLine(file: NamedFile): Promise<string> {
  const text = textOf(await beginningOf(file)) ?? "";
  return text.split("\n").find((line) => line.trim() !== "" && !line.startsWith("#")) ?? "";
}

function isCopy(first: string): boolean {
  return first.startsWith('{"manifest":');
}

async function sortOf(file: NamedFile): Promise<Sort> {
  if (file.size === 0) return "empty";
  if (PARTS_OF_FOLDERS.includes(lastName(file.path))) return "folder";
  const first = await firstLine(file);
  if (isCopy(first)) return "copy";
  if (first.startsWith('{"format":') && first.slice(0, 1000).includes('"numbers":')) return "proofs";
  if (file.size <= LARGEST_LIST) {
    if (/^(alice|bob|court|trent)[\s:]+[\d\s]+$/i.test(first.slice(0, 200).trim())) return "trust";
    if (/^\s?(log|witness|group|quorum)\s/.test(first)) return "policy";
  }
  // A copy that is damaged in its packing, or on its way, is still a copy: the engine says what is wrong with it.
  if (NAMED_COPY.test(file.path)) return "copy";
  return /\.zip$/i.test(file.path) ? "zip" : "unknown";
}

function isKnown(sort: Sort): sort is Known {
  return sort === "copy" || sort === "proofs" || sort === "trust" || sort === "policy";
}
