import { describe, expect, it } from "vitest";
import type { AskedQuestion } from "./question-queue.ts";
import { questionWindow } from "./question-window.ts";
import { chooseTheme } from "./theme.ts";

const theme = chooseTheme({ LANG: "C.UTF-8" }, "none");
const LINES = Array.from({ length: 60 }, (_, n) => `row ${n} of it`);

const asked = (state: AskedQuestion["state"] = "armed"): AskedQuestion => ({
  question: {
    call_id: "1",
    tool: "write",
    args: { path: "a.txt", content: LINES.join("\n") },
    why: ["A rule asks."],
    touches: [],
    always_rule: "RULE",
    all_edits: true,
  },
  shownAt: 0,
  state,
  top: 0,
  shown: 0,
  isSeen: false,
  isConfirming: false,
  gates: null,
  answer: () => {},
});

/** Pages through a question until its end was seen, and gives every line that stood on the screen. */
function read(one: AskedQuestion, columns: number, rows: number): Set<string> {
  const seen = new Set<string>();
  for (let n = 0; n < 500; n++) {
    const lines = questionWindow(one, 0, { columns, rows }, theme);
    expect(lines.length).toBeLessThanOrEqual(rows);
    for (const line of lines) seen.add(line);
    if (one.isSeen) return seen;
    one.top += Math.max(1, one.shown - 1);
  }
  throw new Error("its end never comes");
}

describe("the window of a question", () => {
  it("shows every line before a yes is taken, however low and narrow it is", () => {
    for (const columns of [29, 59, 103])
      for (const rows of [2, 3, 4, 6, 9, 20, 40]) {
        const seen = read(asked(), columns, rows);
        const missing = LINES.filter((line) => !seen.has(`▌   │ ${line}`));
        expect({ columns, rows, missing }).toEqual({ columns, rows, missing: [] });
        expect([...seen].join("\n")).toContain("RULE");
      }
  });

  it("keeps the end on the screen when its answers take more rows than the keys before them", () => {
    const one = asked();
    read(one, 40, 14);
    const lines = questionWindow(one, 0, { columns: 40, rows: 14 }, theme).join("\n");
    expect(lines).toContain("[y] once");
    expect(lines).toContain("RULE");
  });

  it("says how much there is below also while somebody types", () => {
    const lines = questionWindow(asked("typing"), 0, { columns: 103, rows: 12 }, theme);
    expect(lines.at(-1)).toMatch(/… \d+ more lines {2}\[PgDn\] shows them {2}\[Tab\] to answer/);
  });
});
