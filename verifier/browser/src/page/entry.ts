/**
 * The one script of this file. As the page it shows, as a worker it verifies: the worker is made from this very script,
 * so the hash in the page's policy covers all that ever runs.
 */
import { beginPage } from "./main.ts";
import { useScript } from "./run.ts";
import { beginWorker } from "./worker.ts";

if (typeof document === "undefined") beginWorker();
else {
  useScript(document.currentScript?.textContent ?? "");
  beginPage();
}
