// Hands the file of an objection to the program, which checks it, and shows what it says.

const field = document.getElementById("objection");
const csrf = document.querySelector('meta[name="csrf"]').content;

field.addEventListener("change", async () => {
  const item = document.createElement("li");
  try {
    const response = await fetch(field.dataset.to, {
      method: "POST",
      headers: { "Content-Type": "application/octet-stream", "X-CSRF-Token": csrf },
      body: field.files[0],
    });
    const answer = await response.json();
    item.textContent = response.ok ? `Added. Its reason: ${answer.reason}` : `Not added: ${answer.error}`;
  } catch {
    item.textContent = "Not added: the program does not answer.";
  }
  document.getElementById("objections").append(item);
});
