/**
 * Files from a drop or a picker, with the folders they were in.
 */
import type { NamedFile } from "../files/named-files.ts";
import type { OpenedFile } from "./jobs.ts";

export type PageFile = NamedFile & OpenedFile;

export function pageFile(path: string, file: File): PageFile {
  return { path, file, size: file.size, read: async () => new Uint8Array(await file.arrayBuffer()), stream: () => file.stream() };
}

export function fromPicker(files: FileList | null): PageFile[] {
  return [...(files ?? [])].map((file) => pageFile(file.webkitRelativePath || file.name, file));
}

/** The entries must be taken at once: after the event they are gone. */
export async function fromDrop(transfer: DataTransfer): Promise<PageFile[]> {
  const entries: FileSystemEntry[] = [];
  for (const item of transfer.items) {
    const entry = item.kind === "file" ? item.webkitGetAsEntry() : null;
    if (entry !== null) entries.push(entry);
  }
  if (entries.length === 0) return fromPicker(transfer.files);
  const files: PageFile[] = [];
  for (const entry of entries) await walk(entry, files);
  return files;
}

async function walk(entry: FileSystemEntry, files: PageFile[]): Promise<void> {
  const path = entry.fullPath.replace(/^\//, "");
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    files.push(pageFile(path, file));
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // A browser hands out a folder in portions, and an empty one at the end.
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (portion.length === 0) return;
    for (const inner of portion) await walk(inner, files);
  }
}
