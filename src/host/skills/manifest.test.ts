import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuMs } from "../../../test/cpu.ts";
import { BrokenManifest, readManifest } from "./manifest.ts";

const read = (text: string, folder = "deploy") => readManifest(Buffer.from(text), folder);
const head = (lines: string) => read(`---\nname: deploy\n${lines}\n---\nDo it.\n`);
const why = (text: string, folder?: string): string => {
  try {
    read(text, folder);
  } catch (error) {
    if (error instanceof BrokenManifest) return error.message;
    throw error;
  }
  throw new Error("it was read");
};

describe("a SKILL.md", () => {
  it("is read with its name, description, wishes and body", () => {
    expect(read("---\nname: deploy\ndescription: Ship it\nlicense: MIT\nallowed-tools: Bash, Read\n---\n\n# Steps\n\n1. go\n")).toEqual({
      name: "deploy",
      description: "Ship it",
      asks: ["allowed-tools: Bash, Read"],
      notes: [],
      license: "MIT",
      metadata: [],
      body: "# Steps\n\n1. go",
    });
  });

  it("is read with everything the format has: license, compatibility, metadata", () => {
    const lines = [
      "license: Complete terms in LICENSE.txt # here",
      'metadata:\n  author: me\n  # who\n  version: "1.0"\n  note: >-\n    two\n    lines\n  deep:\n    a: 1\n  tags: [a, b]\n  last: it: is',
      "compatibility: Needs git\n  and jq",
      "disable-model-invocation: true",
    ];
    expect(head(`description: x\n${lines.join("\n")}`)).toMatchObject({
      license: "Complete terms in LICENSE.txt",
      metadata: [
        ["author", "me"],
        ["version", "1.0"],
        ["note", "two lines"],
        ["last", "it: is"],
      ],
      asks: ["compatibility: Needs git and jq"],
      notes: [],
    });
  });

  it.each([
    ["allowed-tools: [c", 'its allowed-tools cannot be read (line 4: a list has no closing "]")'],
    ["allowed-tools: [[c]]", "its allowed-tools cannot be read (line 4: a list holds more than texts)"],
    ["compatibility:\n  - [x", undefined],
    ["license: [a", undefined],
    ["metadata: [a", undefined],
    ["metadata:\n  a: 'b\n  c: d", undefined],
  ])("is used though it holds what nobody acts on and nobody can read: %j", (lines, note) => {
    expect(head(`description: x\n${lines}`)).toMatchObject({ description: "x", ...(note !== undefined && { asks: [], notes: [note] }) });
  });

  it.each([
    ["colons inside", "description: Use when: a, b. See https://a.example: it", "Use when: a, b. See https://a.example: it"],
    ["double quotes", 'description: "Say \\"hi\\": \\u00e9\\tx" # why', 'Say "hi": é\tx'],
    ["single quotes", "description: 'it''s: here'", "it's: here"],
    ["quotes over lines", 'description: "one\n  two # three\n\n  four"', "one two # three\nfour"],
    ["plain over lines", "description: one\n  two: three\n  four", "one two: three four"],
    ["on the next line", "description:\n  one\n  two", "one two"],
    ["folded", "description: >-\n  one\n  two\n\n  three", "one two\nthree"],
    ["literal", "description: |\n  one\n    two # no comment\n", "one\n  two # no comment"],
    ["literal, then a key", "description: |\n  one\nversion: 1.0", "one"],
    ["a comment", "description: one # two", "one"],
    ["no comment", "description: C#, a#b", "C#, a#b"],
    ["tab behind the colon", "description:\tone", "one"],
    ["an apostrophe and a dash", "description: don't - really", "don't - really"],
  ])("reads a description with %s", (_what, lines, text) => {
    expect(head(lines).description).toBe(text);
  });

  it.each([
    ["a list in brackets", "allowed-tools: [Read, 'Bash(npm:*)', Grep]", "Read, Bash(npm:*), Grep"],
    ["brackets over lines", 'allowed-tools:\n  ["Read",\n   "Edit"]', "Read, Edit"],
    ["a list", "allowed-tools:\n  - Read\n  - Bash(git:*)", "Read, Bash(git:*)"],
    ["a list at the edge", "allowed-tools:\n- Read\n# two\n- Edit", "Read, Edit"],
    ["words", "allowed-tools: Bash(python:*) WebFetch", "Bash(python:*) WebFetch"],
  ])("reads allowed-tools as %s", (_what, lines, text) => {
    expect(head(`description: x\n${lines}`).asks).toEqual([`allowed-tools: ${text}`]);
  });

  it("does not mind what it does not read: maps, lists of maps, unknown keys", () => {
    const extra =
      "metadata:\n  author: me\n  deep:\n    - a: 1\n      b: {c: [1]}\nhooks:\n  x: &y 1\nglobs: *.ts\nempty:\ndisable-model-invocation: true";
    expect(head(`description: x\n${extra}`)).toMatchObject({ description: "x", notes: [], body: "Do it." });
  });

  it("may have a BOM, CRLF, and blanks behind the dashes", () => {
    expect(read("\ufeff--- \r\nname: deploy\r\ndescription: a\r\n  b\r\n---\t\r\nx\r\ny\r\n")).toMatchObject({
      description: "a b",
      body: "x\ny",
      notes: [],
    });
  });

  it("keeps its own name where the folder has another, and takes the folder's where it has none", () => {
    expect(read("---\nname: ship\ndescription: x\n---\ny")).toMatchObject({ name: "ship", notes: ['its folder is named "deploy"'] });
    expect(read("---\ndescription: x\n---\ny")).toMatchObject({ name: "deploy", notes: [expect.stringContaining("has no name")] });
    expect(read("---\nname: Ship It!\ndescription: x\n---\ny")).toMatchObject({
      name: "deploy",
      notes: [expect.stringContaining('"Ship It!"')],
    });
  });

  it("is cut where its description is too long, and told where it says nothing", () => {
    const long = read(`---\nname: deploy\ndescription: ${"a".repeat(2000)}\n---\n`);
    expect([long.description.length, long.notes.length]).toEqual([1024, 2]);
  });
});

