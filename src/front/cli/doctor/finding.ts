import { visible } from "../../../text/visible.ts";
import { wrap } from "../../../text/width/columns.ts";
import type { Colors } from "../terminal/terminal.ts";

/** One line of what the doctor found. */
export interface DoctorFinding {
  readonly about: string;
  readonly state: "ok" | "warn" | "fail";
  readonly text: string;
  /** What to do about it. */
  readonly todo?: string;
}

export const okLine = (about: string, text: string): DoctorFinding => ({ about, state: "ok", text });
export const warnLine = (about: string, text: string, todo: string): DoctorFinding => ({ about, state: "warn", text, todo });
export const failLine = (about: string, text: string, todo: string): DoctorFinding => ({ about, state: "fail", text, todo });

/** A line for each, with what to do below it. */
export function findingLines(findings: readonly DoctorFinding[], out: Colors, width: number): string {
  const mark = { ok: out.green("ok  "), warn: out.yellow("warn"), fail: out.red("fail") };
  const indent = " ".repeat(15);
  const lines = (text: string) => (Number.isFinite(width) ? wrap(text, width - indent.length) : text);
  const hang = (text: string) => lines(visible(text)).replaceAll("\n", `\n${indent}`);
  return findings
    .map(
      ({ about, state, text, todo }) =>
        `${mark[state]} ${about.padEnd(9)} ${hang(text)}\n${todo === undefined ? "" : `${indent}${hang(todo)}\n`}`,
    )
    .join("");
}
