"use strict";
// Says when something has happened, instead of loading the page under somebody's hands; and sends an answer that came
// by mail. Everything else on the page works without script.
const csrf = document.querySelector('meta[name="csrf"]').content;
const [happened, lost] = document.getElementById("news").children;

setInterval(async () => {
  try {
    const found = await (await fetch("version")).json();
    lost.hidden = true;
    if (found.version !== document.body.dataset.version) happened.hidden = false;
  } catch {
    lost.hidden = false;
  }
}, 3000);

const form = document.getElementById("mailed"); // not in the list of all matters
form?.removeAttribute("hidden");
form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const file = document.getElementById("file").files[0], taken = document.getElementById("taken");
  if (!file) { taken.textContent = "Choose a file first."; return; }
  const found = await fetch("answer", { method: "POST", body: await file.arrayBuffer(),
    headers: { "X-CSRF-Token": csrf, "Content-Type": "application/octet-stream" } });
  const said = await found.json();
  if (said.taken) location.href = "./"; else taken.textContent = said.words;
});
