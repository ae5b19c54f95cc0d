import type { Ran } from "../core/shell.ts";
import type { ToolOutput } from "../core/tool.ts";

/** What a command left, as the model reads it: its output, and after it what is worth knowing about how it ended. */
export function ranOutput(ran: Ran): ToolOutput {
  const notes = [
    ...(ran.exitCode === 0 ? [] : [`exit code ${ran.exitCode}${ran.signal ? ` (${ran.signal})` : ""}`]),
    ...(ran.rollback ? [ran.rollback] : []),
    ...(ran.hint ? [ran.hint] : []),
    ...ran.notes,
  ];
  const body = ran.text.replace(/\n+$/, "");
  const text = [body, ...notes.map((note) => `[${note}]`)].filter((part) => part !== "").join("\n");
  return {
    text: text || "(no output)",
    raw: {
      stdout: ran.stdout,
      stderr: ran.stderr,
      exit_code: ran.exitCode,
      ...(ran.signal && { signal: ran.signal }),
      truncated: ran.truncated,
    },
    exitCode: ran.exitCode,
    truncated: ran.truncated,
    walls: ran.walls,
  };
}
