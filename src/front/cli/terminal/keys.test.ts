import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { createKeys } from "./keys.ts";

type Happening = readonly ["key" | "paste" | "break" | "too much", string];

/** What readline and we hear of these pieces. */
async function heard(pieces: readonly (string | Buffer)[], waitMs = 0): Promise<Happening[]> {
  // Pieces that come at once: no pause of the machine may count as a pause of the typist.
  if (waitMs === 0) vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const stdin = new PassThrough() as unknown as NodeJS.ReadStream & PassThrough;
  const all: Happening[] = [];
  const keys = createKeys(stdin, {
    paste: (text) => all.push(["paste", text]),
    tooMuch: () => all.push(["too much", ""]),
    lineBreak: () => all.push(["break", ""]),
    keys(text) {
      for (const char of text) all.push(["key", char]);
      return text;
    },
  });
  keys.resume();
  for (const piece of pieces) {
    stdin.write(piece);
    await new Promise((resolve) => (waitMs > 0 ? setTimeout(resolve, waitMs) : setImmediate(resolve)));
  }
  stdin.end();
  await new Promise((resolve) => keys.once("end", resolve));
  vi.useRealTimers();
  return all;
}
const typed = (text: string): Happening[] => [...text].map((char) => ["key", char]);

it("the reader of keys takes what was pasted as one text, and leaves the keys around it", async () => {
  expect(await heard(["ab\u001b[200~one\r\ntwo\u001b[201~c"])).toEqual([...typed("ab"), ["paste", "one\r\ntwo"], ...typed("c")]);
  expect(await heard(["a\u001b\rb"])).toEqual([...typed("a"), ["break", ""], ...typed("b")]);
  expect(await heard(["\u001b[A\u001b[201~"])).toEqual(typed("\u001b[A\u001b[201~"));
});

it("the reader of keys lets an Escape alone through, after a moment", async () => {
  expect(await heard(["\u001b", "[200~x"], 40)).toEqual(typed("\u001b[200~x"));
});

it("the reader of keys ends a paste with the terminal, and takes none that is too long", async () => {
  expect(await heard(["\u001b[200~half"])).toEqual([["paste", "half"]]);
  expect(await heard([`\u001b[200~${"x".repeat(5 * 1024 * 1024)}`, "y\u001b[201~z"])).toEqual([["too much", ""], ...typed("z")]);
});

it("the reader of keys knows its marks wherever they are cut", async () => {
  const bytes = Buffer.from("a\u001b[200~é\r\u001b[201\u001b[201~b\u001b\rc");
  for (let cut = 1; cut < bytes.length; cut++)
    expect(await heard([bytes.subarray(0, cut), bytes.subarray(cut)]), `cut at ${cut}`).toEqual([
      ...typed("a"),
      ["paste", "é\r\u001b[201"],
      ...typed("b"),
      ["break", ""],
      ...typed("c"),
    ]);
});

it("hears the same however the bytes are cut", async () => {
  const part = fc.oneof(
    fc.constantFrom("\u001b[200~", "\u001b[201~", "\u001b[A", "\u001b\r", "é", "長", "\r", "["),
    fc.string({ maxLength: 4 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), fc.array(fc.nat(60), { maxLength: 5 }), async (parts, cuts) => {
      // An Escape at the very end of a piece is waited for; here the pieces come at once.
      const bytes = Buffer.from(parts.join(""));
      const places = [...new Set(cuts.map((cut) => Math.min(cut, bytes.length)))].sort((a, b) => a - b);
      const pieces = [...places, bytes.length].map((end, n) => bytes.subarray(places[n - 1] ?? 0, end));
      expect(await heard(pieces.filter((piece) => piece.length > 0))).toEqual(await heard(bytes.length > 0 ? [bytes] : []));
    }),
    { numRuns: 50 },
  );
});
