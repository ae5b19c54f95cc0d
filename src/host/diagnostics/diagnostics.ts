import { existsSync } from "node:fs";
import type { ApprovedCall } from "../../core/door.ts";
import { fromErrno, ToolError } from "../../core/error.ts";
import type { Diagnosed, Diagnostics, DiagnosticsKind } from "../../core/ports/diagnostics.ts";
import type { Ran } from "../../core/ports/shell.ts";
import type { TurnContext } from "../../core/turn.ts";
import { display } from "../../text/path.ts";
import { quoteShell } from "../../text/quote-shell.ts";
import type { PathRules } from "../files/paths.ts";
import { judgePath } from "../files/pin.ts";
import type { LocalShell } from "../shell/shell.ts";
import { CHECKERS, type Checker, type CheckerRun } from "./checkers.ts";
import { type Batch, collect } from "./collect.ts";
import type { DiagnosticsConfig } from "./config.ts";
import { type Folder, findProjectPlace, foldersBelow, type ProjectPlace } from "./project.ts";
import { warningsOf } from "./words.ts";

export interface DiagnosticsOptions {
  readonly rules: PathRules;
  readonly config: DiagnosticsConfig;
  readonly exec: LocalShell["exec"];
  /** Seconds that one program may take: `tools.shell.timeout`. */
  readonly timeout: number;
  /** Why bash would refuse this command, or would have to ask about it; null when it may simply run. */
  readonly forbids: (command: string, turn: TurnContext) => string | null | Promise<string | null>;
}

/** The project's compilers and linters, found by its files, run behind the walls, told in one format. */
export function createLocalDiagnostics(options: DiagnosticsOptions): Diagnostics {
  const { rules, config } = options;
  return {
    async check(permit, { kind, path, max }, { signal, turn }) {
      const target = existing(rules, path ?? ".");
      const place = findProjectPlace(rules, target);
      const found = CHECKERS.filter((checker) => checker.kind === kind).flatMap((checker) => {
        const folder = place.folders.find(checker.uses);
        return folder ? [{ checker, folder }] : [];
      });
      const reports = await allEnded(found.map((one) => report(options, { permit, signal, turn, place, ...one })));
      signal.throwIfAborted();
      const most = Math.min(max ?? config.max_diagnostics, config.max_diagnostics);
      const { warnings, ...collected } = await collect(
        reports.flatMap(({ batches }) => batches),
        { rules, within: path === null ? null : target, max: most, signal },
      );
      const walls = reports.find((one) => one.walls)?.walls;
      return {
        ...collected,
        tools: reports.flatMap(({ tool }) => (tool ? [tool] : [])),
        warnings: [
          ...new Set([...reports.flatMap((one) => one.warnings), ...(found.length === 0 ? nothing(rules, kind, place) : []), ...warnings]),
        ].slice(0, MOST_WARNINGS),
        ...(walls && { walls }),
      };
    },
  };
}

/** As `Promise.all`, but a failure is told only when nothing runs any more. */
async function allEnded<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

const MOST_WARNINGS = 20;

interface Job {
  readonly permit: ApprovedCall;
  readonly signal: AbortSignal;
  readonly turn: TurnContext;
  readonly place: ProjectPlace;
  readonly checker: Checker;
  readonly folder: Folder;
}
interface Report {
  readonly tool: Diagnosed["tools"][number] | null;
  readonly batches: readonly Batch[];
  readonly warnings: readonly string[];
  readonly walls?: Ran["walls"];
}

