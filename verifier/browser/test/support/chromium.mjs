/** Chromium for the tests and the bench: where it is, how it is started, and the built page opened from disk. */
import { existsSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** The page under test: the one that is kept in the repository. */
export const PAGE = process.env.TALLYSTICK_PAGE ?? fileURLToPath(new URL("../../tallystick-verify.html", import.meta.url));
export const PAGE_URL = pathToFileURL(PAGE).href;

/** The browser's program, or null if this machine has none. */
export function chromiumHere() {
  const named = process.env.TALLYSTICK_CHROMIUM;
  return (named === undefined ? PLACES : [named]).find((place) => existsSync(place)) ?? null;
}

export function startChromium(switches = []) {
  const executablePath = chromiumHere();
  if (executablePath === null) throw new Error("There is no Chromium here. Set TALLYSTICK_CHROMIUM to its program.");
  return chromium.launch({ executablePath, args: [...SWITCHES, ...switches] });
}

/** Tests in the browser skip without one, and say so; with TALLYSTICK_NEEDS_BROWSER=1 they fail. */
export const SKIP =
  chromiumHere() !== null || process.env.TALLYSTICK_NEEDS_BROWSER === "1" ? false : "there is no Chromium here: set TALLYSTICK_CHROMIUM to its program";
