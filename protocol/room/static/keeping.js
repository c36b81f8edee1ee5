// Sends every step to the program, in order, and says whether it is kept. A step that could not be sent is tried again
// until it is: as long as one waits, the page says so, and asks before it is closed.

const AGAIN = 1000; // milliseconds until a step is tried again
const csrf = document.querySelector('meta[name="csrf"]').content;

export class Keeper {
  /** `told` gets what the program answers, `trouble` what is wrong in words, or nothing once it is right again. */
  constructor(question, told, trouble) {
    this.question = question;
    this.told = told;
    this.trouble = trouble;
    this.waiting = 0;
    this.last = Promise.resolve();
    addEventListener("beforeunload", (event) => {
      if (this.waiting) event.preventDefault();
    });
  }

  change(cells) {
    return this.#send("cells", { cells });
  }

  undo() {
    return this.#send("undo", {});
  }

  redo() {
    return this.#send("redo", {});
  }

  #send(what, value) {
    this.waiting++;
    this.last = this.last.then(async () => {
      const answer = await this.#tried(what, value);
      this.waiting--;
      if (answer) this.told(answer, this.waiting);
      return answer;
    });
    return this.last;
  }

  async #tried(what, value) {
    for (;;) {
      try {
        const response = await fetch(`${this.question}/${what}`, {
          method: "POST",
          headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
          body: JSON.stringify(value),
          keepalive: true,
        });
        if (response.ok) {
          this.trouble("");
          return await response.json();
        }
        const refused = response.status === 409 ? (await response.json()).error : "The program was started again.";
        this.trouble(`${refused} This step was not kept: load the page again.`);
        return null;
      } catch {
        this.trouble("Not kept yet: the program does not answer. It is tried again; leave this page open.");
        await new Promise((done) => setTimeout(done, AGAIN));
      }
    }
  }
}
