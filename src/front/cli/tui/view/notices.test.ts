import { describe, expect, it } from "vitest";
import { chooseTheme } from "../theme.ts";
import { messageLines } from "./notices.ts";

const theme = chooseTheme({ LANG: "C.UTF-8" }, "none");
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}`).join("\n");

describe("what the person said", () => {
  it("stays whole where it is of a usual length", () => {
    expect(messageLines(numbered(24), 80, theme)).toHaveLength(24);
    expect(messageLines("word ".repeat(300), 80, theme).join("")).not.toContain("…");
  });

  it("does not push everything else out of the scrollback when it is a long paste", () => {
    for (const text of [numbered(25), numbered(20_000), "x".repeat(3_000_000), "長".repeat(300_000)]) {
      const lines = messageLines(text, 80, theme);
      expect(lines.length).toBeLessThan(20);
      expect(lines.join("\n")).toMatch(/… [\d.]+[kM]? characters in \d+ line/);
    }
    const lines = messageLines(numbered(4000), 80, theme);
    expect([lines[0], lines.at(-1)]).toEqual(["❯ line 1", "  line 4000"]);
  });
});
