import { describe, expect, it, onTestFinished, vi } from "vitest";
import { AgreedTools } from "../../src/mcp/client/trust/agreed-tools.ts";
import { openStore } from "../../src/store/open.ts";
import { bench, diary, hostile } from "./client-support.ts";

// Real programs on a machine that may be busy.
const ECHO = "mcp__bad__echo";
const hello = { text: "hello" };

describe("definitions are what was agreed to", () => {
  it("a tool that changed by the next start is hidden before it is called, shown as a difference, and back when accepted", async () => {
    const { pins, close } = openStore("memory");
    const book = diary();
    const server = hostile("drifts on the next start", { file: book.file });
    const first = await bench([server], { pins });
    expect((await first.call(ECHO, hello)).text).toBe("you said hello");
    await first.clients.close();

    const { names, failure, clients, warnings, call } = await bench([server], { pins });
    expect(names()).toEqual([ECHO]);
    const error = await failure(ECHO, hello);
    expect(error).toMatchObject({
      category: "policy_blocked",
      message: expect.stringContaining("its definition changed since it was agreed to; `zeph mcp diff bad` shows it"),
    });
    expect(book.count("tools/call")).toBe(1);
    expect(names()).toEqual([]);
    expect(clients.states()[0]!.tools).toMatchObject([{ tool: "echo", state: "changed" }]);
    expect(warnings.join()).toContain("changed");
    const [drift] = clients.drift("bad");
    expect(drift).toMatchObject({ server: "bad", tool: "echo", kind: "changed" });
    expect(drift!.before).not.toContain("id_rsa");
    expect(drift!.after).toContain("id_rsa");

    expect(await clients.accept("bad", ["other"])).toEqual([]);
    expect(names()).toEqual([]);
    expect(await clients.accept("bad")).toEqual(["echo"]);
    expect(clients.drift()).toEqual([]);
    expect(names()).toEqual([ECHO]);
    expect((await call(ECHO, hello)).text).toBe("you said hello");
    await close();
  });

  it("a tool that changes after it was listed is not called again", async () => {
    const book = diary();
    const { call, failure, names } = await bench([hostile("drifts after listing", { file: book.file })]);
    expect((await call(ECHO, hello)).text).toBe("you said hello");
    await expect.poll(names).toEqual([]);
    expect(await failure(ECHO, hello).catch((error: Error) => error.message)).toMatchObject({ category: "tool_not_found" });
    expect(book.count("tools/call")).toBe(1);
  });

  it("one that was found before the change was seen is looked at again before it is sent", async () => {
    const book = diary();
    const { call, failure } = await bench([hostile("drifts after listing", { file: book.file })]);
    await call(ECHO, hello);
    // The notification is there, and the list has not been read again yet.
    expect(await failure(ECHO, hello)).toMatchObject({ category: expect.stringMatching(/policy_blocked|tool_not_found/) });
    expect(book.count("tools/call")).toBe(1);
  });

  it("a list that is too old is read again before a call, whatever the server says", async () => {
    const book = diary();
    const { failure } = await bench([hostile("drifts in silence", { file: book.file })]);
    await new Promise((done) => setTimeout(done, 1100));
    expect(await failure(ECHO, hello)).toMatchObject({ category: "policy_blocked" });
    expect(book.count("tools/call")).toBe(0);
  });

  it("a tool that is new on the next start is not offered before it is accepted", async () => {
    const { pins, close } = openStore("memory");
    const server = hostile("grows on the next start", { file: diary().file });
    const first = await bench([server], { pins });
    await first.clients.close();
    const { clients, names } = await bench([server], { pins });
    await clients.connect();
    expect(names()).toEqual([ECHO]);
    expect(clients.states()[0]!.tools.map(({ tool, state }) => `${tool} ${state}`)).toEqual(["echo offered", "second new"]);
    expect(clients.drift()).toMatchObject([{ tool: "second", kind: "new", before: null }]);
    expect(await clients.accept("bad", ["second"])).toEqual(["second"]);
    expect(names()).toEqual([ECHO, "mcp__bad__second"]);
    await close();
  });

  it("a tool that is registered a moment later, when the server is first met, is agreed to with the rest", async () => {
    const { pins, close } = openStore("memory");
    const server = hostile("adds a tool later");
    const { names, clients } = await bench([server], { pins });
    await expect.poll(names).toEqual([ECHO, "mcp__bad__late"]);
    await clients.close();
    const again = await bench([server], { pins });
    expect(again.names()).toEqual([ECHO, "mcp__bad__late"]);
    await close();
  });

  it("a tool that appears when the first call is made is new, in the same session and in the next", async () => {
    const { pins, close } = openStore("memory");
    const { names, clients, call } = await bench([hostile("adds a tool when called")], { pins });
    await call(ECHO, hello);
    await expect.poll(() => clients.drift()).toMatchObject([{ tool: "late", kind: "new" }]);
    expect(names()).toEqual([ECHO]);
    await clients.close();
    expect((await bench([hostile("adds a tool when called")], { pins })).names()).toEqual([ECHO]);
    await close();
  });

  it("a tool that appears five seconds after the first list is new", async () => {
    const { pins, close } = openStore("memory");
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["performance"] });
    const book = await AgreedTools.open(hostile("fine"), pins, () => {});
    const tool = (name: string) => ({ name, inputSchema: { type: "object" } });
    const take = (...names: string[]) => book.take(names.map(tool), () => null);
    const offered = () => book.offered().map((one) => one.tool);
    await take("a");
    vi.advanceTimersByTime(4900);
    await take("a", "b");
    expect(offered()).toEqual(["a", "b"]);
    vi.advanceTimersByTime(200);
    await take("a", "b", "c");
    expect(offered()).toEqual(["a", "b"]);
    expect(book.drift()).toMatchObject([{ tool: "c", kind: "new" }]);
    await close();
  });

  it("a server that had no tools when it was met was met", async () => {
    const { pins, close } = openStore("memory");
    const server = hostile("lists nothing at first", { file: diary().file });
    const first = await bench([server], { pins });
    expect(first.clients.states()[0]).toMatchObject({ state: "connected", tools: [] });
    expect(first.clients.drift()).toEqual([]);
    await first.clients.close();
    const { names, clients } = await bench([server], { pins });
    expect(names()).toEqual([]);
    expect(clients.drift()).toMatchObject([{ tool: "echo", kind: "new" }]);
    expect(await clients.accept("bad")).toEqual(["echo"]);
    expect(names()).toEqual([ECHO]);
    await clients.close();
    expect((await bench([server], { pins })).names()).toEqual([ECHO]);
    await close();
  });

  it("a server whose last tool was forgotten stays one that was met", async () => {
    const { pins, close } = openStore("memory");
    const take = async (...names: string[]) => {
      const book = await AgreedTools.open(hostile("fine"), pins, () => {});
      await book.take(
        names.map((name) => ({ name, inputSchema: { type: "object" } })),
        () => null,
      );
      return book;
    };
    await take("a");
    expect(await (await take()).accept()).toEqual(["a"]);
    const book = await take("b");
    expect(book.drift()).toMatchObject([{ tool: "b", kind: "new" }]);
    expect(book.shown()).toMatchObject([{ tool: "b", state: "new" }]);
    await close();
  });

  it("another program under the same name is somebody else", async () => {
    const { pins, close } = openStore("memory");
    const first = await bench([hostile("fine")], { pins });
    await first.clients.close();
    const { clients } = await bench([hostile("hidden")], { pins });
    expect(clients.states()[0]!.state).toBe("connected");
    expect(await pins.servers()).toHaveLength(2);
    await close();
  });

  it("a pin that was tampered with is as if it had never been agreed to", async () => {
    const { pins, close } = openStore("memory");
    const first = await bench([hostile("fine")], { pins });
    await first.clients.close();
    const [server] = await pins.servers();
    const [pin] = await pins.of(server!);
    await pins.put(server!, [{ ...pin!, definition: pin!.definition.replace("Says it again.", "Sends it to me.") }]);
    const { names } = await bench([hostile("fine")], { pins });
    expect(names()).toEqual([]);
    await close();
  });
});

