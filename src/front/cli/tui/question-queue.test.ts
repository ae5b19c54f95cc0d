import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ConfirmAnswer, Question } from "../../../core/event.ts";
import { createQuestionQueue } from "./question-queue.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const question = (more: Partial<Question> = {}): Question => ({
  call_id: "1",
  tool: "write",
  args: { path: "a.txt" },
  why: ["A rule asks."],
  touches: [],
  always_rule: "allow write on a.txt",
  ...more,
});

/** A person at the questions: each key is typed at a time, and what it was to the question is told. */
function person() {
  let lastKey = Number.NEGATIVE_INFINITY;
  let draft = "";
  const questions = createQuestionQueue({ lastKeyAt: () => lastKey, isTyping: () => draft !== "", changed: () => {} });
  const answers: ConfirmAnswer[] = [];
  return {
    questions,
    answers,
    draft: () => draft,
    ask: (more?: Partial<Question>, signal = new AbortController().signal) =>
      void questions.ask(question(more), signal).then((answer) => void answers.push(answer)),
    rest: (ms: number) => void vi.advanceTimersByTime(ms),
    /** As the screen passes a key on. */
    async key(name: string, text?: string) {
      lastKey = performance.now();
      const current = questions.current();
      if (current) current.isSeen = true;
      const meant = current ? questions.key({ name, ...(text !== undefined && { text }) }) : "typed";
      if (meant === "typed" && text !== undefined) draft += text;
      await Promise.resolve();
      return meant;
    },
    async type(text: string) {
      for (const letter of text) await this.key("text", letter);
    },
  };
}

describe("a question", () => {
  it("is answered by a key once the hands have rested", async () => {
    for (const [letter, answer] of [
      ["y", "once"],
      ["s", "session"],
      ["n", "no"],
      ["Y", "once"],
    ] as const) {
      const one = person();
      one.ask();
      one.rest(700);
      await one.type(letter);
      expect([letter, ...one.answers]).toEqual([letter, answer]);
    }
  });

  it("Escape hides what the gates say before it stops the turn", async () => {
    const one = person();
    one.ask();
    one.rest(700);
    one.questions.current()!.gates = [];
    expect(await one.key("escape")).toBe("explain");
    one.questions.current()!.gates = null;
    expect(await one.key("escape")).toBe("stop");
  });

  it("letters typed before, while and right after it appears never answer it", async () => {
    for (const [before, after] of [
      [100, 0],
      [100, 5000],
      [599, 100],
      [5000, 0],
      [5000, 100],
      [5000, 599],
    ] as const) {
      const one = person();
      await one.type("y");
      one.rest(before);
      one.ask();
      one.rest(after);
      await one.type("ysany");
      one.rest(5000);
      await one.type("ysany");
      await one.key("enter");
      expect([before, after, one.answers.length]).toEqual([before, after, 0]);
      expect(one.draft()).toBe("yysanyysany");
    }
  });

  it("that came right after a key waits for Tab, however long nobody types then", async () => {
    const one = person();
    await one.key("enter");
    one.rest(100);
    one.ask();
    one.rest(5000);
    await one.type("y");
    expect(one.answers).toEqual([]);
    await one.key("tab");
    await one.type("y");
    expect(one.answers).toEqual(["once"]);
  });

  it("a Tab that comes with it was meant for something else, and the letter behind it answers nothing", async () => {
    const one = person();
    await one.type("cd sr");
    one.ask();
    one.rest(100);
    await one.key("tab");
    await one.type("y");
    expect(one.answers).toEqual([]);
    expect(one.draft()).toBe("cd sry");
    one.rest(700);
    await one.key("tab");
    await one.type("y");
    expect(one.answers).toEqual(["once"]);
  });

  it("what stands in the editor keeps it from being answered until Tab", async () => {
    const one = person();
    await one.type("hello");
    one.rest(10_000);
    one.ask();
    one.rest(10_000);
    await one.type("y");
    expect(one.answers).toEqual([]);
    await one.key("tab");
    await one.type("y");
    expect(one.answers).toEqual(["once"]);
  });

  it("a paste, several letters at once, and Enter alone never answer", async () => {
    const one = person();
    one.ask();
    one.rest(700);
    await one.key("enter");
    expect(await one.key("paste", "y")).toBe("typed");
    one.rest(700);
    await one.key("tab");
    expect(await one.key("text", "yes")).toBe("typed");
    await one.type("y");
    expect(one.answers).toEqual([]);
  });

  it("a letter that is no answer begins a text, and the rest of it answers nothing", async () => {
    const one = person();
    one.ask();
    one.rest(700);
    await one.type("please say yes");
    expect(one.answers).toEqual([]);
    expect(one.draft()).toBe("please say yes");
  });

  it("always is written only after Enter, and any other key takes it back", async () => {
    const one = person();
    one.ask();
    one.rest(700);
    await one.type("a");
    await one.type("y");
    expect(one.answers).toEqual([]);
    await one.type("a");
    await one.key("enter");
    expect(one.answers).toEqual(["always"]);
  });

  it("the next one is not answered by the same key pressed twice", async () => {
    const one = person();
    one.ask();
    one.ask({ call_id: "2" });
    expect(one.questions.waiting()).toBe(1);
    one.rest(700);
    await one.type("yy");
    expect(one.answers).toEqual(["once"]);
    const other = person();
    other.ask();
    other.ask({ call_id: "2" });
    other.rest(700);
    await other.type("y");
    other.rest(700);
    await other.type("n");
    expect(other.answers).toEqual(["once", "no"]);
  });

  it("whose end was not on the screen takes only a no", async () => {
    const one = person();
    one.ask();
    one.rest(700);
    const current = one.questions.current()!;
    for (const letter of "yast") expect(one.questions.key({ name: "text", text: letter })).toBe("not-seen");
    current.isSeen = true;
    expect(one.questions.key({ name: "text", text: "y" })).toBe("done");
  });

  it("only offered answers count: no always without a rule, and the only yes about a repository is for the session", async () => {
    const one = person();
    const { always_rule: _, ...bare } = question();
    void one.questions.ask(bare, new AbortController().signal);
    one.rest(700);
    expect(await one.key("text", "a")).toBe("typed");
    const other = person();
    other.ask({ whole_repository: "/top" });
    other.rest(700);
    await other.type("y");
    expect(other.answers).toEqual(["session"]);
  });

  it("that nobody needs any more goes, and the one behind it has to be read first", async () => {
    const one = person();
    const stop = new AbortController();
    one.ask({}, stop.signal);
    one.ask({ call_id: "2" });
    one.rest(700);
    stop.abort();
    await one.type("y");
    expect(one.answers).toEqual([null]);
    expect(one.questions.current()?.question.call_id).toBe("2");
  });

  it("Escape stops, and nobody has answered", async () => {
    const one = person();
    one.ask();
    one.rest(700);
    expect(await one.key("escape")).toBe("stop");
    one.questions.dismiss();
    await Promise.resolve();
    expect(one.answers).toEqual([null]);
  });

  it("a no with a reason tells the model why", async () => {
    const one = person();
    one.ask();
    one.rest(700);
    expect(await one.key("text", "t")).toBe("reason");
    one.questions.refuse(one.questions.current()!, "use another name");
    await Promise.resolve();
    expect(one.answers).toEqual([{ answer: "no", reason: "use another name" }]);
  });
});
