"use strict";
// Follows the audits: the list is fetched again every few seconds while one of them is open.
(() => {
  const EVERY = 2000; // milliseconds
  const queue = document.getElementById("queue");
  if (!queue || queue.dataset.refresh !== "true") return;

  async function refresh() {
    if (!document.hidden) {
      try {
        const answer = await fetch("/audits?part=queue");
        if (answer.status === 401) location.assign("/login");
        else if (answer.ok) show(new DOMParser().parseFromString(await answer.text(), "text/html"));
      } catch {
        // The server may come back; the page stays as it is.
      }
    }
    if (queue.querySelector("progress") || queue.textContent.includes("waits for")) setTimeout(refresh, EVERY);
  }

  // A button that has the focus keeps it.
  function show(page) {
    const action = document.activeElement?.closest("form")?.getAttribute("action");
    queue.replaceChildren(...page.body.childNodes);
    if (action) queue.querySelector(`form[action="${CSS.escape(action)}"] button`)?.focus();
  }

  setTimeout(refresh, EVERY);
})();
