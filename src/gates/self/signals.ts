import { programName, readOptions } from "../../shell/options.ts";
import type { SimpleCommand } from "../../shell/understanding.ts";
import { attempt } from "../../text/attempt.ts";
import { wordSet } from "../../text/words.ts";
import type { SelfObjection, SelfParts } from "./self.ts";

const SENDERS = wordSet("kill skill pkill killall killall5 snice");
/** Take hold of a process by its number. */
const HOLDERS = wordSet("gdb lldb strace ltrace prlimit renice ionice taskset chrt perf reptyr nsenter dlv rr criu cgexec");
/** Run a text that may send a signal. */
const CODED = /^(python|pypy|node|nodejs|perl|ruby|php|lua|bun|deno|awk|gawk)[\d.]*$/;

/** Why a command could end or hold the process that judges; null when it could not. */
export function signalObjection(command: SimpleCommand, text: string, parts: SelfParts, stops: SelfObjection): SelfObjection | null {
  const [program, ...args] = command.argv;
  const name = programName(program ?? "");
  const words = args.filter((word) => word !== null);
  if (HOLDERS.has(name)) return words.some((word) => numbersIn(word).includes(parts.pid)) ? stops : null;
  if (CODED.test(name)) {
    const code = [...words, command.stdin ?? ""].join("\n");
    return /kill|signal|SIG[A-Z]/i.test(code) && numbersIn(code).includes(parts.pid) ? stops : null;
  }
  if (!SENDERS.has(name)) return null;
  if (name === "killall5" || /zeph|hookd|hook\.sock/.test(text)) return stops;
  if (name === "kill" || name === "skill" || name === "snice") {
    // To every process, or to the group of ours.
    if (words.length > 1 && words.some((word) => word === "-1" || /^[-+]?0+$/.test(word))) return stops;
    if (words.some((word) => /^[-+]?\d+$/.test(word) && Math.abs(Number(word)) === parts.pid)) return stops;
    const isOpen = args.includes(null) || words.some((word) => /[*?[]/.test(word));
    return isOpen && !/\$!|%\d/.test(command.text) ? UNKNOWN : null;
  }
  if (args.includes(null)) return UNKNOWN;
  const read = readOptions(args, "uUgGstP --signal --parent --uid --euid --user --group --session --terminal --ns --nslist");
  // Without a name it is everything of a user, a group or a terminal.
  if (read.operands.length === 0) return read.options.length > 0 ? UNKNOWN : null;
  return read.operands.some((word) => word !== null && ourNames(parts).some((ours) => isHit(word, ours))) ? stops : null;
}

const numbersIn = (text: string): readonly number[] =>
  [...text.matchAll(/(?<![\w.])0*(\d{1,10})(?![\w.])/g)].map(([, digits]) => Number(digits));

/** As a list of processes shows the one that judges. */
const ourNames = ({ root }: SelfParts): readonly string[] => [
  "node",
  "MainThread",
  "zeph",
  "hookd",
  "node zeph hookd",
  `/usr/bin/node ${root ?? "/usr/lib/node_modules/zeph"}/bin/zeph.cjs hookd`,
];

const isHit = (pattern: string, ours: string): boolean => attempt(() => new RegExp(pattern).test(ours), true);

const UNKNOWN: SelfObjection = {
  kind: "ask",
  rule: "own processes",
  why: "Which process the signal would reach is only known when the command runs, and it may be the one that judges this agent.",
};
