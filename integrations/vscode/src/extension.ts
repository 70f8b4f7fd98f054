/** Starts `steelyard lsp`, shows the score of the page in the status bar, and explains a line. */

import * as vscode from "vscode";
import { LanguageClient, State, type LanguageClientOptions } from "vscode-languageclient/node";
import { LANGUAGES, findCommand, makeArguments } from "./settings";

interface Score {
  score: number;
  held: string | null;
  words: number;
  language: string;
  edition: string;
  failures: string[];
  findings: number;
  scope: string;
}

let client: LanguageClient | undefined;
let item: vscode.StatusBarItem;
let asked = 0;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  item = vscode.window.createStatusBarItem("steelyard.score", vscode.StatusBarAlignment.Right, 100);
  item.name = "Steelyard";
  item.command = "steelyard.explainLine";
  context.subscriptions.push(
    item,
    vscode.commands.registerCommand("steelyard.explainLine", explainLine),
    vscode.commands.registerCommand("steelyard.restart", restart),
    vscode.window.onDidChangeActiveTextEditor(showScore),
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("steelyard") && restart()),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function restart(): Promise<void> {
  await deactivate().catch(() => undefined); // a server that has ended cannot be stopped
  await start();
}

async function start(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("steelyard");
  const command = findCommand(settings);
  const options: LanguageClientOptions = {
    documentSelector: [
      ...LANGUAGES.map((language) => ({ scheme: "file", language })),
      { scheme: "file", pattern: "**/{steelyard,pyproject}.toml" },
    ],
    middleware: {
      handleDiagnostics: (uri, diagnostics, next) => {
        next(uri, diagnostics);
        if (uri.toString() === vscode.window.activeTextEditor?.document.uri.toString()) {
          void showScore();
        }
      },
    },
  };
  // Without a shell: the command and its arguments are what they are, and the server's folder is not the opened one.
  const server = { command, args: makeArguments(settings), options: { shell: false, cwd: __dirname } };
  const started = new LanguageClient("steelyard", "Steelyard", server, options);
  client = started;
  started.onDidChangeState((event) => event.newState === State.Stopped && client === started && item.hide());
  try {
    await started.start();
  } catch (error) {
    item.hide();
    const advice = `install it with pip install 'steelyard[lsp,html]', or name it in the setting steelyard.path`;
    void vscode.window.showErrorMessage(`Steelyard: ${command} cannot be started (${error}); ${advice}`);
  }
}

function pageInFront(): vscode.TextDocument | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document?.uri.scheme === "file" && LANGUAGES.includes(document.languageId) ? document : undefined;
}

async function ask<T>(command: string, ...words: unknown[]): Promise<T | null> {
  if (client?.state !== State.Running) {
    return null;
  }
  return client.sendRequest<T | null>("workspace/executeCommand", { command, arguments: words });
}

async function showScore(): Promise<void> {
  const document = pageInFront();
  const number = ++asked;
  const score = document && (await ask<Score>("steelyard.score", document.uri.toString()).catch(() => null));
  if (number !== asked) {
    return; // another page is in front by now
  }
  if (!score) {
    item.hide();
    return;
  }
  item.text = `$(${score.failures.length ? "warning" : "law"}) ${score.score.toFixed(1)}`;
  const facts = `edition ${score.edition}, ${score.words} words, language ${score.language}; to improve: ${score.findings}`;
  item.tooltip = [`Steelyard: ${score.held ?? score.score.toFixed(1)} of 100, ${score.scope}`, facts, ...score.failures].join("\n");
  item.show();
}

async function explainLine(): Promise<void> {
  const document = pageInFront();
  const line = vscode.window.activeTextEditor?.selection.active.line;
  if (!document || line === undefined) {
    void vscode.window.showInformationMessage("Steelyard: open a Markdown, text or HTML file");
    return;
  }
  try {
    await ask("steelyard.line", document.uri.toString(), line + 1);
  } catch {
    void vscode.window.showInformationMessage("Steelyard: this page is not scored; its first line says why");
  }
}