describe("a broken SKILL.md says why", () => {
  it.each([
    ["# Just text", "line 1: it does not begin with"],
    ["", "line 1: it does not begin with"],
    ["---\nname: a\ndescription: b\n", "has no end"],
    ["---\nname: a\n---\n", "has no description"],
    ["---\nname: a\ndescription:\n---\n", "has no description"],
    ["---\nname: a\ndescription: &x b\n---\n", 'line 3: "description" uses an anchor'],
    ["---\nname: !!str a\ndescription: b\n---\n", 'line 2: "name" uses an anchor'],
    ["---\nname: a\nmetadata: *x\ndescription: b\n---\n", 'line 3: "metadata" uses'],
    ["---\nname: a\nname: b\ndescription: c\n---\n", 'line 3: "name" is there twice'],
    ["---\nname: a\n\tdescription: b\n---\n", "line 3: a tab"],
    ["---\nname: a\njust words\n---\n", 'line 3: this is not "key: value"'],
    ["---\n  name: a\n---\n", "line 2: this belongs to no key"],
    ['---\nname: a\ndescription: "b\n---\n', "line 3: a quote is not closed"],
    ['---\nname: a\ndescription: "b" c\n---\n', "behind the closing quote"],
    ['---\nname: a\ndescription: "\\q"\n---\n', "means nothing inside quotes"],
    ['---\nname: a\ndescription: "\\U00ffffff"\n---\n', "means nothing inside quotes"],
    ["---\nname: a\ndescription: [b]\n---\n", "must stand in quotes"],
    ["---\nname: a\ndescription:\n  - b\n---\n", "a list stands where a text is wanted"],
    ["---\nname: a\ndescription: |x\n  b\n---\n", "does not begin a block of text"],
    [`---\nname: a\ndescription: b\0\n---\n`, "not UTF-8"],
  ])("%j: %s", (text, expected) => {
    expect(why(text)).toContain(expected);
  });

  it("for a name that no folder's name can replace", () => {
    expect(why("---\nname: Ship It\ndescription: x\n---\n", "My Folder")).toContain(
      '"Ship It" is not a name for a skill: it takes lowercase',
    );
    expect(why("---\ndescription: x\n---\n", "_")).toContain("has no name");
  });

  it("for bytes that are no text, and for a file that is too large", () => {
    expect(() => readManifest(Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe]), "a")).toThrow("not UTF-8");
    expect(() => readManifest(Buffer.alloc(256 * 1024 + 1, "a"), "a")).toThrow("larger than 256 KiB");
  });
});

describe("whatever is written", () => {
  it("is read or told as broken, and nothing else is thrown", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "\n",
        "---\n",
        "name: ",
        "description: ",
        "allowed-tools: ",
        "[",
        "]",
        '"',
        "'",
        "\\",
        "|",
        ">",
        "- ",
        "  ",
        "&a ",
        ": ",
        "#",
        "\t",
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        try {
          const { name, description } = read(`---\n${pieces.join("")}`);
          expect(name).toMatch(/^[a-z0-9-]{1,64}$/);
          expect(description).not.toBe("");
        } catch (error) {
          if (!(error instanceof BrokenManifest)) throw error;
        }
      }),
      { numRuns: 400 },
    );
  });

  it("comes back as it was when it stands in quotes", () => {
    const text = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 200 })
      .filter((one) => one.trim() === one && one !== "" && !/[\p{Cc}\u2028\u2029]/u.test(one));
    fc.assert(
      fc.property(text, (one) => {
        expect(head(`description: ${JSON.stringify(one)}`).description).toBe(one);
        expect(head(`description: '${one.replaceAll("'", "''")}'`).description).toBe(one);
      }),
    );
  });

  it("takes time in proportion to its length", () => {
    const started = cpuMs();
    for (const one of ["a: b\n", "- ", "'", '"\\', "[", "# \n", "  x\n", ": ", " "]) {
      const long = one.repeat(Math.floor((256 * 1024 - 40) / one.length));
      for (const start of ["---\nname: a\ndescription: ", "---\nname: a\ndescription: b\nallowed-tools:\n  ["])
        try {
          read(`${`${start}${long}`.slice(0, 256 * 1024 - 8)}\n---\n`);
        } catch (error) {
          if (!(error instanceof BrokenManifest)) throw error;
        }
    }
    expect(cpuMs() - started).toBeLessThan(6000);
  });
});
