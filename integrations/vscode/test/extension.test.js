// The extension's own modules with the real `steelyard lsp` behind them; STEELYARD_COMMAND names it.

const assert = require("node:assert");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const { after, afterEach, test } = require("node:test");
const { fileURLToPath, pathToFileURL } = require("node:url");

const stubs = { vscode: "./vscode_stub.js", "vscode-languageclient/node": "./client_stub.js" };
const load = Module._load;
Module._load = (name, ...rest) => load(stubs[name] ? path.join(__dirname, stubs[name]) : name, ...rest);

const { state } = require("./vscode_stub.js");
const { State, clients } = require("./client_stub.js");
const extension = require("../dist/test/extension.js");
const { findCommand, makeArguments } = require("../dist/test/settings.js");
const manifest = require("../package.json");

const COMMAND = process.env.STEELYARD_COMMAND || "steelyard";
const TEXT = "# Boats\n\nBoats of oak last sixty years. Many experts agree that they are safer than steel, and studies show it.\n";
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "steelyard-vscode-"));
const page = pathToFileURL(path.join(folder, "page.md")).toString();
fs.writeFileSync(path.join(folder, "steelyard.toml"), "uncertain = true\n");

const settingsOf = (values, inspected = {}) => ({ get: (name) => values[name], inspect: (name) => inspected[name] });
const document = (uri, languageId = "markdown") => ({ uri: { scheme: uri.split(":")[0], toString: () => uri }, languageId });
const show = (uri, line = 0, languageId) => {
  state.editor = { document: document(uri, languageId), selection: { active: { line } } };
};
const until = async (happened) => {
  for (const end = Date.now() + 60_000; !happened(); ) {
    assert.ok(Date.now() < end, "nothing happened for a minute");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

async function activate(settings = {}) {
  state.settings = { "global.path": COMMAND, ...settings };
  await extension.activate({ subscriptions: [] });
  return clients.at(-1);
}

async function open(client, text = TEXT) {
  show(page);
  const item = { uri: page, languageId: "markdown", version: 1, text };
  await client.connection.sendNotification("textDocument/didOpen", { textDocument: item });
}

afterEach(async () => {
  await extension.deactivate().catch(() => undefined);
  Object.assign(state, { editor: undefined, shown: [] });
  state.item.visible = false;
});
after(() => fs.rmSync(folder, { recursive: true }));

test("settings become arguments, one each, whatever is in them", () => {
  assert.deepStrictEqual(makeArguments(settingsOf({})), ["lsp"]);
  const given = { edition: "2026", language: "", kind: "x --stdio; rm -rf ~", minScore: 0, uncertain: false };
  assert.deepStrictEqual(makeArguments(settingsOf(given)), [
    "lsp", "--edition=2026", "--kind=x --stdio; rm -rf ~", "--min-score=0", "--certain",
  ]);
});

test("a folder never chooses the program", () => {
  const inspected = { path: { defaultValue: "steelyard", workspaceValue: "/tmp/evil", workspaceFolderValue: "/tmp/evil" } };
  assert.strictEqual(findCommand(settingsOf({ path: "/tmp/evil" }, inspected)), "steelyard");
  inspected.path.globalValue = " /opt/steelyard ";
  assert.strictEqual(findCommand(settingsOf({ path: "/tmp/evil" }, inspected)), "/opt/steelyard");
  assert.strictEqual(manifest.contributes.configuration.properties["steelyard.path"].scope, "machine");
  assert.strictEqual(manifest.capabilities.untrustedWorkspaces.supported, "limited");
  assert.ok(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes("steelyard.path"));
});

test("every command and setting of the manifest is there", async () => {
  await activate();
  assert.deepStrictEqual(Object.keys(state.commands).sort(), manifest.contributes.commands.map((c) => c.command).sort());
  const source = fs.readFileSync(path.join(__dirname, "../src/settings.ts"), "utf8");
  for (const name of Object.keys(manifest.contributes.configuration.properties)) {
    assert.ok(name.startsWith("steelyard.trace.") || source.includes(`"${name.slice("steelyard.".length)}"`), name);
  }
});

test("the score of the page in front is in the status bar, without a shell and outside the folder", async () => {
  const client = await activate();
  assert.strictEqual(client.server.options.shell, false);
  assert.ok(!client.server.options.cwd.startsWith(folder));
  await open(client);
  await until(() => state.item.visible);
  assert.match(state.item.text, /^\$\(law\) \d+\.\d$/);
  assert.match(state.item.tooltip, /of 100, text quality, not a forecast of citations/);
  show("file:///program.py", 0, "python");
  await state.listeners.editor();
  assert.strictEqual(state.item.visible, false);
});

test("settings reach the server, and a page that fails says so", async () => {
  const client = await activate({ minScore: 99, edition: "2026", language: "en" });
  await open(client);
  await until(() => state.item.visible);
  assert.match(state.item.text, /^\$\(warning\)/);
  assert.match(state.item.tooltip, /edition 2026[^]*is below 99/);
});

test("a line is explained in a document", async () => {
  const client = await activate();
  await open(client);
  await until(() => client.diagnostics?.some((found) => found.code === "citation_f1"));
  show(page, 2);
  await state.commands["steelyard.explainLine"]();
  const shown = fs.readFileSync(fileURLToPath(client.documents.at(-1)), "utf8");
  assert.match(shown, /^line 3: \d+ to improve/);
  assert.match(shown, /citation_f1: /);
  assert.match(shown, /counted on this line:/);
  show("untitled:1");
  await state.commands["steelyard.explainLine"]();
  assert.match(state.shown.at(-1), /open a Markdown, text or HTML file/);
});

test("a changed setting starts the server again", async () => {
  const first = await activate();
  state.settings.edition = "2026";
  await state.listeners.configuration({ affectsConfiguration: (name) => name === "steelyard" });
  const second = clients.at(-1);
  assert.notStrictEqual(second, first);
  assert.strictEqual(first.process.exitCode, 0);
  assert.ok(second.server.args.includes("--edition=2026"));
  assert.strictEqual(second.state, State.Running);
});

test("a command that is missing is named, with what to do", async () => {
  await activate({ "global.path": path.join(folder, "absent") });
  assert.match(state.shown[0], /absent cannot be started .* pip install 'steelyard\[lsp,html\]', or name it in the setting steelyard\.path/);
});
