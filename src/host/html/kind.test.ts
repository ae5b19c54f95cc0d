import { expect, it } from "vitest";
import { cpuMs } from "../../../test/cpu.ts";
import { bodyKind } from "./kind.ts";

const kind = (text: string) => bodyKind("", new Uint8Array(Buffer.from(text)));

it.each([
  ["<!doctype html><p>", "html"],
  ["\ufeff \n<!-- a --> <!-- <b> --><HTML>", "html"],
  ["<!----><!--><!-- --><div>", "html"],
  ["<!-- a <html>", "text"],
  ["<!doctype svg>", "text"],
  ["<article/>", "html"],
  ["<articles>", "text"],
  ["", "text"],
  [" <?xml version='1.0'?>", "xml"],
])("%j begins like %s", (text, expected) => expect(kind(text)).toBe(expected));

// From few to many, so that a slow way is seen before it never ends.
it.each([24, 70, 100_000])("%i comments are passed over at once", (many) => {
  const started = cpuMs();
  expect(kind(`${"<!---->".repeat(many)}x`)).toBe("text");
  expect(cpuMs() - started).toBeLessThan(100);
});
