import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Answer, Outcome, Question } from "../../src/index.ts";
import { type Workspace, workspace } from "../workspace.ts";

let place: Workspace;
let works = false;
const command = () => `cat ${join(place.T, "outside.txt")}`;
const said = (outcome: Outcome) => (outcome.ok ? outcome.output.text : `${outcome.error.category}: ${outcome.error.message}`);

function open(escalation: "never" | "ask", answers: (Answer | null)[]) {
  const questions: Question[] = [];
  const zeph = place.runtime({
    config: { audit: { path: join(place.state, "audit.jsonl") }, tools: { sandbox: { escalation } } },
    confirm(question) {
      questions.push(question);
      return answers.shift() ?? null;
    },
  });
  return { zeph, questions };
}

beforeAll(async () => {
  place = workspace([{ op: "file", path: "work/a.txt", content: "a\n" }]);
  writeFileSync(join(place.T, "outside.txt"), "outside\n");
  const zeph = await open("never", []).zeph;
  const first = await zeph.call("bash", { command: "true" });
  works = first.ok && first.output.walls?.backend === "bubblewrap";
  await zeph.close();
});
afterAll(() => place.remove());

it("A command that failed at a wall is never run without walls unless a setting says that it may be asked about", async ({ skip }) => {
  skip(!works, "needs bubblewrap");
  const { zeph, questions } = open("never", ["once"]);
  const it = await zeph;
  for (let n = 0; n < 3; n++) expect(said(await it.call("bash", { command: command() }))).toMatch(/no such file/i);
  expect(questions).toEqual([]);
  await it.close();
});

it("A command that failed at a wall may be asked about when it is called again: a question of its own, each time, and audited", async ({
  skip,
}) => {
  skip(!works, "needs bubblewrap");
  const { zeph, questions } = open("ask", ["no", "always", null]);
  const it = await zeph;
  const run = () => it.call("bash", { command: command() });
  expect(said(await run())).toMatch(/no such file/i);
  expect(questions).toEqual([]);
  expect(said(await run())).toMatch(/^policy_blocked/);
  expect(questions).toMatchObject([{ without_walls: "only" }]);
  expect(questions[0]!.always_rule).toBeUndefined();
  // After a no it runs behind the walls again.
  expect(said(await run())).toMatch(/no such file/i);
  const escalated = await run();
  expect(said(escalated)).toContain("outside");
  expect(escalated.ok && escalated.output.walls).toMatchObject({ backend: "none", reason: expect.stringContaining("escalation") });
  expect(place.audit().trim().split("\n").at(-1)).toContain("a person let it run without walls");
  // No answer lasts.
  expect(said(await run())).toMatch(/no such file/i);
  expect(said(await run())).toMatch(/^confirmation_required/);
  expect(questions).toHaveLength(3);
  await it.close();
});

it("A failure that is no wall's is not asked about, and neither is another command", async ({ skip }) => {
  skip(!works, "needs bubblewrap");
  const { zeph, questions } = open("ask", []);
  const it = await zeph;
  for (let n = 0; n < 2; n++) await it.call("bash", { command: "cat nope" });
  await it.call("bash", { command: command() });
  await it.call("bash", { command: `${command()} ` });
  expect(questions).toEqual([]);
  await it.close();
});
