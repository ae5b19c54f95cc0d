import type { Ran } from "../../core/ports/shell.ts";
import { MOST_FINDINGS } from "../../diagnostics/finding.ts";
import { plural } from "../../text/words.ts";
import { clean } from "./collect.ts";

interface Read {
  readonly findings: number;
  readonly garbage: number;
  /** Seconds. */
  readonly timeout: number;
}

/** What a reader of the findings should know about how they came about. */
export function warningsOf(name: string, ran: Ran, { findings, garbage, timeout }: Read): string[] {
  return [
    ...(ran.ended === "time limit"
      ? [`${name} was killed at its time limit (${timeout} s, tools.shell.timeout); findings may be missing. Calling again may get further`]
      : []),
    ...(ran.truncated ? [`${name} printed too much to keep (tools.shell.max_output_bytes); findings may be missing`] : []),
    ...(findings >= MOST_FINDINGS ? [`only the first ${findings} findings of ${name} were read`] : []),
    ...(garbage > 0 ? [`${plural(garbage, "line")} of what ${name} printed could not be understood`] : []),
    ...(ran.exitCode !== 0 && findings === 0 && ran.ended === "by itself" ? [failed(name, ran)] : []),
    ...ran.notes,
  ];
}

function failed(name: string, { exitCode, stderr, stdout, hint }: Ran): string {
  const said = telling(stderr) ?? telling(stdout);
  return `${name} ended with exit code ${exitCode} and no findings${said === null ? "" : `: ${said}`}${hint === undefined ? "" : ` (${hint})`}`;
}

/** The line that says most about a failure. */
function telling(text: string): string | null {
  const lines = text
    .slice(0, 20_000)
    .split("\n")
    .map((line) => clean(line).slice(0, 300))
    .filter((line) => line !== "");
  return lines.find((line) => /error|cannot|could not|not found|no such|denied|invalid|unknown|missing/i.test(line)) ?? lines[0] ?? null;
}
