import { describe, expect, it } from "vitest";
import { decodeBody } from "../../src/host/html/decode.ts";
import { encodingOf } from "../../src/host/html/encodings.ts";
import { ENCODINGS } from "./html-labels.ts";

const bytes = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
const encoding = (page: string, charset: string | null = null) => decodeBody(bytes(page), charset, "html").encoding;

it("the decoder holds all labels of the standard", () => {
  expect(ENCODINGS).toHaveLength(40);
  expect(new Set(ENCODINGS.flatMap(([, labels]) => labels.split(" "))).size).toBe(228);
});

describe.each(ENCODINGS)("%s", (name, labels, hex, text) => {
  it.each(labels.split(" "))("is called %s", (label) => {
    for (const spelling of [label, label.toUpperCase(), ` ${label}\t`, `"${label}"`]) {
      const { encoding, text: read } = decodeBody(new Uint8Array(Buffer.from(hex, "hex")), spelling, "text");
      expect({ encoding, read }).toEqual({ encoding: name === "gbk" ? "gb18030" : name, read: text });
    }
  });
});

it("the decoder knows no other labels", () => {
  for (const label of ["", "utf-7", "utf8mb4", "x", "windows-1252x", "__proto__", "constructor", "\0", "é"])
    expect(encodingOf(label)).toBe(null);
});

it("the decoder reads every byte of the encodings Node has wrong", () => {
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const read = (charset: string) => decodeBody(all, charset, "text").text;
  expect(read("iso-8859-1").slice(0x80, 0xa0)).toBe("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ");
  expect(read("iso-8859-1").slice(0xa0)).toBe(Buffer.from(all.subarray(0xa0)).toString("latin1"));
  expect(read("ibm866").slice(0, 0x80)).toBe(Buffer.from(all.subarray(0, 0x80)).toString("latin1"));
  for (const byte of [0xdb, 0xde, 0xfc, 0xff]) expect(read("tis-620")[byte]).toBe("\ufffd");
  expect(read("windows-1253")[0xaa]).toBe("\ufffd");
  expect(read("windows-1255")[0xca]).toBe("\u05ba");
  expect([...read("iso-8859-16").slice(0xa0)].every((character, n) => character !== "\ufffd" && (n === 0 || character > "\u00a0"))).toBe(
    true,
  );
});

it("the decoder reads all Korean syllables", () => {
  const { text } = decodeBody(Uint8Array.of(0x81, 0x41, 0xb0, 0xa1, 0x41, 0xc6, 0x52, 0x8c, 0x63, 0x20, 0xc8, 0xfe), "euc-kr", "text");
  expect(text).toBe("갂가A힣똠 힝");
  expect(decodeBody(Uint8Array.of(0xc7, 0x41, 0x42, 0xff, 0x81), "euc-kr", "text").text).toContain("B");
});

describe("what names the encoding", () => {
  it("is the mark of byte order before all", () => {
    expect(decodeBody(Uint8Array.of(0xef, 0xbb, 0xbf, 0xc3, 0xa9), "windows-1252", "html")).toEqual({ text: "é", encoding: "utf-8" });
    expect(decodeBody(Uint8Array.of(0xff, 0xfe, 0xe9, 0), "utf-8", "html")).toEqual({ text: "é", encoding: "utf-16le" });
    expect(decodeBody(Uint8Array.of(0xfe, 0xff, 0, 0xe9), null, "text")).toEqual({ text: "é", encoding: "utf-16be" });
  });
  it("is the server before the page", () => expect(encoding('<meta charset="koi8-r">', "windows-1251")).toBe("windows-1251"));
  it("is the page where the server's word is unknown", () => expect(encoding('<meta charset="koi8-r">', "no-such")).toBe("koi8-r"));
  it.each([
    ['<meta charset="koi8-r">', "koi8-r"],
    ["<META CHARSET=koi8-r>", "koi8-r"],
    ["<meta/charset='koi8-r'/>", "koi8-r"],
    ['<meta name="x" content="y"><meta charset = "koi8-r" >', "koi8-r"],
    ['<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">', "shift_jis"],
    ["<meta content='text/html;charset=\"euc-jp\"' http-equiv=content-type>", "euc-jp"],
    ['<html lang="a>b"><head><meta charset=big5>', "big5"],
    ['<!-- <meta charset="koi8-r"> --><meta charset="big5">', "big5"],
    ["<!doctype html><?x y?><title>a</title><meta charset=gbk>", "gb18030"],
    ['<meta charset="utf-16">', "utf-8"],
    ['<meta charset="x-user-defined">', "windows-1252"],
    ['<?xml version="1.0" encoding="windows-1251"?><html>', "windows-1251"],
    ['<div title="<meta charset=koi8-r>">', "utf-8"],
    ['<meta content="text/html; charset=koi8-r">', "utf-8"],
    ['<meta charset="nonsense">', "utf-8"],
    [`${" ".repeat(1100)}<meta charset="koi8-r">`, "utf-8"],
    ['<meta charset="koi8-r', "utf-8"],
    ["<meta charset=", "utf-8"],
    ["<meta", "utf-8"],
    ["<!--", "utf-8"],
    ["", "utf-8"],
  ])("%s", (page, expected) => expect(encoding(page)).toBe(expected));
  it("is UTF-8 when nobody names it, and windows-1252 when it cannot be that", () => {
    expect(decodeBody(new Uint8Array(Buffer.from("“é”")), null, "text").text).toBe("“é”");
    expect(decodeBody(Uint8Array.of(0x93, 0xe9, 0x94), null, "text")).toEqual({ text: "“é”", encoding: "windows-1252" });
  });
  it("is still UTF-8 when the last character was cut", () =>
    expect(decodeBody(new Uint8Array(Buffer.from("aé")).subarray(0, 2), null, "text")).toEqual({ text: "a\ufffd", encoding: "utf-8" }));
  it("is seen in the zeros of an XML declaration", () =>
    expect(decodeBody(new Uint8Array(Buffer.from('<?xml version="1.0"?><a>é</a>', "utf16le")), null, "xml").text).toContain("<a>é</a>"));
});
