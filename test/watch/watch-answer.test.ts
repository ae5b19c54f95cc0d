import { expect, it } from "vitest";
import { createMemorySources, sampleQuestion } from "./memory-sources.ts";
import { openClient, type WatchClient } from "./watch-client.ts";

/** A page with an open question, and its reader's mark. */
async function asked(parts: Parameters<typeof openClient>[0] = {}): Promise<WatchClient & { readonly form: Record<string, string> }> {
  const client = await openClient(parts);
  await client.enter();
  client.sources.ask(sampleQuestion());
  return { ...client, form: { call: "asked-1", mark: await client.mark() } };
}

it("an answer reaches the call with the name of the person, and the log says it first", async () => {
  const { post, form, sources } = await asked();
  const answered = await post("/answer", { ...form, answer: "session" });
  expect([answered.status, answered.headers.location]).toEqual([303, "/"]);
  expect(sources.answers).toEqual([{ callId: "asked-1", answer: "session", by: "maria" }]);
  expect(sources.notes.at(-1)).toBe("maria answers call asked-1 on the page of zeph watch: session");
});

it("an answer that cannot be noted in the log is not given", async () => {
  const sources = createMemorySources();
  const { post, form } = await asked({ sources });
  (sources as { note: unknown }).note = () => Promise.reject(new Error("the disk is full"));
  expect((await post("/answer", { ...form, answer: "once" })).status).toBe(500);
  expect(sources.answers).toEqual([]);
});

it("a no may say why in one line, and a yes says nothing", async () => {
  const { post, form, sources } = await asked();
  await post("/answer", { ...form, answer: "no", reason: `use the other\nparser ${"x".repeat(2000)}` });
  expect(sources.answers[0]).toMatchObject({ answer: "no", reason: expect.stringMatching(/^use the other parser x+…$/) });
  expect(sources.answers[0]!.reason!.length).toBeLessThan(510);
  sources.ask(sampleQuestion(undefined, "asked-2"));
  await post("/answer", { ...form, call: "asked-2", answer: "once", reason: "because" });
  expect(sources.answers[1]).toEqual({ callId: "asked-2", answer: "once", by: "maria" });
});

it("a page that is read only shows the question without a button, and takes no answer", async () => {
  const { ask, post, form, sources } = await asked({ rights: { answer: false } });
  const { text } = await ask("/");
  expect(text).toContain("edit needs a yes.");
  expect(text).not.toContain('action="/answer"');
  expect(text).toContain("zeph watch --answer");
  const refused = await post("/answer", { ...form, answer: "once" });
  expect([refused.status, sources.answers]).toEqual([403, []]);
});

it("an answer names its call and counts once", async () => {
  const { post, form, sources } = await asked();
  const both = await Promise.all([post("/answer", { ...form, answer: "once" }), post("/answer", { ...form, answer: "no" })]);
  expect(both.map(({ status }) => status).sort()).toEqual([303, 409]);
  expect(sources.answers).toHaveLength(1);
  const late = await post("/answer", { ...form, answer: "no" });
  expect(late.status).toBe(409);
  expect(late.text).toContain("This question is not open any more.");
  expect((await post("/answer", { ...form, call: "other", answer: "once" })).status).toBe(409);
});

it("an answer that came second says so, to the person and in the log", async () => {
  const { post, form, sources } = await asked();
  (sources.live as { answer: unknown }).answer = async () => ({ counts: false, why: "Answered in the terminal by jo: once." });
  const second = await post("/answer", { ...form, answer: "no" });
  expect(second.status).toBe(409);
  expect(second.text).toContain("Answered in the terminal by jo: once.");
  expect(sources.notes.at(-1)).toBe("the answer of maria to call asked-1 did not count: Answered in the terminal by jo: once.");
});

it("only an answer that was offered is taken", async () => {
  const { post, form, sources } = await asked();
  for (const answer of ["edits", "yes", "", "later", "__proto__"])
    expect([answer, (await post("/answer", { ...form, answer })).status]).toEqual([answer, 400]);
  const { always_rule, ...question } = sampleQuestion(undefined, "asked-2").question;
  sources.ask({ ...sampleQuestion(undefined, "asked-2"), question });
  expect((await post("/answer", { ...form, call: "asked-2", answer: "always" })).status).toBe(400);
  expect(sources.answers).toEqual([]);
});

it("always is asked about again, with the rule in full, and counts for that rule alone", async () => {
  const { post, form, sources } = await asked();
  const again = await post("/answer", { ...form, answer: "always" });
  expect(again.status).toBe(200);
  expect(again.text).toContain("[[tools.permissions.rules]]\nallow = &quot;edit&quot;\npath = &quot;src/**&quot;</pre>");
  expect(sources.answers).toEqual([]);
  const rule = /name="rule" value="(\w+)"/.exec(again.text)![1]!;
  expect((await post("/answer", { ...form, answer: "always", rule: "0".repeat(64) })).text).toContain("Write this rule");
  expect(sources.answers).toEqual([]);
  // The same call comes to ask for more than what the person read.
  const wider = sampleQuestion();
  sources.withdraw("asked-1");
  sources.ask({ ...wider, question: { ...wider.question, always_rule: 'allow = "*"' } });
  const other = await post("/answer", { ...form, answer: "always", rule });
  expect(other.text).toContain("allow = &quot;*&quot;");
  expect(sources.answers).toEqual([]);
  const right = /name="rule" value="(\w+)"/.exec(other.text)![1]!;
  expect((await post("/answer", { ...form, answer: "always", rule: right })).status).toBe(303);
  expect(sources.answers).toEqual([{ callId: "asked-1", answer: "always", by: "maria" }]);
});

it("Enter in the line beside No says no: no yes stands in its form", async () => {
  const { ask } = await asked();
  const { text } = await ask("/");
  const forms = [...text.matchAll(/<form method="post" action="\/answer".*?<\/form>/gs)].map(([form]) => form);
  expect(forms).toHaveLength(2);
  const withLine = forms.filter((form) => form.includes('name="reason"'));
  expect(withLine).toHaveLength(1);
  expect([...withLine[0]!.matchAll(/name="answer" value="(\w+)"/g)].map(([, answer]) => answer)).toEqual(["no"]);
  expect(text).not.toMatch(/autofocus|accesskey/);
});

it("secrets of a question that is live are not shown, also not where it is asked again", async () => {
  const client = await asked();
  const one = sampleQuestion(undefined, "asked-2");
  const question = {
    ...one.question,
    args: { command: "login hunter2" },
    why: ["hunter2"],
    always_rule: 'allow = "login hunter2"',
    preview: "+hunter2",
  };
  client.sources.ask({ ...one, title: "about hunter2", question });
  const shown = await client.ask("/");
  const again = await client.post("/answer", { ...client.form, call: "asked-2", answer: "always" });
  expect(again.text).toContain("allow = &quot;login [secret]&quot;");
  for (const { text } of [shown, again]) expect(text).not.toContain("hunter2");
});

it("a question whose call is made with its answer has no button, and says what answers it", async () => {
  const client = await openClient();
  await client.enter();
  const { pid: _, ...left } = sampleQuestion();
  client.sources.ask({ ...left, onlyWith: "zeph answer asked-1 once|no" });
  const { text } = await client.ask("/");
  expect(text).toContain("<code>zeph answer asked-1 once|no</code>");
  expect(text).not.toContain('action="/answer"');
});
