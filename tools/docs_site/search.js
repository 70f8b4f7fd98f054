"use strict";
// Searches the sections of all pages, with the index that is beside this script; nothing is sent anywhere.
(() => {
  const MOST = 20;
  const AROUND = 90; // characters shown on each side of the first word found
  const base = new URL(".", document.currentScript.src);
  const form = document.getElementById("search");
  const query = document.getElementById("query");
  const results = document.getElementById("results");
  const article = document.querySelector("article");
  let index = null;

  form.hidden = false;
  query.addEventListener("focus", load, { once: true });
  query.addEventListener("input", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    results.querySelector("a")?.click();
  });
  // Wide windows have the contents beside the text, also in browsers that cannot show a closed one.
  const contents = document.querySelector(".contents");
  if (matchMedia("(min-width: 60.01rem)").matches) contents.open = true;

  // A script instead of a request, so that the pages also work where they are opened as files.
  function load() {
    const script = document.createElement("script");
    script.src = new URL("search-index.js", base);
    script.addEventListener("load", () => {
      index = window.searchIndex.map(([url, page, heading, text]) => ({
        url, page, heading, text, title: `${page} ${heading}`.toLowerCase(), low: text.toLowerCase(),
      }));
      show();
    });
    document.head.append(script);
  }

  function show() {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    results.hidden = !words.length;
    article.hidden = words.length > 0;
    if (!words.length) return;
    if (!index) return results.replaceChildren(element("p", "Loading the index …"));
    const found = index.map((entry) => ({ entry, weight: weigh(entry, words) })).filter(({ weight }) => weight > 0);
    found.sort((a, b) => b.weight - a.weight);
    const list = element("ol");
    for (const { entry } of found.slice(0, MOST)) list.append(describe(entry, words));
    const count = found.length === 1 ? "1 section" : `${found.length} sections`;
    results.replaceChildren(element("h1", `${count} found`), list);
  }

  // Every word must be there; one in a heading counts more, and one that begins there counts most.
  function weigh({ title, low }, words) {
    let sum = 0;
    for (const word of words) {
      const inTitle = title.indexOf(word);
      const times = low.split(word).length - 1;
      if (inTitle < 0 && !times) return 0;
      sum += (inTitle < 0 ? 0 : inTitle === 0 || /\W/.test(title[inTitle - 1]) ? 20 : 8) + Math.min(times, 5);
    }
    return sum;
  }

  function describe({ url, page, heading, text, low }, words) {
    const item = element("li");
    const link = element("a", heading && heading !== page ? `${page}: ${heading}` : page);
    link.href = new URL(url, base);
    link.addEventListener("click", () => { query.value = ""; show(); });
    const found = Math.min(...words.map((word) => low.indexOf(word)).filter((at) => at >= 0), text.length);
    const first = found > AROUND ? text.indexOf(" ", found - AROUND) + 1 : 0;
    const piece = text.slice(first, first + 2 * AROUND);
    item.append(link, element("p", `${first ? "… " : ""}${piece}${first + piece.length < text.length ? " …" : ""}`));
    return item;
  }

  function element(name, text = "") {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  }
})();
