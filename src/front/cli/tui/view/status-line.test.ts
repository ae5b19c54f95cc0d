import { describe, expect, it } from "vitest";
import { chooseTheme } from "../theme.ts";
import { columnsOfLine } from "../width.ts";
import { type StatusFacts, statusLine } from "./status-line.ts";

const none = chooseTheme({ LANG: "C.UTF-8" }, "none");
const dark = chooseTheme({ LANG: "C.UTF-8" }, "dark");
const facts: StatusFacts = {
  model: "anthropic/claude-sonnet-5",
  context: { used: 8, budget: 100 },
  tokens: { input: 36_000, cached: 32_400, output: 470 },
  cost: 0.027,
  savedTokens: 2500,
  autonomy: "supervised",
  walls: "bubblewrap",
  branch: "main",
};

describe("The status line", () => {
  it("loses what matters least first, and never the walls", () => {
    const gone: string[] = [];
    for (let width = 110; width >= 8; width--) {
      const line = statusLine(facts, width, none);
      expect(columnsOfLine(line)).toBeLessThanOrEqual(width);
      for (const [name, word] of Object.entries(PARTS)) if (!line.includes(word) && !gone.includes(name)) gone.push(name);
    }
    expect(gone).toEqual(["branch", "tokens", "cost", "saved", "model", "context", "autonomy"]);
  });

  it("keeps context, autonomy and walls from 30 columns on", () => {
    expect(statusLine(facts, 30, none)).toBe(" ctx 8% · supervised · bwrap");
  });

  it("warns of a full context, of full autonomy and of no walls", () => {
    const filled = (used: number) => statusLine({ ...facts, context: { used, budget: 100 } }, 104, dark);
    expect(filled(69)).toContain("\u001b[39mctx 69%");
    expect(filled(70)).toContain(dark.warn("ctx 70%"));
    expect(filled(85)).toContain(dark.bad("ctx 85%"));
    const open = statusLine({ ...facts, autonomy: "full", walls: "none" }, 104, dark);
    expect(open).toContain(dark.warn("full"));
    expect(open).toContain(dark.bad("no walls"));
  });

  it("shows neither a cost nor savings that are not known", () => {
    const { cost: _, branch: __, ...rest } = facts;
    expect(statusLine({ ...rest, savedTokens: 0 }, 104, none)).toBe(
      " claude-sonnet-5 · ctx 8% · 36k in (90% cached) 470 out · supervised · bwrap",
    );
  });
});

const PARTS = {
  branch: "main",
  tokens: "36k",
  cost: "$0.027",
  saved: "saved",
  model: "claude",
  context: "ctx",
  autonomy: "supervised",
  walls: "bwrap",
};
