import { describe, expect, it } from "vitest";
import { cpuMs } from "../../test/cpu.ts";
import { isBinary, sanitise } from "./sanitise.ts";

const ESC = "\u001b";

describe("what a terminal would show", () => {
  it.each([
    ["colours", `${ESC}[1;31mred${ESC}[0m ${ESC}[38;2;1;2;3mx${ESC}[m`, ["red x"]],
    ["colours with colons", `${ESC}[38:5:12mx${ESC}[0m`, ["x"]],
    ["grep's colours, which erase to the end of the line", `${ESC}[35m${ESC}[Ka.ts${ESC}[m${ESC}[K:x`, ["a.ts:x"]],
    ["links", `${ESC}]8;;https://x.org${ESC}\\text${ESC}]8;;${ESC}\\ ${ESC}]0;title\u0007more`, ["text more"]],
    ["cursor and screen", `${ESC}[?25l${ESC}[2Jx${ESC}[?25h${ESC}(B`, ["x"]],
    ["eight-bit sequences", "\u009b31mx", ["x"]],
    ["a sequence that never ends", `${ESC}]0;ERROR: disk full\nnext`, ["0;ERROR: disk full", "next"]],
    ["an escape at the end", `x${ESC}`, ["x"]],
    ["control characters", "a\u0000b\u0007c\u007f", ["abc"]],
    ["carriage returns", "10%\r50%\r100%\ndone", ["100%", "done"]],
    ["line ends of Windows", "a\r\nb\r\n", ["a", "b"]],
    ["erased lines", `10%${ESC}[2K${ESC}[1G100%`, ["100%"]],
    ["backspaces", "|\b/\b-\bdone", ["done"]],
    ["a backspace at the end", "got 2 expected 1\b\n10%\b\b\b20%\b", ["got 2 expected 1", "20%"]],
    ["blank lines", "\n\na\n\n \n\nb\n\n", ["a", "", "b"]],
    ["nothing", "", []],
  ])("of %s", (_, raw, lines) => expect(sanitise(raw)).toEqual(lines));

  it.each([
    ["a colour code", `[-3 lin${ESC}[0mes]`],
    ["a byte nobody sees", "[-3 li\u0001nes]"],
    ["a backspace", "[-3 lib\bnes]"],
    ["a carriage return", "[-3 xxxxx]\r[-3 lib\bnes]"],
    ["a carriage return at its end", "[-3 li\u0001nes]\r"],
  ])("shows no mark that %s kept apart", (_, raw) => expect(sanitise(raw)).toEqual(["[\\-3 lines]"]));

  it("keeps errors that were written over", () => {
    expect(sanitise("10%\rERROR: disk full\r20%\r30%")).toEqual(["ERROR: disk full", "30%"]);
  });

  it("keeps the lines of a program that ends them with a carriage return alone", () => {
    expect(sanitise("alpha\rbravo\rcharlie\rdelta\recho")).toEqual(["alpha", "bravo", "charlie", "delta", "echo"]);
  });

  it("follows a program that goes up to draw again", () => {
    const raw = `a: waiting\nb: waiting\n${ESC}[2A${ESC}[2Ka: done\n${ESC}[2Kb: failed\n${ESC}[2A${ESC}[2Ka: done\n${ESC}[2Kb: skipped\nend`;
    expect(sanitise(raw)).toEqual(["a: done", "b: failed", "b: skipped", "end"]);
  });

  it("keeps the blank before an empty line of a diff", () => {
    expect(sanitise("@@ -1,4 +1,4 @@\n a\n \n \n-b\n+c")).toEqual(["@@ -1,4 +1,4 @@", " a", " ", " ", "-b", "+c"]);
    expect(sanitise("a\n \n \nb")).toEqual(["a", "", "b"]);
  });

  it("is not misled by characters it uses itself", () => {
    expect(sanitise("a\u00115\u0011b\nc")).toEqual(["a5b", "c"]);
  });
});

describe("bytes that are no text", () => {
  it.each([
    [
      "an ELF header",
      "\u007fELF\u0002\u0001\u0001\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0003\u0000>\u0000\u0001\u0000",
      true,
    ],
    ["compressed data", "\ufffd\ufffda\ufffdb\ufffd\ufffd\u0010\ufffdc\ufffd\ufffd\ufffd", true],
    ["text in Latin-1", `caf\ufffd au lait, d\ufffdj\ufffd vu, gar\ufffdon. `.repeat(20), false],
    ["coloured text", `${ESC}[31mred${ESC}[0m\n`.repeat(50), false],
    ["progress", "\r10%".repeat(100), false],
    ["nothing", "", false],
  ])("%s", (_, raw, answer) => expect(isBinary(raw)).toBe(answer));
});

it("the time is linear, whatever comes", () => {
  const floods = ["\r", `${ESC}[`, `${ESC}]8;;`, `${ESC}[1A\n`, "\b", "\n", `${ESC}[31m`, "x\r", `${ESC}P`, "\u009b"];
  for (const flood of floods) {
    const begun = cpuMs();
    sanitise(flood.repeat(100_000));
    expect(cpuMs() - begun).toBeLessThan(20_000);
  }
});
