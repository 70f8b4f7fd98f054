"use strict";
// The page without a server: what live.js would send to one is answered by a worker, and nothing leaves the browser.
(() => {
  const STEPS = ["Loading Python …", "Loading the scorer …", "Starting the scorer …"];
  const form = document.getElementById("score-form");
  const status = document.getElementById("status");
  const progress = document.getElementById("progress");
  // Made from a blob, the worker has the policy of this page: it can read this folder alone, and send nothing.
  const script = `import ${JSON.stringify(new URL("worker.js", location).href)};`;
  const worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })), { type: "module" });
  let waiting = [];
  let current = null;
  let isReady = false;

  worker.addEventListener("message", ({ data }) => {
    if ("step" in data) return showStep(data.step);
    if ("failure" in data) return fail(data.failure);
    current.resolve(data.answer);
    current = null;
    next();
  });
  worker.addEventListener("error", (event) => fail(event.message || "its files cannot be read"));

  function showStep(step) {
    progress.value = step;
    isReady = step >= STEPS.length;
    progress.parentElement.hidden = isReady;
    status.textContent = isReady ? (waiting.length ? "Scoring …" : "Ready.") : STEPS[step];
    next();
  }

  function fail(reason) {
    progress.parentElement.hidden = true;
    current?.reject(new DOMException(reason, "AbortError")); // which live.js passes over
    current = null;
    status.textContent = `This does not work in this browser: ${reason}`;
    next();
  }

  function next() {
    if (!isReady || current || !waiting.length) return;
    current = waiting.shift();
    worker.postMessage({ kind: current.kind, fields: current.fields });
  }

  // Ask the worker; a question that is given up before its turn is never put.
  function ask(kind, fields, signal) {
    return new Promise((resolve, reject) => {
      const question = { kind, fields: Object.fromEntries(fields), resolve, reject };
      signal?.addEventListener("abort", () => {
        waiting = waiting.filter((each) => each !== question);
        reject(new DOMException("given up", "AbortError"));
      });
      waiting.push(question);
      next();
    });
  }

  window.fetch = async (_, { body, signal }) => {
    const text = ask("page", body, signal);
    if (!isReady) status.textContent = STEPS[progress.value];
    return new Response(await text);
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { name, value } = event.submitter ?? {};
    if (name) document.getElementById(name).value = value; // "Score in edition 2026"
    setTimeout(changed); // after live.js, which expects another page to come
  });

  for (const button of document.querySelectorAll("[data-export]")) {
    button.addEventListener("click", async () => {
      const kind = button.dataset.export;
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([await ask(kind, new FormData(form))]));
      link.download = `steelyard-report.${kind}`;
      link.click();
      URL.revokeObjectURL(link.href);
    });
  }

  document.getElementById("file").addEventListener("change", async ({ target }) => {
    if (target.files.length) fill(await target.files[0].text(), target.files[0].name);
  });
  document.getElementById("try").addEventListener("click", () => {
    fill(document.getElementById("example").content.textContent, "text");
  });

  // Another text: what is shown of the one before must not be taken for its first version.
  function fill(text, source) {
    if (form.elements.text.value === text) return;
    document.getElementById("result").replaceChildren();
    document.querySelector("#trial [data-do=keep]").click();
    form.elements.text.value = text;
    form.elements.source.value = source;
    changed();
  }

  function changed() {
    form.elements.text.dispatchEvent(new Event("input", { bubbles: true }));
  }
})();
