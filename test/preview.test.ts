import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { answerText } from "../src/core/answer.ts";
import { createRuntime, type Question, type RuntimeOptions, type ZephEvent } from "../src/index.ts";
import { type QuestionView, viewQuestion } from "../src/question/question.ts";
import { questionText } from "../src/question/text.ts";
import { attempt } from "../src/text/attempt.ts";
import { workspace } from "./workspace.ts";

const place = workspace([{ op: "mkdir", path: "work" }]);
afterAll(() => place.remove());
const at = (name: string) => join(place.work, name);
const SECRET = `ghp_${"a1B2".repeat(9)}`;

let n = 0;
/** Makes the call with somebody who answers it, and returns what they were shown. */
async function asked(tool: string, args: object, more: Partial<RuntimeOptions> = {}, tools: object = {}) {
  const questions: Question[] = [];
  const events: ZephEvent[] = [];
  const zeph = await createRuntime({
    cwd: place.work,
    store: "memory",
    confirm: (question) => {
      questions.push(question);
      return "once";
    },
    onEvent: (event) => events.push(event),
    ...more,
    config: { audit: { path: join(place.state, `preview-${++n}.jsonl`) }, tools },
  });
  const outcome = await zeph.callAny(tool, args);
  await zeph.close();
  return { question: questions[0]!, outcome, events };
}

