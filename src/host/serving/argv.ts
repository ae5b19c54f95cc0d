import { ToolError } from "../../core/error.ts";
import type { ServedProgram } from "../../core/ports/served.ts";

/** What stands for the workspace in the words and variables of a program, and for the folder that is kept for it. */
const WORKSPACE = `\${WORKSPACE}`;
const DATA = `\${DATA}`;

/**
 * The program with the workspace's path where it was asked for. It starts in an empty folder, so a path that is relative leads
 * nowhere; it used to lead into whatever folder somebody opened. It is refused rather than left to fail in other words.
 */
export function withWorkspacePaths(program: ServedProgram, workspace: string, data: string | null): ServedProgram {
  const [command, ...args] = program.argv;
  if (data === null && [...args, ...Object.values(program.env)].some((text) => text.includes(DATA)))
    throw new ToolError(
      "policy_blocked",
      `No folder can be kept for ${command} here, so ${DATA} leads nowhere. Give the path of a folder.`,
    );
  const put = (text: string) => text.replaceAll(WORKSPACE, () => workspace).replaceAll(DATA, () => data ?? "");
  if (command.includes("/") && !command.startsWith("/")) throw relative(command, "Give its absolute path.");
  const lost = args.find(isRelative);
  if (lost !== undefined) throw relative(lost, `Give an absolute path, or ${WORKSPACE}/… for a file of the workspace.`);
  return {
    ...program,
    argv: [command, ...args.map(put)],
    env: Object.fromEntries(Object.entries(program.env).map(([name, text]) => [name, put(text)])),
  };
}

/** `./x`, `../x`, `~/x`, `--option=./x`, or a script in a folder. A slash alone says little: packages, addresses and images have one. */
function isRelative(word: string): boolean {
  const path = /^--?[\w.-]+=(.*)$/s.exec(word)?.[1] ?? word;
  if (/^(?:\.{1,2}|~)(?:\/|$)/.test(path)) return true;
  return word === path && /^[^-@/$\s:][^\s:]*\/[^\s:/]*\.(?:[cm]?[jt]sx?|py|rb|sh|pl|php|lua|jar)$/.test(path);
}

const relative = (path: string, what: string): ToolError =>
  new ToolError("policy_blocked", `"${path}" is relative, and a server does not start in the folder you work in. ${what}`);
