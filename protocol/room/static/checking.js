// Waits until the question is checked, and shows it.

const question = document.body.dataset.question;

async function look() {
  try {
    const response = await fetch(`${question}/checked`);
    const { checked } = await response.json();
    if (checked || !response.ok) location.reload();
    else look();
  } catch {
    document.getElementById("slow").hidden = false;
    setTimeout(look, 1000);
  }
}

look();
