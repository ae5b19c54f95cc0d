import { readFileSync } from "node:fs";
import { isWithin, parentOf } from "../../../text/path.ts";

/** A list of mounts for `zeph-run enter`, which compares it with what bubblewrap mounted (native/zeph-audit.c). */
export function mountRecords(
  words: readonly string[],
  identity: (path: string) => string | null | undefined,
  hostMounts = readMounts(),
): Buffer {
  const steps = readSteps(words);
  const judged = new Map<string, string>();
  const others: string[] = ["ANY /"];
  for (const [n, step] of steps.entries()) {
    const { target } = step;
    if (step.kind === "start" && step.is !== undefined) others.push(`FOLDER ${step.is} ${target}`);
    if (step.kind === "kernel") others.push(`BELOW ${target}`);
    const mask = step.at === undefined ? null : (identity(parentOf(target)) ?? null);
    if (mask !== null) others.push(`FOLDER ${mask} ${parentOf(target)}`);
    // A wall that hides has to be there; any other mount is only allowed to.
    if (step.kind === "folder" || step.at !== undefined) others.push(`${step.at === undefined ? "ANY" : "ONE"} ${target}`);
    if (step.kind !== "bind" || step.at !== undefined) continue;
    // A recursive bind brings along what is mounted below its source.
    for (const path of hostMounts)
      if (path !== step.source && isWithin(step.source, path)) others.push(`ANY ${target}${path.slice(step.source.length)}`);
    const isCovered = steps
      .slice(n + 1)
      .some((later) => later.kind !== "start" && later.target !== target && isWithin(later.target, target));
    if (step.is === undefined || isCovered || judged.has(target)) others.push(`ANY ${target}`);
    if (step.is === undefined || isCovered) continue;
    // A folder that was made for a single file is none that was judged.
    const isFolderShown = steps.slice(0, n).some(({ kind, target: shown }) => kind === "bind" && isWithin(shown, parentOf(target)));
    const identities = step.in !== undefined && isFolderShown ? `${step.is}:${step.in}` : step.is;
    judged.set(target, `${step.isClosed ? "READONLY" : "WRITABLE"} ${identities} ${target}`);
  }
  return Buffer.from([...judged.values(), ...others].map((record) => `${record}\0`).join(""));
}

/** The words for bubblewrap itself, which knows nothing of identities. */
export const withoutIdentities = (words: readonly string[]): string[] =>
  words.filter((word, n) => word !== "--no-links" && !IDENTITY.has(word) && !IDENTITY.has(words[n - 1] ?? ""));

const IDENTITY: ReadonlySet<string> = new Set(["--is", "--at", "--in"]);

interface Step {
  readonly kind: "bind" | "folder" | "kernel" | "start";
  readonly target: string;
  readonly source: string;
  readonly isClosed: boolean;
  readonly is?: string | undefined;
  readonly at?: string | undefined;
  readonly in?: string | undefined;
}

function readSteps(words: readonly string[]): Step[] {
  const steps: Step[] = [];
  let is: string | undefined;
  let at: string | undefined;
  let folder: string | undefined;
  for (let n = 0; n < words.length; n++) {
    const [word, first = "", second = ""] = words.slice(n, n + 3);
    if (word === "--is") is = first;
    if (word === "--at") at = first;
    if (word === "--in") folder = first;
    if (word === "--bind" || word === "--ro-bind")
      steps.push({ kind: "bind", source: first, target: second, isClosed: word === "--ro-bind", is, at, in: folder });
    if (word === "--tmpfs") steps.push({ kind: "folder", source: "", target: first, isClosed: false, at });
    if (word === "--proc" || word === "--dev") steps.push({ kind: "kernel", source: "", target: first, isClosed: false });
    if (word === "--chdir") steps.push({ kind: "start", source: "", target: first, isClosed: false, is });
    n += ARGUMENTS[word ?? ""] ?? 0;
    if (word !== "--no-links" && !IDENTITY.has(word ?? "")) is = at = folder = undefined;
  }
  return steps;
}

const ARGUMENTS: Readonly<Record<string, number>> = {
  ...{ "--is": 1, "--at": 1, "--in": 1, "--bind": 2, "--ro-bind": 2, "--symlink": 2, "--setenv": 2, "--tmpfs": 1, "--proc": 1, "--dev": 1 },
  ...{ "--dir": 1, "--size": 1, "--perms": 1, "--remount-ro": 1, "--chdir": 1, "--hostname": 1, "--cap-drop": 1 },
};

/** Where something is mounted on this machine. */
const readMounts = (): string[] =>
  readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .flatMap((line) => {
      const path = line.split(" ")[4];
      return path === undefined ? [] : [path.replace(/\\([0-3][0-7]{2})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)))];
    });
