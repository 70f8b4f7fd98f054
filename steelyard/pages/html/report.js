"use strict";
(() => {
  const tables = [...document.querySelectorAll("table.pages")];
  if (tables.length) {
    makeSortable(tables);
    makeFilterable(tables);
  }
  window.addEventListener("hashchange", openTarget);
  openTarget();
  openAllForPrinting();
  explainMarks();

  // The rows of a list of several tables, each but the first folded away, are sorted as one.
  function makeSortable(tables) {
    const sizes = tables.map((table) => table.tBodies[0].rows.length);
    const columns = tables.map((table) => [...table.tHead.rows[0].cells]);
    for (const heads of columns) {
      heads.forEach((head, column) => {
        const button = document.createElement("button");
        button.type = "button";
        button.append(...head.childNodes);
        head.append(button);
        button.addEventListener("click", () => sort(head, column));
      });
    }

    function sort(head, column) {
      const down = head.getAttribute("aria-sort") === "ascending";
      const compare = head.dataset.sort === "number" || head.classList.contains("n") ? byNumber : byText;
      const all = tables.flatMap((table) => [...table.tBodies[0].rows]);
      const rows = all.map((row) => [row.cells[column].textContent.trim(), row]);
      rows.sort(([a], [b]) => (down ? compare(b, a) : compare(a, b)));
      let start = 0;
      tables.forEach((table, number) => {
        columns[number].forEach((other) => other.removeAttribute("aria-sort"));
        columns[number][column].setAttribute("aria-sort", down ? "descending" : "ascending");
        table.tBodies[0].append(...rows.slice(start, start + sizes[number]).map(([, row]) => row));
        start += sizes[number];
      });
    }
  }

  function byNumber(a, b) {
    const [x, y] = [a, b].map((text) => parseFloat(text.replaceAll(",", "")));
    return (Number.isNaN(x) ? -1 : x) - (Number.isNaN(y) ? -1 : y);
  }

  function byText(a, b) {
    return a < b ? -1 : a > b ? 1 : 0;
  }

  function makeFilterable(tables) {
    const field = document.getElementById("wanted");
    const shown = document.getElementById("shown");
    const rows = tables.flatMap((table) => [...table.tBodies[0].rows]).map((row) => [row.textContent.toLowerCase(), row]);
    document.getElementById("filter").hidden = false;
    field.addEventListener("input", () => {
      const wanted = field.value.trim().toLowerCase();
      let count = 0;
      for (const [text, row] of rows) {
        row.hidden = !text.includes(wanted);
        count += row.hidden ? 0 : 1;
      }
      for (const table of tables) {
        const fold = table.closest("details.fold");
        if (fold) fold.open = wanted !== "" && table.querySelector("tbody tr:not([hidden])") !== null;
        if (fold) fold.hidden = wanted !== "" && !fold.open;
      }
      shown.textContent = `${count} of ${rows.length} pages shown`;
    });
  }

  // Most browsers open the page around the target by themselves.
  function openTarget() {
    const target = document.getElementById(location.hash.slice(1));
    const page = target && target.closest("details");
    if (page && !page.open) {
      page.open = true;
      target.scrollIntoView();
    }
  }

  function openAllForPrinting() {
    let closed = [];
    window.addEventListener("beforeprint", () => {
      closed = [...document.querySelectorAll("details.page:not([open])")];
      closed.forEach((page) => (page.open = true));
    });
    window.addEventListener("afterprint", () => closed.forEach((page) => (page.open = false)));
  }

  // What a mark means, at once and without a mouse, too; an entry of the legend leads from one mark to the next.
  function explainMarks() {
    const tip = document.createElement("p");
    tip.className = "tip";
    tip.setAttribute("role", "status");
    tip.hidden = true;
    document.querySelector("main").append(tip);
    let chosen = false; // by a click or the keyboard, so that it stays when the page scrolls under the mouse
    document.addEventListener("pointerover", (event) => {
      const mark = event.target.closest(".text mark");
      if (mark || !chosen) show(mark);
    });
    document.addEventListener("keydown", (event) => event.key === "Escape" && show(null));
    document.addEventListener("click", (event) => {
      const entry = event.target.closest(".legend a");
      const mark = event.target.closest(".text mark");
      chosen = Boolean(entry || mark);
      if (!entry) return show(mark);
      const marks = entry.closest(".marked").querySelectorAll(`.text .${entry.dataset.kind}`);
      const at = Number(entry.dataset.next ?? 0) % marks.length;
      const next = marks[at];
      if (!next) return;
      entry.dataset.next = at + 1;
      event.preventDefault();
      next.scrollIntoView({ block: "center" });
      show(next);
    });

    function show(mark) {
      document.querySelectorAll("mark.shown").forEach((other) => other.classList.remove("shown"));
      tip.hidden = !mark;
      if (!mark) return;
      mark.classList.add("shown");
      if (mark.title) [mark.dataset.meaning, mark.title] = [mark.title, ""];
      tip.textContent = mark.dataset.meaning;
      const place = mark.getClientRects()[0];
      const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
      tip.style.left = `${Math.max(8, Math.min(place.left, room)) + scrollX}px`;
      tip.style.top = `${place.bottom + scrollY + 6}px`;
    }
  }
})();
