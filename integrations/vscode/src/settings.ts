/** From settings to the arguments of `steelyard lsp`. A value is one argument together with its name, never a new one. */

export const LANGUAGES = ["markdown", "mdx", "plaintext", "html"];
const OPTIONS: [setting: string, option: string][] = [
  ["edition", "--edition"],
  ["language", "--language"],
  ["kind", "--kind"],
  ["minScore", "--min-score"],
];

export interface Settings {
  get<T>(name: string): T | undefined;
  inspect<T>(name: string): { defaultValue?: T; globalValue?: T } | undefined;
}

/** The program: that of the user's settings alone, since a folder that is opened must not choose what is run. */
export function findCommand(settings: Settings): string {
  const known = settings.inspect<string>("path");
  return known?.globalValue?.trim() || known?.defaultValue || "steelyard";
}

export function makeArguments(settings: Settings): string[] {
  const values = OPTIONS.map(([name, option]) => [option, settings.get<string | number | null>(name)] as const);
  const given = values.filter(([, value]) => value !== undefined && value !== null && value !== "");
  const uncertain = settings.get<boolean | null>("uncertain");
  const flag = uncertain === true ? ["--uncertain"] : uncertain === false ? ["--certain"] : [];
  return ["lsp", ...given.map(([option, value]) => `${option}=${value}`), ...flag];
}
