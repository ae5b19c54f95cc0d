import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { displayed } from "../../../../test/e2e/display.ts";
import { type LiveFrame, openScreenWriter, type ScreenOutput } from "./screen-writer.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** A writer on an output that remembers everything. */
function writerAt(columns = 40, rows = 12) {
  let frame: LiveFrame = { lines: ["prompt"], cursor: [0, 0] };
  let resized = () => {};
  const sent: string[] = [];
  const out = {
    columns,
    rows,
    write: (text: string) => void sent.push(text),
    on: (_: "resize", listener: () => void) => {
      resized = listener;
    },
    off: () => {},
  };
  const writer = openScreenWriter(out as ScreenOutput, () => frame);
  return {
    writer,
    sent,
    text: () => sent.join(""),
    shown: () => displayed(sent.join(""), out.columns).map((line) => line.trimEnd()),
    draw(lines: readonly string[], cursor: LiveFrame["cursor"] = [0, 0]) {
      frame = { lines, cursor };
    },
    resize(width: number) {
      out.columns = width;
      resized();
    },
  };
}
const later = () => void vi.advanceTimersByTime(40);
const rows = (lines: readonly string[]) => lines.map((line) => line.trimEnd());
const ended = (lines: readonly string[]) => [...lines].join("\n").trimEnd();

describe("the screen", () => {
  it("writes finished lines once, above the live ones", () => {
    const { writer, shown, text, draw } = writerAt();
    draw(["───", "> typed", "status"], [1, 2]);
    writer.refresh("now");
    writer.commit(["one", "two"]);
    later();
    writer.commit(["three"]);
    later();
    expect(shown()).toEqual(["one", "two", "three", "───", "> typed", "status"]);
    expect(text().split("two")).toHaveLength(2);
  });

  it("writes nothing where nothing changed, and of a line that grew only its end", () => {
    const { writer, sent, draw } = writerAt();
    draw(["first", "hello"], [1, 5]);
    writer.refresh("now");
    writer.refresh("now");
    expect(sent).toHaveLength(1);
    draw(["first", "hello you"], [1, 9]);
    writer.refresh("now");
    expect(sent[1]).toContain(" you");
    expect(sent[1]).not.toContain("hello");
    expect(sent[1]).not.toContain("first");
  });

  it("writes the end alone also behind colours that are off again, and the whole line behind those that are on", () => {
    const { writer, sent, draw } = writerAt();
    const [bold, off] = ["\u001b[1m", "\u001b[22m"];
    draw([`a ${bold}word${off}`, `${bold}open`]);
    writer.refresh("now");
    draw([`a ${bold}word${off} more`, `${bold}open more`]);
    writer.refresh("now");
    expect(sent[1]).toContain(" more");
    expect(sent[1]).not.toContain("word");
    expect(sent[1]).toContain(`${bold}open more`);
  });

  it("draws events at most thirty times a second, and keys at once", () => {
    const { writer, sent, draw } = writerAt();
    for (let n = 0; n < 100; n++) {
      draw([`count ${n}`]);
      writer.refresh();
      vi.advanceTimersByTime(10);
    }
    expect(sent.length).toBeLessThanOrEqual(31);
    const before = sent.length;
    draw(["a key"]);
    writer.refresh("now");
    expect(sent).toHaveLength(before + 1);
  });

  it("puts every frame into a synchronized update, never clears, and never is as high as the window", () => {
    const { writer, sent, draw, shown } = writerAt(40, 6);
    draw(Array.from({ length: 20 }, (_, n) => `live ${n}`));
    writer.refresh("now");
    expect(sent[0]!.split("live")).toHaveLength(6);
    writer.commit(["x".repeat(100)]);
    later();
    writer.close();
    for (const text of sent.slice(0, 2)) expect([text.startsWith("\u001b[?2026h"), text.endsWith("\u001b[?2026l")]).toEqual([true, true]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what may not be sent
    expect(sent.join("")).not.toMatch(/\u001b\[[23]J|\u001b\[\d*;?\d*H|\u001b\[\d*S|\u001b\[\?100[0236]h/);
    expect(shown().filter((line) => line.startsWith("live"))).toEqual([]);
  });

  it("leaves nothing of what was live behind a finished line that is wider than the window", () => {
    const { writer, shown, draw } = writerAt();
    draw(["a long line that stands here", "another long line below it", "and a third one"], [2, 0]);
    writer.refresh("now");
    draw(["prompt"]);
    writer.commit(["x".repeat(50)]);
    later();
    expect(shown()).toEqual(["x".repeat(40), "x".repeat(10), "prompt"]);
  });

  it("takes what was live away at its end and leaves the cursor visible", () => {
    const { writer, sent, draw, shown } = writerAt();
    draw(["a", "b", "c"], null);
    writer.commit(["kept"]);
    later();
    writer.close();
    expect(ended(shown())).toBe("kept");
    expect(sent.at(-1)).toContain("\u001b[?25h");
  });

  it("erases a line before its text and never behind it", () => {
    const { writer, text, draw } = writerAt();
    draw(["one", "two"]);
    writer.refresh("now");
    draw(["uno", "due"]);
    writer.commit(["done"]);
    later();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: text with an erasure right behind it
    expect(text()).not.toMatch(/[a-z]\u001b\[K/);
  });

  it("counts rows only when the window has kept its size, and draws nothing until then", () => {
    const { writer, sent, draw, resize } = writerAt(40, 12);
    draw(["─".repeat(39), "> typed", "status"], [1, 0]);
    writer.refresh("now");
    const before = sent.length;
    resize(20);
    vi.advanceTimersByTime(250);
    writer.refresh("now");
    resize(40);
    vi.advanceTimersByTime(250);
    writer.commit(["finished"]);
    expect(sent).toHaveLength(before);
    vi.advanceTimersByTime(50);
    // One row above the cursor, as wide as the window is now, and not the two of a narrower one.
    expect(sent[before]).toBe("\u001b[?2026h\u001b[1A\r\u001b[J\u001b[?2026l");
    expect(sent.slice(before).join("")).toContain("finished");
  });

  it("draws a view on the other screen, and the chat as it was when that closes", () => {
    const { writer, text, draw } = writerAt();
    draw(["prompt"]);
    writer.refresh("now");
    writer.paint(["view one"]);
    writer.commit(["came meanwhile"]);
    later();
    expect(text()).not.toContain("came meanwhile");
    writer.paint(null);
    later();
    expect(text()).toMatch(/\?1049h[\s\S]*view one[\s\S]*\?1049l[\s\S]*came meanwhile/);
  });

  it("shows exactly what was finished and what is live, whatever came in which order", () => {
    const line = fc.constantFrom("a", "bb", "漢字", "long ".repeat(6), "👨‍👩‍👧 x", "");
    const step = fc.oneof(
      fc.record({ commit: fc.array(line, { minLength: 1, maxLength: 4 }) }),
      fc.record({ live: fc.array(line, { minLength: 1, maxLength: 9 }), row: fc.nat(8) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const { writer, shown, draw } = writerAt(40, 12);
        const finished: string[] = [];
        let live: readonly string[] = ["prompt"];
        for (const one of steps) {
          if ("commit" in one) {
            finished.push(...one.commit);
            writer.commit(one.commit);
          } else {
            live = one.live;
            draw(live, [Math.min(one.row, live.length - 1), 0]);
            writer.refresh("now");
          }
          later();
        }
        writer.refresh("now");
        expect(ended(shown())).toBe(ended(rows([...finished, ...live])));
      }),
    );
  });
});
