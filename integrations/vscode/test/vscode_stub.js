// As much of the editor as the extension touches; what it does there is kept for the tests.

const state = { editor: undefined, settings: {}, shown: [], commands: {}, listeners: {}, item: { visible: false } };
const on = (name) => (listener) => {
  state.listeners[name] = listener;
  return { dispose() {} };
};
const makeItem = (id, alignment, priority) =>
  Object.assign(state.item, {
    id, alignment, priority,
    show: () => (state.item.visible = true),
    hide: () => (state.item.visible = false),
    dispose() {},
  });

module.exports = {
  state,
  StatusBarAlignment: { Right: 2 },
  commands: {
    registerCommand: (name, run) => {
      state.commands[name] = run;
      return { dispose() {} };
    },
  },
  window: {
    createStatusBarItem: makeItem,
    get activeTextEditor() {
      return state.editor;
    },
    onDidChangeActiveTextEditor: on("editor"),
    showErrorMessage: async (text) => void state.shown.push(text),
    showInformationMessage: async (text) => void state.shown.push(text),
  },
  workspace: {
    onDidChangeConfiguration: on("configuration"),
    getConfiguration: () => ({
      get: (name) => state.settings[name],
      inspect: (name) => ({ defaultValue: name === "path" ? "steelyard" : undefined, globalValue: state.settings[`global.${name}`] }),
    }),
  },
};
