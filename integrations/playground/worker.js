// Python in a thread of its own, so that the page stays usable while it works.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const FOLDER = "/packages";
const packages = fetch(new URL("packages.zip", import.meta.url)).then((answer) => answer.arrayBuffer());

async function load() {
  postMessage({ step: 0 });
  const python = await loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href });
  postMessage({ step: 1 });
  python.unpackArchive(await packages, "zip", { extractDir: FOLDER });
  postMessage({ step: 2 });
  python.runPython(`import sys; sys.path.insert(0, "${FOLDER}")`);
  const scorer = python.pyimport("score_page");
  scorer.warm_up();
  postMessage({ step: 3 });
  prepare(scorer);
  return scorer;
}

// What a later page may need, a little at a time: a new text is answered between two calls.
function prepare(scorer) {
  isPreparing = scorer.prepare();
  if (isPreparing) setTimeout(prepare, 0, scorer);
}

let isPreparing = false;
const loaded = load();
loaded.catch((error) => postMessage({ failure: String(error) }));

self.addEventListener("message", async ({ data }) => {
  const scorer = await loaded;
  try {
    postMessage({ answer: scorer.answer(data.kind, JSON.stringify(data.fields)) });
  } catch (error) {
    postMessage({ failure: String(error) });
  }
  if (!isPreparing) prepare(scorer); // there may be a new language
});
