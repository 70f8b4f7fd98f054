"use strict";
// Marks evidence behind the words while they are typed, selects the place of a suggestion, and says what a change gains.
(() => {
  const MOST = 200_000; // characters of a text that is marked
  const field = document.getElementById("text");
  const result = document.getElementById("result");
  const trial = document.getElementById("trial");
  const task = document.getElementById("task");
  const backdrop = document.querySelector(".backdrop");
  if (!field || !result || !backdrop) return;
  let marks = []; // [start, end, kind] in units of the field
  let marked = ""; // the text that they are for
  let begun = null; // the text and its score before the first change

  document.addEventListener("scored", take);
  field.addEventListener("input", () => {
    move();
    draw();
  });
  field.addEventListener("scroll", () => (backdrop.scrollTop = field.scrollTop));
  result.addEventListener("click", (event) => {
    const item = event.target.closest("a.jump")?.closest("[data-start]");
    if (!item || field.value !== marked) return;
    event.preventDefault();
    if (task) {
      const shown = item.cloneNode(true);
      for (const part of shown.querySelectorAll("a:not(.jump), details, code")) part.remove();
      task.textContent = [...shown.childNodes].map((node) => node.textContent.trim()).filter(Boolean).join(". ");
      task.hidden = false;
    }
    const [start, end] = toUnits([Number(item.dataset.start), Number(item.dataset.end)]);
    select(start, end);
  });
  trial?.addEventListener("click", (event) => {
    const what = event.target.dataset.do;
    if (what === "undo" && begun) {
      field.value = begun.text;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.focus();
    }
    if (what === "keep") {
      begun = null;
      take();
    }
  });
  take();

  function take() {
    const section = result.querySelector("[data-marks]");
    marks = [];
    marked = field.value;
    if (section && marked.length <= MOST) {
      const found = JSON.parse(section.dataset.marks);
      const units = toUnits(found.flatMap(([start, end]) => [start, end]));
      marks = found.map(([, , kind], number) => [units[2 * number], units[2 * number + 1], kind]);
    }
    if (section) compare(Number(section.dataset.score));
    draw();
  }

  // Positions of the server count code points, those of a field UTF-16 units.
  function toUnits(points) {
    const order = [...new Set(points)].sort((a, b) => a - b);
    const units = new Map();
    let point = 0;
    let unit = 0;
    for (const wanted of order) {
      while (point < wanted && unit < marked.length) {
        unit += marked.codePointAt(unit) > 0xffff ? 2 : 1;
        point += 1;
      }
      units.set(wanted, unit);
    }
    return points.map((wanted) => units.get(wanted));
  }

  // Until the next answer, marks before a change stay and those behind it move along.
  function move() {
    const now = field.value;
    const most = Math.min(now.length, marked.length);
    let before = 0;
    while (before < most && now[before] === marked[before]) before += 1;
    let behind = 0;
    while (behind < most - before && now[now.length - 1 - behind] === marked[marked.length - 1 - behind]) behind += 1;
    const change = now.length - marked.length;
    marks = marks.flatMap(([start, end, kind]) => {
      if (end <= before) return [[start, end, kind]];
      return start >= marked.length - behind ? [[start + change, end + change, kind]] : [];
    });
    marked = now;
  }

  function draw() {
    const pieces = [];
    let position = 0;
    for (const [start, end, kind] of marks) {
      const piece = document.createElement("span");
      piece.className = `m${kind}`;
      piece.textContent = marked.slice(start, end);
      pieces.push(marked.slice(position, start), piece);
      position = end;
    }
    backdrop.replaceChildren(...pieces, `${marked.slice(position)}\n`);
    backdrop.scrollTop = field.scrollTop;
  }

  function select(start, end) {
    const place = document.createElement("span");
    place.textContent = marked.slice(start, end);
    backdrop.replaceChildren(marked.slice(0, start), place, `${marked.slice(end)}\n`);
    field.scrollTop = Math.max(0, place.offsetTop - field.clientHeight / 3);
    draw();
    field.focus({ preventScroll: true });
    field.setSelectionRange(start, end);
    field.scrollIntoView({ block: "nearest" });
  }

  function compare(score) {
    begun ??= { text: marked, score };
    const change = score - begun.score;
    const sign = change < 0 ? "−" : "+";
    trial.hidden = marked === begun.text;
    trial.firstElementChild.textContent =
      `The text as it was: ${begun.score.toFixed(1)}. With your words: ${score.toFixed(1)} (${sign}${Math.abs(change).toFixed(2)}).`;
  }
})();
