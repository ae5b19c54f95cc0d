import * as fc from "fast-check";
import pc from "picocolors";
import { describe, expect, it } from "vitest";
import type { Elicitation, Field, Form } from "../../../core/ports/elicitation.ts";
import { badAnswer, fieldValue } from "../../../question/field.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { elicitFrom } from "./elicit.ts";

/** A person who types these lines, one for each prompt, and then is gone. */
async function asked(what: Elicitation, typed: readonly string[]) {
  let shown = "";
  const lines = [...typed];
  const stderr = {
    write(text: string) {
      shown += text;
    },
  };
  const terminal = { stderr, err: pc.createColors(false) } as unknown as Terminal;
  const read = async (prompt: string) => {
    shown += prompt;
    return lines.shift() ?? null;
  };
  return { answer: await elicitFrom(what, read, terminal), shown, left: lines };
}

const text = (name: string, more: Partial<Field> = {}): Field => ({ name, type: "text", required: true, ...more });
const form = (...fields: Field[]): Form => ({ kind: "form", from: "hub", message: "Who are you?", fields });

describe("a form of a server", () => {
  it("shows who asks, takes an answer for each field, and sends what was seen", async () => {
    const { answer, shown } = await asked(
      form(
        text("login", { title: "Your name", description: "As at work" }),
        {
          name: "size",
          type: "choice",
          required: true,
          options: [
            { value: "s", label: "Small" },
            { value: "l", label: "Large" },
          ],
        },
        {
          name: "tags",
          type: "choices",
          required: true,
          options: [
            { value: "a", label: "a" },
            { value: "b", label: "b" },
          ],
          most: 2,
        },
        { name: "age", type: "integer", required: true, least: 18 },
        { name: "news", type: "boolean", required: true },
        { name: "ratio", type: "number", required: false },
      ),
      ["y", "ada", "2", "1, b", "30", "no", "", "y"],
    );
    expect(answer).toEqual({ action: "accept", content: { login: "ada", size: "l", tags: ["a", "b"], age: 30, news: false } });
    for (const part of ["server hub asks", "Who are you?", "Your name", "As at work", "2  Large (l)", "To hub:", "login  ada"])
      expect(shown).toContain(part);
  });

  it("asks again for what is wrong or missing, and takes a default for Enter", async () => {
    const { answer, shown } = await asked(
      form(text("name"), text("mail", { format: "email" }), { name: "n", type: "integer", required: true, default: 3, most: 5 }),
      ["yes", "", "x", "nobody", "a@b.example", "9", "", "yes"],
    );
    expect(answer).toEqual({ action: "accept", content: { name: "x", mail: "a@b.example", n: 3 } });
    expect(shown).toContain("That is not an email address.");
    expect(shown).toContain("It must be at most 5.");
  });

  it.each([
    ["a no is a decline", ["n"], "decline"],
    ["Enter alone is a no", [""], "decline"],
    ["a no at the end sends nothing", ["y", "x", "n"], "decline"],
    ["Enter at the end sends nothing", ["y", "x", ""], "decline"],
    ["nobody there is no answer", [], "cancel"],
    ["who leaves in the middle has not answered", ["y"], "cancel"],
    ["who leaves before the end has not answered", ["y", "x"], "cancel"],
    ["anything else is asked again", ["what", "n"], "decline"],
  ])("%s", async (_, typed, action) => {
    expect((await asked(form(text("a")), typed)).answer).toEqual({ action });
  });

  it("can be filled in once more", async () => {
    expect((await asked(form(text("a")), ["y", "first", "e", "second", "y"])).answer).toEqual({
      action: "accept",
      content: { a: "second" },
    });
  });

  it("shows nothing a terminal would obey, and is not broken by odd names", async () => {
    const odd = {
      kind: "form",
      from: "a\nb\u001b[2J",
      message: "\u001b]0;x\u0007hi\u202e",
      fields: [text("__proto__", { title: "\u001b[31m", format: "constructor" })],
    } as const;
    const { answer, shown } = await asked(odd, ["y", "v", "y"]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones meant
    expect(shown).not.toMatch(/[\u001b\u0007\u202e]/);
    expect(shown).toContain("server a b\\u001b[2J asks");
    expect(Object.entries((answer as { content: object }).content)).toEqual([["__proto__", "v"]]);
  });

  it("a default the server itself would not take is not sent", async () => {
    const field = { name: "c", type: "choice", required: true, options: [{ value: "a", label: "a" }], default: "z" } as const;
    expect((await asked(form(field), ["y", "", "a", "y"])).answer).toEqual({ action: "accept", content: { c: "a" } });
  });
});

it("an address is shown and never opened; a yes says that the person did", async () => {
  const visit = { kind: "visit", from: "hub", message: "Sign here", url: "https://a.example/\u202ex" } as const;
  const { answer, shown } = await asked(visit, ["y"]);
  expect(answer).toEqual({ action: "accept", content: {} });
  expect(shown).toContain("https://a.example/\\u202ex");
  expect((await asked(visit, [""])).answer).toEqual({ action: "decline" });
});

describe("what is typed", () => {
  const options = [
    { value: "a", label: "A" },
    { value: "2", label: "two" },
    { value: "c", label: "C" },
  ];
  it.each<[Partial<Field> & Pick<Field, "type">, string, unknown]>([
    [{ type: "number" }, "1.5e2", 150],
    [{ type: "number" }, "1e999", null],
    [{ type: "number" }, "0x10", null],
    [{ type: "number", least: 0 }, "-1", null],
    [{ type: "integer" }, "1.5", null],
    [{ type: "integer" }, "9".repeat(16), null],
    [{ type: "boolean" }, "YES", true],
    [{ type: "boolean" }, "constructor", null],
    [{ type: "text", least: 2 }, "🧪", null],
    [{ type: "text", most: 1 }, "🧪", "🧪"],
    [{ type: "text", format: "uri" }, "a.example", null],
    [{ type: "text", format: "uri" }, "https://a.example", "https://a.example"],
    [{ type: "text", format: "date" }, "2026-02-30", null],
    [{ type: "text", format: "date" }, "2026-02-28", "2026-02-28"],
    [{ type: "text", format: "date-time" }, "2026-02-28T10:00:00Z", "2026-02-28T10:00:00Z"],
    [{ type: "text", format: "date-time" }, "2026-02-28", null],
    [{ type: "choice", options }, "1", "a"],
    [{ type: "choice", options }, "2", "2"],
    [{ type: "choice", options }, "3", "c"],
    [{ type: "choice", options }, "4", null],
    [{ type: "choice", options }, "0", null],
    [{ type: "choices", options }, "A, 3, 3", ["a", "c"]],
    [{ type: "choices", options, least: 2 }, "A", null],
    [{ type: "choices", options }, "A, x", null],
  ])("%j %s", (field, typed, value) => {
    const found = fieldValue({ name: "f", required: true, ...field }, typed);
    expect("value" in found ? found.value : null).toEqual(value);
  });

  it("is sent only when the server's own limits take it", () => {
    const field = fc.record({
      name: fc.string(),
      required: fc.boolean(),
      type: fc.constantFrom<Field["type"]>("text", "number", "integer", "boolean", "choice", "choices"),
      options: fc.constant(options),
      least: fc.integer({ min: -5, max: 5 }),
      most: fc.integer({ min: -5, max: 5 }),
      format: fc.oneof(fc.constantFrom("email", "uri", "date", "date-time", "__proto__", "toString"), fc.string()),
    });
    fc.assert(
      fc.property(field, fc.oneof(fc.string(), fc.constantFrom("1", "a", "yes", "1,2", "-3")), (field, typed) => {
        const found = fieldValue(field, typed);
        if ("value" in found) expect(badAnswer(field, found.value)).toBeNull();
        else expect(found.wrong).not.toBe("");
      }),
    );
  });
});
