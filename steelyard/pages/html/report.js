"use strict";
(() => {
  const table = document.querySelector("table.pages");
  if (table) {
    makeSortable(table);
    makeFilterable(table);
  }
  window.addEventListener("hashchange", openTarget);
  openTarget();
  openAllForPrinting();

  function makeSortable(table) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const compare = head.dataset.sort === "number" ? byNumber : byText;
        const rows = [...body.rows].map((row) => [row.cells[column].textContent.trim(), row]);
        rows.sort(([a], [b]) => (down ? compare(b, a) : compare(a, b)));
        body.append(...rows.map(([, row]) => row));
      });
    });
  }

  function byNumber(a, b) {
    const [x, y] = [a, b].map((text) => parseFloat(text.replaceAll(",", "")));
    return (Number.isNaN(x) ? -1 : x) - (Number.isNaN(y) ? -1 : y);
  }

  function byText(a, b) {
    return a < b ? -1 : a > b ? 1 : 0;
  }

  function makeFilterable(table) {
    const field = document.getElementById("wanted");
    const shown = document.getElementById("shown");
    const rows = [...table.tBodies[0].rows].map((row) => [row.textContent.toLowerCase(), row]);
    document.getElementById("filter").hidden = false;
    field.addEventListener("input", () => {
      const wanted = field.value.trim().toLowerCase();
      let count = 0;
      for (const [text, row] of rows) {
        row.hidden = !text.includes(wanted);
        count += row.hidden ? 0 : 1;
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
      closed = [...document.querySelectorAll("details:not([open])")];
      closed.forEach((page) => (page.open = true));
    });
    window.addEventListener("afterprint", () => closed.forEach((page) => (page.open = false)));
  }
})();
