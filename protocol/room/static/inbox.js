// Looks every few seconds whether something is new, and loads the list again if so.

const EVERY = 5000; // milliseconds
let known = null;

async function look() {
  try {
    const response = await fetch("waiting");
    const { state } = await response.json();
    if (known !== null && state !== known) location.reload();
    known = state;
    document.getElementById("news").textContent = "";
  } catch {
    document.getElementById("news").textContent = "The program does not answer. Start it again, and open its new address.";
  }
}

look();
setInterval(look, EVERY);
