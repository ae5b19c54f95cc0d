import { describe, expect, it } from "vitest";
import { ModelError } from "../../src/core/model-error.ts";
import { openFleet } from "../../src/runtime/library/library.ts";
import { asks, says } from "../talking.ts";
import { counted, fleet, makeRemote, modelOf } from "./agent-fleet.ts";
import { hasPostgres, makeSchema } from "./database.ts";

const url = hasPostgres ? await makeSchema() : "";

describe.skipIf(!hasPostgres)("a turn on a worker", () => {
  it("is what a real agent says and does in a folder of its own", async () => {
    const { submit, ended, worker } = fleet(url);
    worker(
      modelOf(({ messages }) =>
        messages.some(({ role }) => role === "tool") ? [says("Written.")] : [asks("write", { path: "a.txt", content: "hello\n" })],
      ),
      { name: "w-first" },
    );
    const task = await ended(await submit({ text: "Write a file." }));
    expect(task).toMatchObject({ state: "done", attempt: 1, result: { ok: true, text: "Written.", unknown: 0, worker: "w-first" } });
  });

  it("goes on with the conversation and the files of its session, wherever it runs", async () => {
    const { remote, git } = makeRemote();
    const { submit, ended, worker } = fleet(url);
    const model = () =>
      modelOf(({ messages }) => {
        const last = messages.at(-1)!;
        if (last.role === "tool") return [says(`Read: ${last.text}`)];
        const said = messages.findLast((message) => message.role === "user" && message.from === undefined);
        return said?.role === "user" && said.text.startsWith("Change")
          ? [asks("write", { path: "a.txt", content: "two\n" })]
          : [asks("read", { path: "a.txt" })];
      });
    const first = worker(model(), { name: "w-a" });
    const repo = { url: `file://${remote}` };
    expect(
      await ended(await submit({ text: "Change the file.", session: "s1", payload: { format: 1, text: "Change the file.", repo } })),
    ).toMatchObject({
      state: "done",
    });
    expect(git(remote, "for-each-ref", "--format=%(refname)", "refs/zeph")).toBe("refs/zeph/s1/1");
    await first.stop();

    const there = model();
    worker(there, { name: "w-b" });
    const task = await ended(await submit({ text: "What is in it?", session: "s1" }));
    expect(task).toMatchObject({ state: "done", result: { text: expect.stringContaining("two"), worker: "w-b" } });
    const told = there.given[0]!.messages;
    expect(told[0]).toMatchObject({ role: "user", text: "Change the file." });
    expect(told.at(-2)).toMatchObject({ role: "user", text: "What is in it?" });
    expect(told.at(-1)).toMatchObject({ role: "user", from: "loop", text: expect.stringContaining("made anew from the last snapshot") });
  });

  it("commits behind the walls, in a folder that shares its repository with others", async () => {
    const { remote, git } = makeRemote();
    const { submit, ended, worker } = fleet(url);
    const commit = "echo mine > a.txt && git -c user.name=m -c user.email=m@localhost commit -qam mine && git log --format=%s -1";
    worker(
      modelOf(({ messages }) => {
        const last = messages.at(-1)!;
        return last.role === "tool" ? [says(`It said: ${last.text}`)] : [asks("bash", { command: commit })];
      }),
    );
    const repo = { url: `file://${remote}` };
    const task = await ended(await submit({ text: "Commit.", session: "s1", payload: { format: 1, text: "Commit.", repo } }));
    expect(task).toMatchObject({ state: "done", result: { ok: true, text: expect.stringContaining("mine"), snapshot: "refs/zeph/s1/1" } });
    expect(git(remote, "log", "--format=%s", "-2", "refs/zeph/s1/1")).toBe("Snapshot of a session\nmine");
  });

  it("is had by a program that talks to a session, with its events and its end", async () => {
    const { tenant, worker } = fleet(url);
    let go = () => {};
    const isHeld = new Promise<void>((resolve) => {
      go = resolve;
    });
    const model = modelOf(async ({ messages }) => {
      const said = messages.flatMap((message) => (message.role === "user" && message.from === undefined ? [message.text] : []));
      if (said.length === 1) await isHeld;
      return [says(`Heard ${said.length}: ${said.at(-1)}`)];
    });
    worker(model);
    await using program = await openFleet({ store: url, tenant, person: "kim" });
    const session = program.session("talk");
    const first = session.send("One.");
    const events: string[] = [];
    const reading = (async () => {
      for await (const { type } of first) events.push(type);
    })();
    await expect.poll(() => model.given.length).toBe(1);
    // Said while it is busy: the next turn hears all of it, once.
    const others = [
      session.send("Two."),
      session.send("Three."),
      session.send("Three.", { key: "k" }),
      session.send("Again.", { key: "k" }),
    ];
    await expect.poll(() => counted(url, tenant)).toBe(4);
    go();
    expect(await first.result()).toMatchObject({ state: "done", result: { ok: true, text: "Heard 1: One." } });
    await reading;
    expect(events).toEqual(["turn_start", "text", "done"]);
    const ends = await Promise.all(others.map((turn) => turn.result()));
    expect(new Set(ends.map(({ id }) => id)).size).toBe(1);
    expect(ends[0]).toMatchObject({ result: { text: "Heard 2: Two.\n\nThree.\n\nThree." } });
    expect(model.given.at(-1)!.messages.filter(({ role }) => role === "user")).toHaveLength(2);

    const id = await program.submit("Alone.", { key: "once" });
    expect(await program.submit("Alone.", { key: "once" })).toBe(id);
    expect(await program.follow(id).result()).toMatchObject({ id, state: "done", payload: { person: "kim" } });
    expect(await program.cancel(id)).toBe(false);
    expect(await program.task(id)).toMatchObject({ id });
    await expect(program.follow("00000000-0000-0000-0000-000000000000").result()).rejects.toThrow("no such task");
  });

  it("fails in words without secrets: what a provider says about a key is stored nowhere", async () => {
    const { submit, ended, worker } = fleet(url);
    const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
    worker(
      modelOf(() => {
        throw new ModelError("wrong_key", `The key ${token} is not good.`);
      }),
    );
    const { state, result } = await ended(await submit({ text: "Hello." }));
    expect([state, result!.text]).toEqual(["failed", expect.stringContaining("is not good")]);
    expect(JSON.stringify(result)).not.toContain(token);
  });

  it("works for one person: what another says waits for a turn of its own", async () => {
    const { tenant, worker } = fleet(url);
    await using kim = await openFleet({ store: url, tenant, person: "kim" });
    await using lee = await openFleet({ store: url, tenant, person: "lee" });
    const turns = [kim.session("s").send("From Kim."), lee.session("s").send("From Lee.")];
    await expect.poll(() => counted(url, tenant)).toBe(2);
    const model = modelOf(({ messages }) => [says(`Said: ${messages.filter(({ role }) => role === "user").length}`)]);
    worker(model);
    const ends = await Promise.all(turns.map((turn) => turn.result()));
    expect(ends.map(({ payload }) => payload.person).sort()).toEqual(["kim", "lee"]);
    expect(model.given).toHaveLength(2);
  });

  it("finds what the repository's setup command made, which was run once on the worker", async () => {
    const { remote } = makeRemote();
    const { submit, ended, worker } = fleet(url);
    const reads = modelOf(({ messages }) => {
      const last = messages.at(-1)!;
      return last.role === "tool" ? [says(`Read: ${last.text}`)] : [asks("bash", { command: "cat built/made" })];
    });
    const repo = { url: `file://${remote}` };
    const setup = [{ repo: repo.url, command: "mkdir built && date +%N > built/made", files: ["a.txt"] }];
    worker(reads, { fleet: { setup } });
    const read = async (session: string) =>
      (await ended(await submit({ text: "Read.", session, payload: { format: 1, text: "Read.", repo } }))).result!.text;
    const first = await read("s1");
    expect(first).toMatch(/Read: [\s\S]*\d{6}/);
    expect(await read("s2")).toBe(first);

    const failing = fleet(url);
    const hears = modelOf(() => [says("Heard.")]);
    failing.worker(hears, { fleet: { setup: [{ ...setup[0]!, command: "exit 3" }] } });
    await failing.ended(await failing.submit({ text: "Read.", payload: { format: 1, text: "Read.", repo } }));
    expect(hears.given[0]!.messages.at(-1)).toMatchObject({
      from: "loop",
      text: expect.stringContaining("The setup command of the repository failed (exit 3)"),
    });
  });
});
