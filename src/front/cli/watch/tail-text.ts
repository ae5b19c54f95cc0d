import { answeredWords, type Question } from "../../../core/event.ts";
import { answerCommand } from "../../../question/flags.ts";
import type { LiveLine, OpenLiveSource } from "../../../runtime/live/live-source.ts";
import { record } from "../../../text/json.ts";
import { oneLine } from "../../../text/visible.ts";
import { duration } from "../../../text/words.ts";
import type { Colors } from "../terminal/terminal.ts";

/** What a process said, as lines for a person; empty for what is not worth one. Null: the process is gone. */
export type TailText = (pid: number, line: LiveLine | null) => string;

const LONGEST_ARGS = 160;
/** The questions that are remembered, to name the tool when they end. */
const MOST_ASKED = 500;

export function createTailText(colors: Colors): TailText {
  const tools = new Map<string, string>();
  const asked = (pid: number, { call_id, question }: Pick<Extract<LiveLine, { type: "question" }>, "call_id" | "question">) => {
    if (tools.size > MOST_ASKED) tools.clear();
    tools.set(call_id, question.tool);
    return tailQuestion(pid, { ...question, call_id }, colors);
  };
  return (pid, line) => {
    const said = (text: string) => `${colors.dim(clock())}  ${pid}  ${text}\n`;
    if (line === null) return said("ended");
    switch (line.type) {
      case "hello":
        return [...line.runs.map((run) => said(runText(run))), ...line.questions.map((one) => asked(pid, one))].join("");
      case "run":
        return said(runText(line));
      case "event":
        return eventText(line.event, colors).map(said).join("");
      case "question":
        return asked(pid, line);
      case "question_end": {
        const about = `the question about ${tools.get(line.call_id) ?? "a call"}`;
        tools.delete(line.call_id);
        return said(line.answered ? `${about}: ${answeredWords(line.answered)}` : `${about} is not open any more`);
      }
      case "refused":
        return said(`says nothing: ${line.why}`);
      default:
        return "";
    }
  };
}

type Run = ReturnType<OpenLiveSource["runs"]>[number];

/** `4711  chat in /home/ada/app, claude-sonnet-5, 2 calls under way` */
export const runLine = (run: Run): string => `${run.pid}  ${runText(run)}`;

function runText({
  kind,
  workspace,
  model,
  calls,
}: Pick<Run, "kind" | "workspace" | "model"> & { readonly calls: readonly unknown[] }): string {
  const under = calls.length === 0 ? [] : [calls.length === 1 ? "1 call under way" : `${calls.length} calls under way`];
  return oneLine([`${kind} in ${workspace}`, ...(model === undefined ? [] : [model]), ...under].join(", "));
}

export function tailQuestion(pid: number | null, question: Question, { bold, dim }: Colors): string {
  const { tool, wants, args, why, caller } = question;
  const who = caller === undefined ? "" : ` for ${caller}`;
  const heading = oneLine(wants ?? `${tool} needs a yes${who}: ${argsText(args)}`, 2 * LONGEST_ARGS);
  const lines = [...why.map((one) => dim(oneLine(one))), `Answer with: ${answerCommand(question)}`];
  return `${dim(clock())}  ${pid ?? "left for later"}  ${bold(heading)}\n${lines.map((line) => `          ${line}\n`).join("")}`;
}

/** Calls as they begin and end, and what went wrong. */
function eventText(event: Readonly<Record<string, unknown>>, { dim, red, yellow }: Colors): string[] {
  const { type, tool, args } = event;
  switch (type) {
    case "tool_start":
      return [oneLine(`${tool} ${argsText(args)}`)];
    case "tool_end": {
      const { ok, exit_code, duration_ms, error } = event;
      const how =
        ok === true
          ? exit_code === undefined || exit_code === 0
            ? "ok"
            : yellow(`exit ${exit_code}`)
          : red(oneLine(reasonIn(error), 200));
      return [`${oneLine(String(tool))}: ${how}${typeof duration_ms === "number" ? dim(`, ${duration(duration_ms)}`) : ""}`];
    }
    case "warning":
      return [yellow(oneLine(`warning: ${event.message}`))];
    case "done":
      return [dim(`the turn ended: ${event.why}`)];
    default:
      return [];
  }
}

const reasonIn = (error: unknown): string => {
  const { category, message } = record(error);
  return `${category ?? "failed"}${message === undefined ? "" : `: ${message}`}`;
};

/** What matters most of the arguments: a command or a path; else all of them. */
function argsText(args: unknown): string {
  const { command, path } = record(args);
  const main = [command, path].find((one) => typeof one === "string") as string | undefined;
  return oneLine(main ?? JSON.stringify(args) ?? "", LONGEST_ARGS);
}

const clock = (): string => new Date(Date.now() - new Date().getTimezoneOffset() * 60_000).toISOString().slice(11, 19);
