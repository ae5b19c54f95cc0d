import type { Replayed, ReplayTotals, Spoken } from "../../../runtime/replay/replay.ts";
import { visible } from "../../../text/visible.ts";
import { columnsOf, cutTo } from "../../../text/width/columns.ts";
import { plural } from "../../../text/words.ts";
import { argumentSummary } from "../run/ending.ts";
import { type Colors, prose, type Terminal, widthOf } from "../terminal/terminal.ts";

/** Gates that decide by facts no log holds. */
export const NOT_HEARD = ["verifiers", "adversarial", "hooks", "the sentinel's taint meter"] as const;

const TIME = 20;
const TOOL = 12;
const CHANGE = 13;
/** The columns before what is cut: the three above, each with two spaces after it. */
const FIXED = TIME + TOOL + CHANGE + 6;
const WHO = 28;
/** With less room for who decided and for the call itself these go on a line of their own. */
const LEAST = 45;

export const headText = (terminal: Terminal): string => laid(["time (UTC)", "tool", "was -> now", "decided by", "call"], terminal, "dim");

/** A past call, what was decided about it and what would be. */
export function rowText(call: Replayed, terminal: Terminal): string {
  const { ts, tool, args, was, now, flips, approximate } = call;
  const time = `${approximate ? "~" : " "}${line(ts).slice(0, 19).replace("T", " ")}`;
  // What is let in now was decided by whoever had objected.
  const who = now.verdict === "allow" ? whoText(was) : whoText(now);
  const change = flips ? `${was.verdict} -> ${now.verdict}` : was.verdict;
  return laid([time, line(tool), change, who, argumentSummary(args)], terminal, flips ? COLOURS[now.verdict] : "dim");
}

const COLOURS = { allow: "green", ask: "yellow", deny: "red" } as const;

function laid(
  [time, tool, change, who, call]: readonly [string, string, string, string, string],
  terminal: Terminal,
  colour: keyof Colors & ("dim" | "green" | "yellow" | "red"),
): string {
  const { stdout, out } = terminal;
  const first = `${pad(time, TIME)}  ${pad(stdout.isTTY ? cutTo(tool, TOOL) : tool, TOOL)}  ${out[colour](pad(change, CHANGE))}`;
  // In a pipe nothing is cut: the next program may need it whole.
  if (!stdout.isTTY) return `${first}  ${pad(who, WHO)}  ${call}\n`;
  const width = widthOf(stdout);
  const room = width - FIXED;
  if (room >= LEAST) return `${`${first}  ${pad(cutTo(who, WHO), WHO)}  ${cutTo(call, room - WHO - 2)}`.trimEnd()}\n`;
  const below = [who, call].filter((text) => text !== "").map((text) => `    ${cutTo(text, width - 4)}\n`);
  return `${first.trimEnd()}\n${below.join("")}`;
}

const pad = (text: string, columns: number): string => text + " ".repeat(Math.max(0, columns - columnsOf(text)));
const whoText = ({ gate, rule }: Spoken): string => line([gate ?? "", ...(rule === undefined ? [] : [rule])].join(": "));
const line = (text: string): string => visible(text).replace(/\s+/g, " ");

export function replayTotalsText(totals: ReplayTotals, leftOut: number, { stdout, out }: Terminal): string {
  const { calls, same, flipped, flips, notComparable, approximate, unreadable, stopped } = totals;
  const uncompared = Object.values(notComparable).reduce((sum, count) => sum + count, 0);
  const list = (counts: Readonly<Record<string, number>>) => Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  const parts = [`${same} the same`, `${flipped} ${flipped === 1 ? "flips" : "flip"}${flipped > 0 ? ` (${list(flips).join(", ")})` : ""}`];
  const reasons = Object.entries(notComparable).map(([why, count]) => `  ${String(count).padStart(5)}  ${why}`);
  const lines = [
    ...(leftOut > 0 ? [`… and ${leftOut} more; --limit shows them.`] : []),
    `${stopped ? "Stopped after " : ""}${plural(calls, "call")}: ${parts.join(", ")}, ${uncompared} not comparable.`,
    ...(reasons.length > 0 ? ["Not comparable:", ...reasons] : []),
    ...(approximate > 0
      ? [`~ ${approximate} of them ${approximate === 1 ? "is" : "are"} cut in the log, so the answer may not be exact.`]
      : []),
    ...(unreadable > 0
      ? [`${plural(unreadable, "line is not an audit entry and is", "lines are not audit entries and are")} left out.`]
      : []),
  ];
  const note = `Not asked, because no log holds what they need: ${NOT_HEARD.join(", ")}. Files, variables and walls are as they are now.`;
  return `${prose(lines.map(visible).join("\n"), stdout)}\n${out.dim(prose(note, stdout))}\n`;
}
