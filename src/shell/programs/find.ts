import { deletes, type ProgramFinding, reads, runsProgram, writes } from "../finding.ts";
import type { ShellWord } from "../options.ts";

/** `find` runs, deletes and writes; `{}` is something below the folders it searches. */
export function find(args: readonly ShellWord[]): readonly ProgramFinding[] {
  const start = args.findIndex((arg) => arg !== null && /^[-(!]/.test(arg) && !/^-([HLP]|O\d?|D)$/.test(arg));
  const expression = start === -1 ? [] : args.slice(start);
  const named = args.slice(0, start === -1 ? args.length : start).filter((arg) => arg === null || !/^-/.test(arg));
  const roots = named.length > 0 ? named : ["."];
  const narrowed = expression.some((word, i) => word !== null && NARROWS.test(word) && expression[i + 1] !== "*");
  const found: ProgramFinding[] = roots.map(reads);
  for (let i = 0; i < expression.length; i++) {
    const word = expression[i]!;
    if (word === null) continue;
    if (EXECUTES.test(word)) {
      const end = expression.findIndex((next, n) => n > i && (next === ";" || (next === "+" && expression[n - 1] === "{}")));
      const command = expression.slice(i + 1, end === -1 ? undefined : end);
      for (const root of roots)
        found.push(
          ...runsProgram(
            command.map((arg) => filled(arg, root, narrowed)),
            `find ${word}`,
          ),
        );
      i = end === -1 ? expression.length : end;
    } else if (word === "-delete") found.push(...roots.map((root) => deletes(filled("{}", root, narrowed), true)));
    else if (/^-f(print0?|printf|ls)$/.test(word)) found.push(writes(expression[i + 1] ?? null));
  }
  return found;
}

const EXECUTES = /^-(exec|execdir|ok|okdir)$/;
/** Tests that leave most files out. */
const NARROWS =
  /^-(i?name|i?path|i?wholename|i?regex|i?lname|newer.*|[acm]time|[acm]min|size|empty|perm|user|group|inum|samefile|mindepth)$/;

function filled(arg: ShellWord, root: ShellWord, narrowed: boolean): ShellWord {
  if (arg === null || !arg.includes("{}")) return arg;
  if (root === null) return null;
  const place = narrowed ? `${root.replace(/\/+$/, "")}/{}` : root;
  return arg === "{}" ? place : arg.replaceAll("{}", place);
}