/** One program to its end, also when that takes several runs: they share its time. */
async function report(options: DiagnosticsOptions, { permit, signal, turn, place, checker, folder }: Job): Promise<Report> {
  const { steps, warnings: planned } = checker.plan(folder, place);
  const batches: Batch[] = [];
  const warnings: string[] = [...planned];
  const started = performance.now();
  let last: Ran | null = null;
  let exitCode = 0;
  for (const [n, step] of steps.entries()) {
    const left = options.timeout * 1000 - (performance.now() - started);
    if (n > 0 && left < 100) {
      warnings.push(`${checker.name}: the time was up after ${n} of ${steps.length} files`);
      break;
    }
    const answer = await attempt(options, checker.name, step, { permit, signal, turn, left, own: step.cwd === folder.path });
    if (typeof answer === "string") {
      warnings.push(answer);
      continue;
    }
    last = answer;
    exitCode = Math.max(exitCode, answer.exitCode);
    const { findings, garbage } = checker.parse(answer);
    batches.push({ source: checker.name, folder: step.cwd, findings });
    warnings.push(...warningsOf(checker.name, answer, { findings: findings.length, garbage, timeout: options.timeout }));
    if (answer.ended === "time limit") break;
  }
  const ms = Math.round(performance.now() - started);
  return { tool: last && { name: checker.name, exit_code: exitCode, ms }, batches, warnings, ...(last && { walls: last.walls }) };
}

/** One run, or why there was none. A wall that refuses is an error; a program that is not there is not, nor a folder that a file of the project names. */
async function attempt(
  { exec, forbids }: DiagnosticsOptions,
  name: string,
  { argv, cwd }: CheckerRun,
  { permit, signal, turn, left, own }: Pick<Job, "permit" | "signal" | "turn"> & { left: number; own: boolean },
): Promise<Ran | string> {
  const forbidden = await forbids(argv.map(quoteShell).join(" "), turn);
  if (forbidden !== null) return `${name} was not run: ${forbidden}`;
  try {
    const ran = await exec(permit, { argv, cwd, env: ENV, timeoutMs: left }, signal);
    if (ran?.ended === "cancelled") throw new ToolError("cancelled", "The call was cancelled.");
    return (
      ran ?? `${argv[0]} was not found where commands look for programs, so ${name} did not run; tools.sandbox.toolchains adds folders`
    );
  } catch (error) {
    const isTold = error instanceof ToolError && (error.category === "permanent_failure" || (error.category === "policy_blocked" && !own));
    if (isTold) return `${name} did not run: ${error.message}`;
    throw error;
  }
}

/** There is no progress bar to draw here, and nothing can be fetched. */
const ENV = { NO_COLOR: "1", CARGO_TERM_COLOR: "never", CARGO_TERM_PROGRESS_WHEN: "never", CARGO_NET_RETRY: "0", GOTOOLCHAIN: "local" };

/** The path a call is about, judged by the rules of the file tools. */
function existing(rules: PathRules, path: string): string {
  const target = judgePath(rules, { kind: "path", access: "read", path });
  if (existsSync(target)) return target;
  throw fromErrno(Object.assign(new Error(), { code: "ENOENT" }), display(target, rules.cwd))!;
}

/** Why nothing was run, and what would be. */
function nothing(rules: PathRules, kind: DiagnosticsKind, place: ProjectPlace): string[] {
  const uses = (folder: Folder) => CHECKERS.filter((checker) => checker.uses(folder));
  const start = place.folders[0]!;
  const others = [...new Set(place.folders.flatMap(uses).map(({ name }) => name))];
  const below = foldersBelow(rules, start.path, (folder) => uses(folder).some((checker) => checker.kind === kind));
  const files = [...new Set(CHECKERS.filter((checker) => checker.kind === kind).map((checker) => checker.files))];
  return [
    `${display(start.path, rules.cwd)} and the folders above it, up to the workspace, have no project file that is known for "${kind}": ${files.join("; ")}`,
    ...(others.length > 0 ? [`kind "${kind === "check" ? "lint" : "check"}" would run ${others.join(", ")}`] : []),
    ...(below.length > 0
      ? [
          `such files lie in ${below
            .slice(0, 5)
            .map((path) => display(path, rules.cwd))
            .join(", ")}: give one of them as path`,
        ]
      : []),
    ...(kind === "check" && start.has("CMakeLists.txt")
      ? ["for C and C++, compile_commands.json is needed: cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON writes it, and so does bear -- make"]
      : []),
  ];
}
