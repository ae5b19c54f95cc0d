import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { openRuntime } from "../../src/runtime/create.ts";
import { runExec } from "../../src/runtime/hook/exec/run-exec.ts";
import { createHookTickets, isTicket } from "../../src/runtime/hook/hook-tickets.ts";
import { createNameQuestions } from "../../src/runtime/hook/name-questions.ts";
import { openKeptWorkspaces } from "../../src/runtime/hook/open-workspaces.ts";
import { createExecTickets } from "../../src/runtime/hook/tickets.ts";
import { openStore } from "../../src/store/open.ts";
import { listening, PUBLIC } from "../egress/stand-in.ts";

let port = 0;
const server = createServer((_request, response) => response.end("a page\n"));
beforeAll(async () => {
  port = await listening(server);
});
afterAll(() => void server.close());

/** What hookd does for commands of clients, in a folder whose internet is the server above. */
function place() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-names-")));
  const [work, settings] = [join(base, "work"), join(base, "config.toml")];
  mkdirSync(work);
  writeFileSync(settings, `[audit]\npath = ${JSON.stringify(join(base, "audit.jsonl"))}\n`);
  const store = openStore("memory");
  const names = createNameQuestions(createHookTickets(store.openQuestions));
  const tickets = createExecTickets();
  const open = () =>
    openKeptWorkspaces((cwd, memory) =>
      openRuntime({
        cwd,
        memory,
        shared: store,
        config: settings,
        confirm: names.confirm,
        egress: {
          registries: async () => [],
          wires: { lookup: async () => [PUBLIC], dial: () => connect({ port, host: "127.0.0.1", allowHalfOpen: true }) },
        },
      }),
    );
  let workspaces = open();
  onTestFinished(async () => {
    await workspaces.close();
    await store.close();
    rmSync(base, { recursive: true, force: true });
  });
  const run = async (command: string, session: string) => {
    const ticket = tickets.issue({
      ...{ client: "claude", session, cwd: work, from: [work], command, processes: ["7 1"] },
      ...{ agreed: true, waits: false, note: null },
    });
    const said = { stdout: "", stderr: "" };
    const streams = {
      print: (bytes: Uint8Array, stream: "stdout" | "stderr") => {
        said[stream] += Buffer.from(bytes).toString();
      },
      attach: () => {},
    };
    const call = { cwd: work, words: [], ticket, env: {}, stdin: false };
    const parts = { workspaces, tickets, names, above: async () => ["8 1", "7 1"] };
    const code = await runExec(call, streams, new AbortController().signal, parts);
    return { code, ...said };
  };
  return {
    run,
    store,
    settings: () => readFileSync(settings, "utf8"),
    hold: () => workspaces.hold(work),
    /** Another process, which knows what the store knows. */
    async restart() {
      await workspaces.close();
      workspaces = open();
    },
  };
}

const FETCH = "curl -fsS http://a.example/ | cat; exit ${PIPESTATUS[0]}";

it("a name that is closed becomes a question: the command fails, and one line names the id and the setting", async () => {
  const { run, store, settings } = place();
  const { code, stderr, stdout } = await run(FETCH, "s1");
  expect([code === 0, stdout]).toEqual([false, ""]);
  const lines = stderr.split("\n").filter((line) => line.startsWith("zeph:"));
  expect(lines).toEqual([expect.stringMatching(/a\.example.*tools\.sandbox\.allow_domains.*`zeph hook approve [0-9a-f]{8}`/)]);
  const [question, ...others] = (await store.openQuestions.list()).filter(isTicket);
  expect(others).toEqual([]);
  expect(question).toMatchObject({ question: { tool: "network" }, args: { name: "a.example" } });
  expect(stderr).toContain(question!.callId);
  expect(settings()).not.toMatch(/allow_network|a\.example/);
});

it("a yes opens that name for that session, and for no other", async () => {
  const { run, store } = place();
  await run(FETCH, "s1");
  const [question] = await store.openQuestions.list();
  await store.openQuestions.answer(question!.callId, { answer: "once" });
  expect(await run(FETCH, "s2")).toMatchObject({ stdout: "" });
  expect(await run(FETCH, "s1")).toMatchObject({ code: 0, stdout: "a page\n" });
  expect(await run(FETCH, "s1")).toMatchObject({ code: 0, stdout: "a page\n" });
  expect((await run(FETCH.replace("a.example", "b.example"), "s1")).stdout).toBe("");
  expect((await run(FETCH, "s2")).stdout).toBe("");
});

it("a name that was opened for a session is open to it, and to no other, in the next process", async () => {
  const { run, store, restart } = place();
  await run(FETCH, "s1");
  const [question] = await store.openQuestions.list();
  await store.openQuestions.answer(question!.callId, { answer: "once" });
  expect((await run(FETCH, "s1")).code).toBe(0);
  await restart();
  expect((await run(FETCH, "s2")).stdout).toBe("");
  expect(await run(FETCH, "s1")).toMatchObject({ code: 0, stdout: "a page\n" });
});

it("what a command of a session fetched behind the walls is what that session has read, and no other", async () => {
  const { run, store, restart, hold } = place();
  await run(FETCH, "s1");
  const [question] = await store.openQuestions.list();
  await store.openQuestions.answer(question!.callId, { answer: "once" });
  expect((await run(FETCH, "s1")).code).toBe(0);
  await restart();
  const { inside, release } = await hold();
  const said = [];
  for (const session of ["s1", "s2"]) {
    const options = (callId: string) =>
      ({ record: true, callId, client: { name: "claude", session, walls: "none", unruled: "left to it" } }) as const;
    const read = [{ path: ".env" }, options(`${session} read`)] as const;
    await inside.zeph.decide("read", ...read);
    await inside.zeph.settle("read", read[0], { outcome: "ok", text: "SECRET" }, read[1]);
    said.push((await inside.zeph.decide("bash", { command: "git push origin main" }, options(`${session} push`))).gate);
  }
  release();
  expect(said).toEqual(["sentinel", null]);
});
