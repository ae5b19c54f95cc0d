import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import type { SlashCommand } from "../../../core/command.ts";
import type { ToolInfo } from "../../../runtime/create.ts";
import { visible } from "../../../text/visible.ts";
import { argumentsOf } from "./schema.ts";

const MOST = 200;

/** Completions at the cursor: a command, a tool, an argument's name, a file. As readline wants it: the choices, and what they replace. */
export function complete(line: string, commands: readonly string[], tools: readonly ToolInfo[]): [string[], string] {
  const found = /^\s*(\S+)(\s.*)?$/s.exec(line);
  const [, name = "", rest] = found ?? [];
  if (rest === undefined) return [starting(name, [...commands, ...tools.map((tool) => `${tool.name} `)]), name];
  if (name === "/judge" && /^\s+\S+\s/.test(rest)) return complete(rest.trimStart(), commands, tools);
  if (name.startsWith("/")) return [starting(lastWord(rest), [...tools.map((tool) => `${tool.name} `)]), lastWord(rest)];

  const word = lastWord(rest);
  const value = /^[A-Za-z_]\w*=(.*)$/s.exec(word);
  if (value) return [files(value[1]!).map((file) => word.slice(0, word.length - value[1]!.length) + file), word];
  const tool = tools.find((one) => one.name === name);
  const names = tool ? argumentsOf(tool.parameters).map((argument) => `${argument.name}=`) : [];
  const unused = names.filter((one) => !rest.includes(` ${one}`));
  return [[...starting(word, unused), ...files(word)], word];
}

/** The same for a message to a model: a command and what it takes, or a path, which has a slash in it or begins with @. Plain words get no offer. */
export async function completeMessage(
  line: string,
  commands: readonly string[],
  parts: readonly SlashCommand[],
  tools: readonly ToolInfo[],
  mentions: (word: string) => Promise<readonly string[]> = async () => [],
): Promise<[string[], string]> {
  if (/^\/[\w.:-]*$/.test(line)) return [starting(line, commands), line];
  const typed = /^(\/[\w-]+(?::[\w.-]+)?)\s(.*)$/s.exec(line);
  if (typed && commands.includes(typed[1]!)) {
    const part = parts.find(({ name }) => name === typed[1]);
    if (!part) return complete(line, commands, tools);
    const rest = typed[2]!.trimStart();
    return following(rest, part.complete ? await suggested(async () => part.complete!(rest)) : []);
  }
  const word = lastWord(line);
  const [, at = "", path = ""] = /^(@?)(.*)$/s.exec(word)!;
  const named = at === "" ? [] : starting(word, await suggested(() => mentions(word))).slice(0, MOST);
  if (at === "" && !path.includes("/")) return [[], line];
  return [[...named, ...files(path).map((file) => at + file)], word];
}

/** Completions of a part: the whole of what follows, or its next word. */
function following(rest: string, choices: readonly string[]): [string[], string] {
  const whole = starting(rest, choices);
  if (whole.length > 0) return [whole.slice(0, MOST), rest];
  const word = lastWord(rest);
  return [starting(word, choices).slice(0, MOST), word];
}

/** The tab key breaks nothing. */
async function suggested(ask: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return (await ask()).filter((choice) => visible(choice) === choice);
  } catch {
    return [];
  }
}

const starting = (word: string, choices: readonly string[]) => choices.filter((choice) => choice.startsWith(word));

/** From the last space that is not inside quotes. */
const lastWord = (text: string): string => /(?:[^\s"']|"[^"]*"?|'[^']*'?)*$/.exec(text)![0];

/** Names that hold quotes or control characters are left out: they could not be typed as they are. */
function files(word: string): string[] {
  const quote = /^["']/.exec(word)?.[0] ?? "";
  const typed = word.slice(quote.length);
  const folder = typed.endsWith("/") ? typed : typed.includes("/") ? `${dirname(typed)}/` : "";
  const prefix = typed.slice(typed.lastIndexOf("/") + 1);
  const shown = typed.slice(0, typed.length - prefix.length);
  return entries(folder)
    .filter(({ name }) => name.startsWith(prefix) && (prefix !== "" || !name.startsWith(".")))
    .filter(({ name }) => visible(name) === name && !/["'\n]/.test(name))
    .slice(0, MOST)
    .map(({ name, end }) => {
      const mark = name.includes(" ") ? quote || '"' : quote;
      // A folder goes on; a file is complete, and so is its quote.
      return `${mark}${shown}${name}${end}${end === "" ? mark : ""}`;
    });
}

function entries(folder: string): { name: string; end: string }[] {
  try {
    const found = readdirSync(resolve(folder.replace(/^~(?=\/)/, homedir()) || "."), { withFileTypes: true });
    return found.map((entry) => ({ name: entry.name, end: entry.isDirectory() ? "/" : "" }));
  } catch {
    // Nothing to offer; the call itself will say what is wrong with the path.
    return [];
  }
}