describe("in a list of tools", () => {
  it("100,000 tools: the first thousand are read", async () => {
    const { names, warnings } = await bench([hostile("many tools", { timeout_secs: 120 })]);
    expect(names()).toHaveLength(1000);
    expect(warnings.join()).toContain("more than 1000 tools");
  });

  it.each([
    ["cyclic cursors", "repeats itself"],
    ["endless cursors", "more than 100 pages"],
  ])("%s: they end", async (mode, why) => {
    const { names, warnings } = await bench([hostile(mode, { timeout_secs: 120 })]);
    expect(names().length).toBeGreaterThan(1);
    expect(names().length).toBeLessThanOrEqual(100);
    expect(warnings).toEqual([expect.stringContaining(why)]);
  });

  it("wrong types everywhere: what can be used is used, and the rest says why not", async () => {
    const { names, clients } = await bench([hostile("wrong types")]);
    expect(names()).toEqual(["mcp__bad__describes_wrongly", "mcp__bad__e_c_h_o", ECHO]);
    const refused = clients.states()[0]!.tools.filter(({ state }) => state === "refused");
    expect(refused.map(({ tool }) => tool).sort()).toEqual(
      ["#1", "#2", "#3", "#4", "#5", "#6", "bad_type", "e/c/h/o", "echo", "loop", "no_schema", "remote", "schema_is_text"].sort(),
    );
    expect(refused.every(({ why }) => (why ?? "") !== "")).toBe(true);
  });

  it("a definition of fifty thousand levels is refused and ends nothing", async () => {
    const { names, clients } = await bench([hostile("deep definition")]);
    expect(names()).toEqual([ECHO]);
    expect(clients.states()[0]!.tools).toMatchObject([{ tool: "echo" }, { tool: "deep", state: "refused" }]);
  });

  it("hidden characters are taken out, shown in differences, and warned about", async () => {
    const { clients, warnings } = await bench([hostile("hidden")]);
    expect(clients.states()[0]!.tools[0]!.description).toBe("Says it again. back");
    expect(warnings.join()).toContain("hides characters");
  });

  it("a server that speaks of another's tools is warned about", async () => {
    const { warnings } = await bench([hostile("speaks of others"), hostile("fine", { name: "other" })]);
    expect(warnings).toEqual([expect.stringContaining('of the MCP server "bad" speaks of "echo", a tool of "other"')]);
  });
});
