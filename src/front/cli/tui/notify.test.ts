import { describe, expect, it } from "vitest";
import { FIRST_NOTICE_STATE, keepTitle, type NoticeEvent, type NoticeWish, noticeAfter, restoreTitle, showTitle } from "./notify.ts";

const ITERM: NoticeWish = { notify: "auto", env: { TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" } };
const QUESTION: NoticeEvent = { type: "question", text: "bash needs a yes" };
const OUT: NoticeEvent = { type: "focus-out" };
const IN: NoticeEvent = { type: "focus-in" };
const ended = (tookMs: number): NoticeEvent => ({ type: "turn-ended", tookMs, text: "done" });

/** Everything that is sent while these happen, event by event. */
function sent(events: readonly NoticeEvent[], wish: NoticeWish = ITERM): readonly string[] {
  let state = FIRST_NOTICE_STATE;
  return events.map((event) => {
    const next = noticeAfter(state, event, wish);
    state = next.state;
    return next.bytes;
  });
}

describe("a notification", () => {
  it("rings once and names what waits, and again only after somebody was there", () => {
    const both = "\u0007\u001b]9;Zeph: bash needs a yes\u001b\\";
    expect(sent([OUT, QUESTION, QUESTION, { type: "key" }, QUESTION])).toEqual(["", both, "", "", both]);
    expect(sent([OUT, QUESTION, IN, OUT, QUESTION])).toEqual(["", both, "", "", both]);
  });

  it("is silent while the window is in front, and is the bell alone where nothing is known about it", () => {
    expect(sent([IN, QUESTION, ended(60_000)])).toEqual(["", "", ""]);
    expect(sent([QUESTION])).toEqual(["\u0007"]);
  });

  it("comes at the end of a turn that took ten seconds, and of no shorter one", () => {
    expect(sent([OUT, ended(9_999)])).toEqual(["", ""]);
    expect(sent([OUT, ended(10_000)])).toEqual(["", "\u0007\u001b]9;Zeph: done\u001b\\"]);
  });

  it("is what the settings say", () => {
    expect(sent([OUT, QUESTION], { ...ITERM, notify: "bell" })).toEqual(["", "\u0007"]);
    expect(sent([OUT, QUESTION], { ...ITERM, notify: "off" })).toEqual(["", ""]);
  });

  it.each([
    [{ TERM: "xterm-kitty" }, "\u001b]99;;Zeph: a; b\u001b\\"],
    [{ TERM: "tmux-256color", KITTY_WINDOW_ID: "1", TMUX: "/x" }, "\u001bPtmux;\u001b\u001b]99;;Zeph: a; b\u001b\u001b\\\u001b\\"],
    [{ TERM: "rxvt-unicode-256color" }, "\u001b]777;notify;Zeph;a, b\u001b\\"],
    [{ TERM: "foot" }, "\u001b]777;notify;Zeph;a, b\u001b\\"],
    [{ TERM: "xterm-256color", WT_SESSION: "1" }, "\u001b]9;Zeph: a; b\u001b\\"],
    // Nothing is known about these, so the bell is all.
    [{ TERM: "linux" }, ""],
    [{ TERM: "xterm-256color" }, ""],
    [{ TERM: "tmux-256color", TMUX: "/x", TERM_PROGRAM: "tmux" }, ""],
  ])("has the form that the terminal knows: %o", (env, bytes) =>
    expect(sent([OUT, { type: "question", text: "a; b" }], { notify: "auto", env })).toEqual(["", `\u0007${bytes}`]),
  );

  it("holds nothing that a terminal would obey, and has an end", () => {
    const [, bytes] = sent([OUT, { type: "question", text: `a\u001b]0;x\u0007\n\u202eb${"c".repeat(1000)}` }]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal obeys
    expect(bytes!.slice(1).replace(/^\u001b\]9;|\u001b\\$/g, "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(bytes!.length).toBeLessThan(200);
  });
});

describe("the window's title", () => {
  const wish = { title: true, env: { TERM: "xterm" } };
  it("is kept, shown and put back", () => {
    expect([keepTitle(wish), showTitle("zeph: a\u0007b", wish), restoreTitle(wish)]).toEqual([
      "\u001b[22;2t",
      "\u001b]2;zeph: a\\u0007b\u0007",
      "\u001b]2;\u0007\u001b[23;2t",
    ]);
  });

  it("is left alone where the settings say so, and on a terminal that has none", () => {
    for (const other of [
      { ...wish, title: false },
      { ...wish, env: { TERM: "linux" } },
      { ...wish, env: { TERM: "dumb" } },
    ])
      expect([keepTitle(other), showTitle("x", other), restoreTitle(other)]).toEqual(["", "", ""]);
  });
});