describe("a question about a change of a file", () => {
  it("shows the diff that the call then makes", async () => {
    writeFileSync(at("a.txt"), "one\ntwo\nthree\n");
    const written = await asked("write", { path: "a.txt", content: "one\n2\nthree\n" });
    expect(written.question).toMatchObject({ preview: expect.stringContaining("-two\n+2\n"), preview_whole: true });
    expect(written.question.preview).toBe(written.outcome.output!.diff);
    const edited = await asked("edit", { path: "a.txt", old_string: "three", new_string: "3" });
    expect(edited.question.preview).toContain("-three\n+3\n");
    expect(edited.question.preview).toBe(edited.outcome.output!.diff);
    const fresh = await asked("write", { path: "new.txt", content: "hi\n" });
    expect(fresh.question.preview).toMatch(/^--- \/dev\/null\n/);
    expect(readFileSync(at("new.txt"), "utf8")).toBe("hi\n");
  });

  it("holds no secret, of several lines neither, and then shows the arguments besides", async () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${`${"Q2hhbmdl".repeat(8)}\n`.repeat(4)}-----END PRIVATE KEY-----\n`;
    writeFileSync(at("s.env"), `${key}TOKEN=${SECRET}\nA=1\n`);
    const { question } = await asked("write", { path: "s.env", content: `${key}TOKEN=${SECRET}\nA=2\n` });
    expect(question.preview).toContain("-A=1\n+A=2\n");
    expect(question.preview).not.toMatch(/ghp_|Q2hhbmdl/);
    expect(question.preview_whole).toBeUndefined();
    const { rows } = viewQuestion(question) as QuestionView;
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(["content", "change"]));
  });

  it("shows what a file had that is to be deleted", async () => {
    writeFileSync(at("gone.txt"), "one\ntwo\n");
    const { question, outcome } = await asked("delete_path", { path: "gone.txt" });
    expect(outcome.ok).toBe(true);
    expect(question.preview).toContain("+++ /dev/null");
    expect(question.preview).toContain("-one\n-two\n");
    const { rows } = viewQuestion(question) as QuestionView;
    expect(rows.map(({ name }) => name)).toEqual(["path", "change", "touches"]);
    writeFileSync(at("long.txt"), "line of a long file\n".repeat(10_000));
    const long = await asked("delete_path", { path: "long.txt" });
    expect(long.question.preview!.length).toBeLessThan(61_000);
    expect(long.question.preview).toMatch(/\[\d+ more lines of the change left out\]\n$/);
  });

  it("says how much of a long change it leaves out, and then shows the arguments besides", async () => {
    writeFileSync(at("long.txt"), "a\n");
    const { question } = await asked("write", { path: "long.txt", content: "line of text\n".repeat(8000) });
    expect(question.preview!.length).toBeLessThan(61_000);
    expect(question.preview).toMatch(/\n\[\d+ more lines of the change left out\]\n$/);
    expect(question.preview_whole).toBeUndefined();
  });

  it("has none where the file may not be read, or nothing changes", async () => {
    writeFileSync(at("hidden.txt"), "secret words\n");
    const hidden = await asked("write", { path: "hidden.txt", content: "x" }, {}, { file: { deny_read: ["**/hidden.txt"] } });
    expect(hidden.question.tool).toBe("write");
    expect(JSON.stringify(hidden.question)).not.toContain("secret words");
    writeFileSync(at("same.txt"), "same\n");
    expect((await asked("write", { path: "same.txt", content: "same\n" })).question.preview).toBeUndefined();
  });

  it("is not worked out where nobody is asked", async () => {
    writeFileSync(at("b.txt"), "one\n");
    const { events } = await asked("write", { path: "b.txt", content: "two\n" }, { confirm: undefined as never });
    const told = events.find(({ type }) => type === "question");
    expect(told).toBeDefined();
    expect(told).not.toHaveProperty("preview");
  });
});

describe("a person", () => {
  const question = (more: Partial<Question> = {}): Question => ({
    call_id: "1",
    tool: "edit",
    args: { path: "a", old_string: "x", new_string: "y" },
    why: [],
    touches: [],
    preview: "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\u202e\n",
    preview_whole: true,
    ...more,
  });
  const names = (one: Question) => (viewQuestion(one) as QuestionView).rows.map(({ name }) => name);

  it("reads a whole diff in place of the texts it tells, in colours where there are any", () => {
    expect(names(question())).toEqual(["path", "change"]);
    const { preview_whole: _whole, ...cut } = question();
    expect(names(cut)).toEqual(["path", "old_string", "new_string", "change"]);
    const view = viewQuestion(question()) as QuestionView;
    expect(questionText(view)).toContain("    | -x\n    | +y\\u202e");
    const paint = (mark: string) => (text: string) => `<${mark}>${text}`;
    const colors = { yellow: paint("y"), bold: paint("b"), cyan: paint("c"), dim: paint("d"), green: paint("g"), red: paint("r") };
    expect(questionText(view, { colors, columns: 80 })).toContain("<r>-x\n    <d>| <g>+y");
  });

  it("reads the content of a new file once", () => {
    const fresh = question({ tool: "write", args: { path: "a", content: "y" }, preview: "--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+y\n" });
    expect(names(fresh)).toEqual(["path", "content"]);
  });
});

describe("a question about a command", () => {
  it("says which walls it would have, and one about a file says nothing of them", async () => {
    const permissions = { bash: [{ pattern: "*", action: "ask" }] };
    const walled = await asked("bash", { command: "touch x" }, {}, { permissions });
    const { backend, network } = walled.outcome.output!.walls!;
    expect(walled.question.walls).toMatchObject({ backend, network });
    const { rows } = viewQuestion(walled.question) as QuestionView;
    expect(rows.find(({ name }) => name === "walls")).toMatchObject({ text: `${backend}, network ${network}` });
    const open = await asked("bash", { command: "touch y" }, {}, { permissions, sandbox: { enabled: false } });
    expect(open.question.walls).toMatchObject({ backend: "none" });
    const shown = viewQuestion(open.question) as QuestionView;
    expect(shown.rows.find(({ name }) => name === "walls")).toMatchObject({ text: "none: the command has all your rights" });
    expect((await asked("write", { path: "w.txt", content: "x" })).question.walls).toBeUndefined();
  });
});

describe("a call that fails whatever is answered", () => {
  const ask = [{ pattern: "*", action: "ask" as const }];
  const readable = { permissions: { edit: ask, delete_path: ask, move_path: ask } };
  const failed = async (tool: string, args: object, tools: object = readable) => {
    const { question, outcome } = await asked(tool, args, {}, tools);
    expect(question).toBeUndefined();
    return answerText(outcome);
  };

  it("is not asked about: an edit whose text is not in the file", async () => {
    writeFileSync(at("e.txt"), `one\n  two\nTOKEN=${SECRET}\n`);
    expect(await failed("edit", { path: "e.txt", old_string: "    two", new_string: "2" })).toContain("differs only in white space");
    expect(await failed("edit", { path: "e.txt", old_string: "", new_string: "2" })).toContain("old_string is empty");
    expect(await failed("edit", { path: "gone.txt", old_string: "a", new_string: "2" })).toContain("does not exist");
    const secret = await failed("edit", { path: "e.txt", old_string: "one\n    two\nTOKEN=", new_string: "2" });
    expect(secret).toMatch(/\n\none\n {2}two\nTOKEN=/);
    expect(secret).not.toContain(SECRET);
  });

  it("is not asked about: what is not there to be deleted or moved, and a destination that is taken", async () => {
    writeFileSync(at("m.txt"), "m\n");
    expect(await failed("delete_path", { path: "gone.txt" })).toContain("does not exist");
    expect(await failed("move_path", { source: "gone.txt", destination: "x.txt" })).toContain("does not exist");
    expect(await failed("move_path", { source: "m.txt", destination: "e.txt" })).toContain("exists already");
  });

  it.each<[string, object, string]>([
    ["write", { path: "kinds/folder", content: "x" }, "kinds/folder is a folder, not a file"],
    ["write", { path: "kinds/link", content: "x" }, "kinds/link is a folder, not a file"],
    ["write", { path: "kinds/folder/", content: "x" }, "names a folder"],
    ["write", { path: "kinds/file/x/y", content: "x" }, "kinds/file/x/y: file is a file, not a folder"],
    ["create_directory", { path: "kinds/file" }, "kinds/file is a file, not a folder"],
    ["create_directory", { path: "kinds/file/x" }, "kinds/file/x: file is a file, not a folder"],
    ["edit", { path: "kinds/folder", old_string: "a", new_string: "b" }, "kinds/folder is a folder, not a file"],
    ["edit", { path: "kinds/file/x", old_string: "a", new_string: "b" }, "does not exist"],
    ["move_path", { source: "kinds/file", destination: "kinds/other/x" }, "kinds/other/x: other is a file, not a folder"],
    ["copy_path", { source: "kinds/folder", destination: "kinds/folder/sub/x" }, "lies inside the source"],
    ["copy_path", { source: "kinds/none", destination: "kinds/x" }, "does not exist"],
    ["delete_path", { path: "." }, "It may not be deleted or moved"],
    ["move_path", { source: ".", destination: "kinds/x" }, "It may not be deleted or moved"],
    ["grep", { pattern: "x", path: "kinds/none" }, "does not exist"],
    ["find_path", { pattern: "x", path: "kinds/file" }, "kinds/file is a file, not a folder"],
    ["list_directory", { path: "kinds/file" }, "kinds/file is a file, not a folder"],
    ["diagnostics", { path: "kinds/none" }, "does not exist"],
  ])("is not asked about: %s %j", async (tool, args, why) => {
    mkdirSync(at("kinds/folder/sub"), { recursive: true });
    for (const name of ["kinds/file", "kinds/other"]) writeFileSync(at(name), "x\n");
    attempt(() => symlinkSync("folder", at("kinds/link")), null);
    expect(await failed(tool, args, { permissions: { [tool]: ask } })).toContain(why);
  });

  it.each<[string, object]>([
    ["write", { path: "kinds/folder/new/file", content: "x" }],
    ["create_directory", { path: "kinds/folder" }],
    ["copy_path", { source: "kinds/file", destination: "kinds/file2" }],
    ["list_directory", { path: "kinds/link" }],
    ["grep", { pattern: "x", path: "kinds/file" }],
  ])("is no call that works: %s %j", async (tool, args) => {
    const { question, outcome } = await asked(tool, args, {}, { permissions: { [tool]: ask } });
    expect(question).toMatchObject({ tool });
    expect(outcome.ok).toBe(true);
  });

  it("is asked about all the same where reading the file would be asked about: the answer says nothing of what is in it", async () => {
    writeFileSync(at("private.txt"), "one\n");
    const hidden = { permissions: { ...readable.permissions, read: [{ pattern: "*", action: "ask" }] } };
    for (const [path, old_string] of [
      ["private.txt", "one"],
      ["private.txt", "none"],
      ["nothing.txt", "one"],
    ]) {
      const { question } = await asked("edit", { path, old_string, new_string: "2" }, {}, hidden);
      expect(question).toMatchObject({ tool: "edit" });
    }
  });

  it("is not asked about: an edit of a file that another program changed since it was read", async () => {
    writeFileSync(at("stale.txt"), "one\n");
    const questions: Question[] = [];
    const zeph = await createRuntime({
      cwd: place.work,
      store: "memory",
      confirm: (question) => {
        questions.push(question);
        return "session";
      },
      config: { audit: { path: join(place.state, "stale.jsonl") }, tools: readable },
    });
    const edit = (old_string: string, new_string: string) => zeph.call("edit", { path: "stale.txt", old_string, new_string });
    expect(await edit("one", "1")).toMatchObject({ ok: true });
    expect(questions).toHaveLength(1);
    writeFileSync(at("stale.txt"), "1 by somebody else\n");
    const stale = await edit("1", "one");
    expect(answerText(stale)).toContain("changed on disk since it was last read here. Read it again, then edit.");
    expect(questions).toHaveLength(1);
    await zeph.call("read", { path: "stale.txt" });
    expect(await edit("1", "one")).toMatchObject({ ok: true });
    await zeph.close();
  });
});
