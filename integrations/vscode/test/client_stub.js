// The language client's place: it starts the real server as it is told, and talks the protocol by its own library.

const { spawn } = require("node:child_process");
const { createProtocolConnection, StreamMessageReader, StreamMessageWriter } = require("vscode-languageserver-protocol/node");

const State = { Stopped: 1, Running: 2, Starting: 3 };
const clients = [];

class LanguageClient {
  constructor(id, name, server, options) {
    Object.assign(this, { id, name, server, options, state: State.Stopped, documents: [], listeners: [] });
    clients.push(this);
  }

  onDidChangeState(listener) {
    this.listeners.push(listener);
  }

  move(newState) {
    this.state = newState;
    this.listeners.forEach((listener) => listener({ newState }));
  }

  async start() {
    this.process = spawn(this.server.command, this.server.args, this.server.options);
    await new Promise((resolve, reject) => this.process.once("spawn", resolve).once("error", reject));
    this.process.stderr.resume();
    this.connection = createProtocolConnection(new StreamMessageReader(this.process.stdout), new StreamMessageWriter(this.process.stdin));
    this.connection.onNotification("textDocument/publishDiagnostics", ({ uri, diagnostics }) =>
      this.options.middleware.handleDiagnostics({ toString: () => uri }, diagnostics, () => (this.diagnostics = diagnostics)),
    );
    this.connection.onRequest("window/showDocument", ({ uri }) => {
      this.documents.push(uri);
      return { success: true };
    });
    this.connection.onRequest("client/registerCapability", () => null);
    this.connection.onClose(() => this.move(State.Stopped));
    this.connection.listen();
    await this.connection.sendRequest("initialize", {
      processId: process.pid,
      rootUri: null,
      capabilities: { window: { showDocument: { support: true } } },
    });
    await this.connection.sendNotification("initialized", {});
    this.move(State.Running);
  }

  sendRequest(method, parameters) {
    return this.connection.sendRequest(method, parameters);
  }

  async stop() {
    if (this.state !== State.Running) {
      throw new Error("not running");
    }
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    await this.connection.sendRequest("shutdown");
    await this.connection.sendNotification("exit");
    await ended;
  }
}

module.exports = { LanguageClient, State, clients };
