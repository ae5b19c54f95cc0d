import { describe, expect, it, vi } from "vitest";
import { chooseTheme } from "../../theme.ts";
import type { ShownCall } from "../call.ts";
import { createCallView } from "./call-view.ts";
import type { FullView, KeyEffect } from "./full-view.ts";
import { createCallList, createRunList, createSessionPicker } from "./lists.ts";
import { createPager } from "./pager.ts";

const theme = chooseTheme({ LANG: "C.UTF-8" }, "none");
const body = (view: FullView, height = 8) => view.lines(40, height).slice(1, -2);
const type = (view: FullView, text: string): KeyEffect => view.key({ name: "text", text });
const press = (view: FullView, ...names: string[]): KeyEffect => names.map((name) => view.key({ name })).at(-1)!;

describe("A pager", () => {
  const hundred = () => createPager({ title: "Text", lines: () => Array.from({ length: 100 }, (_, n) => `line ${n + 1}`) }, theme);

  it("always fills the window it is given", () => {
    for (const height of [4, 8, 30]) expect(hundred().lines(40, height)).toHaveLength(height);
  });

  it("moves by lines and pages, and to both ends", () => {
    const view = hundred();
    expect(body(view)[0]).toBe("line 1");
    press(view, "down", "pagedown");
    expect(body(view)[0]).toBe("line 7");
    type(view, "G");
    expect(body(view)[4]).toBe("line 100");
    press(view, "down");
    expect(body(view)[4]).toBe("line 100");
    type(view, "g");
    expect(body(view)[0]).toBe("line 1");
  });

  it("searches, goes on and back, and says when something is not there", () => {
    const view = hundred();
    body(view);
    type(view, "/");
    type(view, "LINE 5");
    expect(view.lines(40, 8).at(-1)).toContain("/LINE 5");
    press(view, "enter");
    expect(body(view)).toContain("line 5");
    type(view, "n");
    expect(body(view)).toContain("line 50");
    type(view, "N");
    expect(body(view)).toContain("line 5");
    type(view, "/");
    type(view, "nowhere");
    press(view, "enter");
    expect(view.lines(40, 8).at(-1)).toContain('"nowhere" is not there');
  });

  it("takes a search whose letters come together with its slash", () => {
    const view = hundred();
    body(view);
    type(view, "/line 77");
    press(view, "enter");
    expect(body(view)).toContain("line 77");
  });

  it("takes letters of a search for letters, and Esc for its end", () => {
    const view = hundred();
    type(view, "/");
    expect(type(view, "q")).toBe("redraw");
    expect(press(view, "escape")).toBe("redraw");
    expect(type(view, "q")).toBe("close");
  });
});

describe("A picker", () => {
  const sessions = () =>
    createSessionPicker(
      () => ["Fix the parser", "Release notes", "Speed"].map((title, n) => ({ id: `id-${n}`, title, updatedAt: 0, length: 3 })),
      theme,
    );

  it("finds by letters and chooses with Enter", () => {
    const view = sessions();
    type(view, "rel");
    expect(body(view).filter((line) => line.includes("notes"))).toHaveLength(1);
    expect(press(view, "enter")).toEqual({ chosen: "id-1" });
  });

  it("moves with the arrows and stops at both ends", () => {
    const view = sessions();
    expect(press(view, "up", "enter")).toEqual({ chosen: "id-0" });
    expect(press(view, "down", "down", "down", "enter")).toEqual({ chosen: "id-2" });
  });

  it("takes a search back with Esc before it closes", () => {
    const view = sessions();
    type(view, "zzz");
    expect(body(view).join("\n")).toContain("nothing fits");
    expect(press(view, "enter")).toBe("nothing");
    expect(press(view, "escape")).toBe("redraw");
    expect(press(view, "escape")).toBe("close");
  });

  it("shows the whole command of a background run", () => {
    const command = `npm run dev -- ${"--flag ".repeat(30)}--last`;
    const list = createRunList(() => [{ id: "7", command, state: "running", isRunning: true, ms: 1 }], theme);
    expect(list.lines(60, 10).join("\n")).not.toContain("--last");
    const opened = press(list, "enter") as { readonly open: FullView };
    expect(opened.open.lines(60, 20).join("\n")).toContain("--last");
  });

  it("ends a background run only while it runs", () => {
    const run = { id: "7", command: "npm run dev", state: "running", isRunning: true, ms: 1 };
    expect(
      press(
        createRunList(() => [run], theme),
        "delete",
      ),
    ).toEqual({ chosen: "7" });
    expect(
      press(
        createRunList(() => [{ ...run, isRunning: false }], theme),
        "delete",
      ),
    ).toBe("nothing");
    expect(
      press(
        createRunList(() => [], theme),
        "enter",
      ),
    ).toBe("nothing");
  });
});

describe("A call", () => {
  const call = {
    request: { name: "bash", args: { command: "npm test" } },
    outcome: { ok: true, callId: "c", output: { text: "short", exitCode: 0 }, decision: { verdict: "allow" }, cached: false },
    ms: 5,
    n: 3,
  } as unknown as ShownCall;

  it("is opened from the list of calls, which begins at the last one", () => {
    const opened: number[] = [];
    const calls = [call, { ...call, n: 4 }];
    const one = createPager({ title: "one", lines: () => [] }, theme);
    const list = createCallList(
      () => calls,
      ({ n }) => {
        opened.push(n!);
        return one;
      },
      theme,
    );
    expect(press(list, "enter")).toEqual({ open: one });
    expect(opened).toEqual([4]);
  });

  it("shows its text, then the raw output and every gate once they are looked up", async () => {
    const redraw = vi.fn();
    const parts = {
      text: "short",
      raw: async () => "the whole output",
      gates: async () => [{ gate: "permissions", kind: "ask", why: "a rule" } as const],
      redraw,
    };
    const view = createCallView(call, parts, theme);
    expect(body(view, 20)).toContain("short");
    type(view, "r");
    expect(body(view, 20)).toContain("looking it up");
    await vi.waitFor(() => expect(redraw).toHaveBeenCalledTimes(1));
    expect(body(view, 20)).toContain("the whole output");
    type(view, "g");
    await vi.waitFor(() => expect(redraw).toHaveBeenCalledTimes(2));
    expect(body(view, 20).join("\n")).toContain("permissions    ask   a rule");
    expect(view.title).toContain("gate by gate");
  });

  it("says so where the raw output cannot be had", async () => {
    const redraw = vi.fn();
    const view = createCallView(call, { text: "x", raw: () => Promise.reject(new Error("busy")), gates: async () => null, redraw }, theme);
    type(view, "r");
    await vi.waitFor(() => expect(redraw).toHaveBeenCalled());
    expect(body(view, 20).join(" ")).toContain("There is no more than the text");
  });
});
