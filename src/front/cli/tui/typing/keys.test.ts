import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKeyDecoder, type Key } from "./keys.ts";

/** The keys of these pieces, each pushed for itself. */
function decoded(...pieces: readonly (string | Uint8Array)[]): Key[] {
  const keys: Key[] = [];
  const decoder = createKeyDecoder((key) => void keys.push(key));
  for (const piece of pieces) decoder.push(Buffer.from(piece as string));
  return keys;
}
const names = (...pieces: readonly (string | Uint8Array)[]) =>
  decoded(...pieces).map(({ name, text }) => (text === undefined ? name : `${name}:${text}`));

describe("keys of a terminal", () => {
  it.each([
    ["hello", ["text:hello"]],
    ["a\rb", ["text:a", "enter", "text:b"]],
    ["\n", ["ctrl-j"]],
    ["\t", ["tab"]],
    ["\u007f\b", ["backspace", "backspace"]],
    ["\u0001\u0004\u0012\u001f\u0000", ["ctrl-a", "ctrl-d", "ctrl-r", "ctrl-_", "ctrl-space"]],
    ["\u001b[A\u001bOB", ["up", "down"]],
    ["\u001b[1;5C\u001b[1;3D\u001b[1;2H", ["ctrl-right", "alt-left", "shift-home"]],
    ["\u001b[3~\u001b[5~\u001b[6;5~", ["delete", "pageup", "ctrl-pagedown"]],
    ["\u001b[Z", ["shift-tab"]],
    ["\u001b\r", ["alt-enter"]],
    ["\u001b\u007f\u001bb", ["alt-backspace", "alt-b"]],
    ["\u001b\u001b[A", ["alt-up"]],
    ["\u001b[13;2u", ["shift-enter"]],
    ["\u001b[27;2;13~", ["shift-enter"]],
    ["\u001b[27u", ["escape"]],
    ["\u001b[99;5u", ["ctrl-c"]],
    ["\u001b[97u\u001b[97;2u\u001b[97:65;2u", ["text:a", "text:A", "text:A"]],
    ["\u001b[97;1:3u\u001b[97;1:1u", ["text:a"]],
    ["\u001b[57399u", []],
    ["\u001b[I\u001b[O", ["focus-in", "focus-out"]],
    // Answers to queries of others, and reports of the mouse, are no keys.
    ["\u001b[?64;1;2c\u001b]11;rgb:0000/0000/0000\u0007\u001b[<0;10;10M\u001bP1+r\u001b\\x", ["text:x"]],
  ])("%j", (bytes, expected) => {
    expect(names(bytes)).toEqual(expected);
    // The same byte by byte.
    const bytewise = names(...[...Buffer.from(bytes)].map((byte) => Buffer.from([byte])));
    expect(bytewise).toEqual(
      expected.flatMap((one) => (one.startsWith("text:") ? [...one.slice(5)].map((char) => `text:${char}`) : [one])),
    );
  });

  it("a character whose bytes come in two pieces is one", () => {
    const bytes = Buffer.from("ü🧪");
    expect(names(bytes.subarray(0, 1), bytes.subarray(1, 4), bytes.subarray(4))).toEqual(["text:ü", "text:🧪"]);
  });

  it("a paste is one key whatever it holds, also in pieces, and its line ends are line feeds", () => {
    const sent = "\u001b[200~y\r\nn\u001b[A\u0003\rq\u001b[201~z";
    expect(decoded(sent)).toEqual([
      { name: "paste", text: "y\nn\u001b[A\u0003\nq" },
      { name: "text", text: "z" },
    ]);
    for (let cut = 1; cut < sent.length; cut++) expect(decoded(sent.slice(0, cut), sent.slice(cut))[0]).toEqual(decoded(sent)[0]);
  });

  it("a paste that is too long comes as that, and what follows it is typed", () => {
    expect(names("\u001b[200~", "x".repeat(3 * 1024 * 1024), "x".repeat(3 * 1024 * 1024), "\u001b[201~y")).toEqual([
      "paste-too-long",
      "text:y",
    ]);
  });

  it("an Escape that stands alone is the key, and so are two of them", async () => {
    const keys: Key[] = [];
    const decoder = createKeyDecoder((key) => void keys.push(key));
    decoder.push(Buffer.from("\u001b"));
    expect(keys).toEqual([]);
    await expect.poll(() => keys).toEqual([{ name: "escape" }]);
    decoder.push(Buffer.from("x\u001b\u001b"));
    await expect.poll(() => keys.length).toBe(4);
    expect(keys.map(({ name }) => name)).toEqual(["escape", "text", "escape", "escape"]);
  });

  it("the rest of a sequence that comes late is no letter that was typed", async () => {
    const keys: Key[] = [];
    const decoder = createKeyDecoder((key) => void keys.push(key));
    decoder.push(Buffer.from("\u001b"));
    await expect.poll(() => keys.length).toBe(1);
    decoder.push(Buffer.from("[A"));
    expect(keys).toEqual([{ name: "escape" }]);
    decoder.push(Buffer.from("y"));
    expect(keys.at(-1)).toEqual({ name: "text", text: "y" });
  });

  it("where pieces are cut changes nothing but how long a run of characters is", () => {
    const piece = fc.constantFrom(
      "a",
      "ü",
      "🧪",
      "漢",
      "\r",
      "\u001b[A",
      "\u001b[1;5C",
      "\u001b[200~p\rq\u001b[201~",
      "\u0003",
      "\u001b\r",
      "\u001b[13;2u",
    );
    const joined = (keys: readonly Key[]) => keys.map(({ name, text = "" }) => (name === "text" ? text : `<${name}${text}>`)).join("");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(200), { maxLength: 6 }), (pieces, cuts) => {
        const bytes = Buffer.from(pieces.join(""));
        const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
        const parts = [0, ...ends].map((start, n) => bytes.subarray(start, ends[n] ?? bytes.length));
        expect(joined(decoded(...parts))).toBe(joined(decoded(bytes)));
      }),
    );
  });
});
