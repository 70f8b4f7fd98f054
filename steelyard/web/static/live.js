"use strict";
// Scores while typing: the form is sent in the background, and only the newest answer is shown.
(() => {
  const PAUSE = 400; // milliseconds without a key before the text is sent
  const form = document.querySelector("form[data-live]");
  if (!form) return;
  const target = document.getElementById(form.dataset.live);
  const status = document.getElementById("status");
  let timer = 0;
  let sending = null;
  let sent = "";

  form.addEventListener("input", (event) => schedule(event.target.type === "file" ? 0 : PAUSE));
  form.addEventListener("submit", () => {
    clearTimeout(timer);
    if (sending) sending.abort();
  });

  // What was typed before this script was there, or what the browser kept from before.
  if (!target.querySelector("[data-status]")) schedule(0);

  function schedule(pause) {
    clearTimeout(timer);
    timer = setTimeout(send, pause);
  }

  function isComplete() {
    return [...form.querySelectorAll("textarea")].every((field) => {
      const file = document.getElementById(`${field.id}_file`);
      return field.value.trim() || (file && file.files.length);
    });
  }

  function describe(data) {
    return JSON.stringify([...data].map(([name, value]) => [name, value instanceof File ? value.name + value.lastModified : value]));
  }

  async function send() {
    const data = new FormData(form);
    const key = describe(data);
    if (sending) sending.abort(); // what it asked about is no longer there
    if (key === sent || !isComplete() || !form.checkValidity()) return;
    const current = (sending = new AbortController());
    status.textContent = "Scoring …";
    try {
      const answer = await fetch(`${form.getAttribute("action")}?part=result`, { method: "POST", body: data, signal: current.signal });
      if (answer.status === 429 || answer.status === 503) {
        const seconds = Number(answer.headers.get("Retry-After")) || 2;
        status.textContent = `The server is busy; trying again in ${seconds} s.`;
        schedule(1000 * seconds);
        return;
      }
      const text = await answer.text();
      if (current !== sending) return; // a newer text was sent meanwhile
      sent = key;
      show(text);
    } catch (error) {
      if (error.name !== "AbortError") status.textContent = "The server does not answer. Is it still running?";
    }
  }

  function show(text) {
    const open = new Set([...target.querySelectorAll("details[open][data-key]")].map((element) => element.dataset.key));
    const page = new DOMParser().parseFromString(text, "text/html");
    target.replaceChildren(...page.body.childNodes);
    for (const element of target.querySelectorAll("details[data-key]")) element.open = open.has(element.dataset.key);
    status.textContent = target.querySelector("[data-status]")?.dataset.status ?? "Not scored.";
    document.dispatchEvent(new Event("scored"));
  }
})();
