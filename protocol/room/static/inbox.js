// Looks every few seconds whether something is new, and loads the page again if so; under somebody's hands it only says so.

const EVERY = 5000; // milliseconds
const news = document.getElementById("news");
const known = document.body.dataset.state;

function show() {
  if (document.activeElement === document.body || document.activeElement === null) return location.reload();
  const link = document.createElement("a");
  link.href = "";
  link.textContent = "Something is new. Show it";
  if (!news.querySelector("a")) news.replaceChildren(link);
}

async function look() {
  try {
    const response = await fetch(document.body.dataset.waiting);
    const { state } = await response.json();
    if (state !== known) return show();
    news.textContent = "";
  } catch {
    news.textContent = "The program does not answer. Start it again, and open its new address.";
  }
}

look();
setInterval(look, EVERY);
