import { describe, expect, it } from "vitest";
import { accountFor } from "./account.ts";
import { heading, type Line, printedLine, standFor } from "./line.ts";

const told = (text: string, ...raw: readonly string[]): Line => standFor(text, raw.map(printedLine));
const NOTHING = { left: 0, partly: 0, values: 0 };
const account = (shown: readonly Line[], printed: readonly Line[] = []) => accountFor(printed, shown);

describe("the account of what is shown", () => {
  it("finds the values of lines that were said once", () => {
    const ports = [8080, 9090, 5432, 6379].map((port) => `cannot bind port ${port}`);
    expect(account([told(`${ports[0]} (×4)`, ...ports)])).toEqual({ left: 0, partly: 3, values: 3 });
    expect(account([told("cannot bind port 8080, 9090, 5432, 6379", ...ports)])).toEqual(NOTHING);
  });

  it("finds what a shorter form does not say, wherever else it may be said", () => {
    const line = told("glob 7.2.3", "glob  7.2.3  node_modules/glob");
    expect(account([line])).toEqual({ left: 0, partly: 1, values: 1 });
    expect(account([heading("(all in node_modules)"), line])).toEqual(NOTHING);
  });

  it("counts a line once that nothing stands for, whatever values it has, and no blank one", () => {
    const [one, two, three, blank] = ["ready on 3000", "ready on 3001", "ready on 3002", " "].map(printedLine) as [Line, Line, Line, Line];
    expect(account([one, heading("port 1")], [one, two, three, blank])).toEqual({ left: 2, partly: 0, values: 0 });
    expect(account([one, standFor("both ready on 3000 and 3001", [one, two])], [one, two, three])).toEqual({
      left: 1,
      partly: 0,
      values: 0,
    });
  });

  it("looks through lines that stand for lines, however deep", () => {
    let line = printedLine("worker 1");
    for (let n = 2; n <= 100_000; n++) line = standFor("worker 1", [line, printedLine(`worker ${n % 3}`)]);
    expect(account([line])).toEqual({ left: 0, partly: 66_666, values: 2 });
  });

  it("takes lines for the same at different moments, but not a moment that is left out of one line", () => {
    const raw = ["2026-11-15 06:12:01 up", "2026-11-15 07:13:02 up"];
    expect(account([told(`${raw[0]} (×2)`, ...raw)])).toEqual(NOTHING);
    expect(account([told("up", raw[0]!)])).toEqual({ left: 0, partly: 1, values: 2 });
  });

  it("counts a path or a UUID as one value", () => {
    const line = "made 7cc8e0f3-6a60-4937-a6fd-658c17b59caf in lib/core.ts for 10.0.0.1:80";
    expect(account([told("made", line)])).toEqual({ left: 0, partly: 1, values: 3 });
    expect(account([told("up", "a1 up, b2 up, c3 up and d4 up")])).toEqual({ left: 0, partly: 1, values: 4 });
  });

  it("counts a number as said with a letter before it, or with its unit said once", () =>
    expect(account([told("src/a.ts: L12 (3–89ms)", "src/a.ts:12 took 3ms", "src/a.ts:12 took 89ms")])).toEqual(NOTHING));

  it("counts a digest that is told by its beginning, and any other name", () => {
    const digest = "4f3a2b1c9d8e7f60514233241506978877665544";
    expect(account([told(`commit ${digest.slice(0, 10)}`, `commit ${digest}`)])).toEqual({ left: 0, partly: 1, values: 1 });
    expect(account([told("worker abc1234", "worker abc12345")])).toEqual({ left: 0, partly: 1, values: 1 });
  });
});
