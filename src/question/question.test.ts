import { describe, expect, it } from "vitest";
import type { Question } from "../core/event.ts";
import { choicesFor, pleaseAnswer, promptWords, typedAnswer, YES_EDIT_NO, YES_OR_NO } from "./answers.ts";
import { answerByFlags, confirmWith } from "./flags.ts";
import { type QuestionView, viewQuestion } from "./question.ts";
import { questionText } from "./text.ts";

const question = (args: unknown, more: Partial<Question> = {}): Question => ({
  call_id: "1",
  tool: "write",
  args,
  why: ["A rule asks."],
  touches: [{ kind: "path", access: "write", path: "a.txt" }],
  ...more,
});
const view = (args: unknown, more: Partial<Question> = {}) => viewQuestion(question(args, more)) as QuestionView;

describe("A view of a question", () => {
  it("holds every argument, every place and the rule that always would write", () => {
    const { rows } = view({ path: "a.txt", content: "x\n", limit: 3 }, { always_rule: "allow write on a.txt" });
    expect(rows.map(({ name, text }) => [name, text])).toEqual([
      ["path", "a.txt"],
      ["content", "x\n"],
      ["limit", "3"],
      ["touches", "write a.txt"],
      ["always", "writes the rule: allow write on a.txt"],
    ]);
  });

  it("knows the row that is a command", () => {
    const touches = [{ kind: "command", argv: ["ls"], text: "ls" }] as const;
    expect(view({ command: "ls", timeout: 5 }, { tool: "bash", touches }).rows.map((row) => row.isCommand)).toEqual([
      true,
      undefined,
      undefined,
    ]);
  });

  it("spells out what would hide or turn around a text, in names and values", () => {
    const hidden = view({ "a\u202eb": "\u001b[2Jx" }, { tool: "w\u200brite", why: ["a\u200bb"], always_rule: "\u202e" });
    expect(hidden).toMatchObject({ tool: "w\\u200brite", why: ["a\\u200bb"] });
    expect(hidden.rows[0]).toMatchObject({ name: "a\\u202eb", text: "\\u001b[2Jx" });
    expect(hidden.choices.find(({ answer }) => answer === "always")!.label).toBe("always: \\u202e");
  });

  it("of a call that runs already says what it wants, on one line and with nothing hidden", () => {
    const running = view({ command: "npm ci" }, { tool: "bash", wants: "`npm\u202e ci\n` wants to reach a.example:443." });
    expect(running).toMatchObject({ heading: "`npm\\u202e ci ` wants to reach a.example:443.", isUnderWay: true });
    expect(questionText(running)).toMatch(/^Question: `npm/);
    expect(view({}).isUnderWay).toBe(false);
  });

  it("exists for a question that can be shown whole, and for no longer one", () => {
    const long = `${"a".repeat(60_000)} HIDDEN ${"b".repeat(60_000)}`;
    expect(questionText(view({ content: long }))).toContain(long);
    expect(viewQuestion(question({ content: "a".repeat(200_001) }))).toEqual({
      tooLong: expect.stringMatching(/^write needs a yes, and nobody was asked: its question has 2000\d\d characters/),
    });
  });
});

describe("The text of a question", () => {
  it("shows a text of many lines, or with space at its edges, in a block", () => {
    expect(questionText(view({ path: "a.txt", content: "one\n two \n" }))).toBe(
      [
        "Question: write needs a yes.",
        "  A rule asks.",
        "  path     a.txt",
        "  content",
        "    | one",
        "    |  two ",
        "  touches  write a.txt",
      ].join("\n"),
    );
  });
});

describe("The answers to a question", () => {
  it("include always only with the rule it writes", () => {
    expect(choicesFor({}).map(({ answer }) => answer)).toEqual(["once", "session", "no"]);
    expect(choicesFor({ always_rule: "allow x" }).map(({ label }) => label)).toEqual([
      "yes, once",
      "yes, for this session",
      "always: allow x",
      "no",
    ]);
  });

  it("include all edits only where one is asked about", () => {
    expect(choicesFor({ all_edits: true, always_rule: "allow x" }).map(({ label }) => label)).toEqual([
      "yes, once",
      "yes, for this session",
      "yes, all edits in this workspace, this session",
      "always: allow x",
      "no",
    ]);
    expect(promptWords(choicesFor({ all_edits: true }))).toBe("[o]nce, [s]ession, [e]dits, [N]o");
    expect(typedAnswer("e", choicesFor({ all_edits: true }))).toBe("edits");
    expect(typedAnswer("e", choicesFor({}))).toBeNull();
  });

  it("are typed as words or their first letters, and Enter alone is a no", () => {
    const choices = choicesFor({ always_rule: "allow x" });
    expect(promptWords(choices)).toBe("[o]nce, [s]ession, [a]lways, [N]o");
    const typed = { " O ": "once", YES: "once", s: "session", always: "always", "": "no", n: "no", perhaps: null };
    for (const [word, answer] of Object.entries(typed)) expect(typedAnswer(word, choices)).toBe(answer);
    expect(typedAnswer("always", choicesFor({}))).toBeNull();
    expect(pleaseAnswer(choices)).toBe("Please answer once, session, always, no. Enter alone means no.");
    expect([promptWords(YES_OR_NO), promptWords(YES_EDIT_NO)]).toEqual(["[y]es, [N]o", "[y]es, [e]dit, [N]o"]);
  });

  it("about the repository around the workspace are all of it or only here, and no flag says the first", () => {
    const asked = question({}, { whole_repository: "/home/a/mono", always_rule: "allow x" });
    const choices = choicesFor(asked);
    expect(choices.map(({ answer, label }) => [answer, label])).toEqual([
      ["session", "yes, all of it, for this session"],
      ["no", "only here"],
    ]);
    expect(promptWords(choices)).toBe("[y]es, [H]ere");
    expect(["y", "yes", "here", "n", "", "once", "always"].map((typed) => typedAnswer(typed, choices))).toEqual([
      "session",
      "session",
      "no",
      "no",
      "no",
      null,
      null,
    ]);
    expect(pleaseAnswer(choices)).toBe("Please answer yes, here. Enter alone means here.");
    expect(answerByFlags({ yes: true, withoutWalls: true }, asked)).toBeNull();
  });

  it("by flags never say that a command may run without walls unless --without-walls does", () => {
    const [yes, walls, both] = [
      [true, false],
      [false, true],
      [true, true],
    ].map(([yes, withoutWalls]) => ({ yes: yes!, withoutWalls: withoutWalls! }));
    const [plain, only, too] = [undefined, "only", "too"].map((without) =>
      question({}, without === undefined ? {} : { without_walls: without as "only" }),
    );
    expect([yes, walls, both].map((flags) => [plain, only, too].map((one) => answerByFlags(flags!, one!)?.by))).toEqual([
      ["--yes", undefined, undefined],
      [undefined, "--without-walls", undefined],
      ["--yes", "--without-walls", "--yes --without-walls"],
    ]);
    expect(confirmWith({ yes: false, withoutWalls: false })).toEqual({});
  });
});
