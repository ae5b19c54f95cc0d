import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { available } from "../sandbox/support.ts";
import { type Box, box } from "./zeph.ts";

/** A machine with a program called npx, and a workspace with a secret in it. */
function world() {
  const self = box();
  const bin = join(self.root, "bin");
  mkdirSync(bin);
  const npx = join(bin, "npx");
  copyFileSync(resolve("test/mcp/package-runner.cjs"), npx);
  chmodSync(npx, 0o755);
  const secret = self.write("secret.txt", "mine");
  const env = { XDG_CACHE_HOME: join(self.root, "cache") };
  const run: Box["run"] = (args, options) => self.run(args, { ...options, env: { ...env, ...options?.env } });
  const add = (name: string, ...more: string[]) => run(["mcp", "add", name, "--trust", "trusted", ...more, "--", npx, secret]);
  const call = async (tool: string, args: object = {}) => {
    const { code, stdout, stderr } = await run(["call", `mcp__${tool}`, JSON.stringify(args)]);
    return { code, said: stdout + stderr, value: () => JSON.parse(stdout.split("\n[")[0]!) as never };
  };
  return { ...self, run, add, call, npx, secret, config: self.config, file: join(self.env.XDG_CONFIG_HOME!, "zeph", "config.toml") };
}

const kept = (root: string, place: "state" | "cache"): string[] => {
  const folder = join(root, place, "zeph", "mcp");
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
};

describe.runIf(available)("a server whose packages are fetched", () => {
  it("is fetched where nothing of the person's is seen, and runs without a network", async () => {
    const { add, call, secret } = world();
    const { code, stdout } = await add("small", "--env", "TOKEN=t0p");
    expect(code, stdout).toBe(0);
    expect(stdout).toContain('network = "install"');
    expect((await call("small__seen")).value()).toEqual({
      before: { secret: false, token: null, offline: false, proxy: true, left: false, home: false },
      now: { secret: true, token: "t0p", offline: true, proxy: false },
    });
    expect(existsSync(secret)).toBe(true);
  });

  it("keeps what it was told from start to start, in folders that are its own", async () => {
    const { add, call, root } = world();
    await add("small");
    await add("other", "--env", "A=b");
    expect((await call("small__remember", { text: "one" })).value()).toEqual(["one"]);
    expect((await call("small__remember", { text: "two" })).value()).toEqual(["one", "two"]);
    const { home, mode } = (await call("small__look", { text: "/" })).value() as { home: string; mode: number };
    expect(mode).toBe(0o700);
    expect((await call("small__look", { text: join(home, "notes") })).value()).toMatchObject({ there: true });
    expect((await call("other__look", { text: join(home, "notes") })).value()).toMatchObject({ there: false });
    expect(kept(root, "state").map((folder) => statSync(folder).mode & 0o777)).toEqual([0o700, 0o700]);
  });

  it("is fetched anew only when somebody says so, and finds nothing there that it left", async () => {
    const { add, call, run } = world();
    await add("small");
    await call("small__leave");
    await call("small__remember", { text: "mine" });
    expect((await run(["mcp", "test", "small"])).code).toBe(0);
    expect((await call("small__seen")).value()).toMatchObject({ before: { left: false, home: false } });
    expect((await run(["mcp", "test", "small", "--fetch"])).code).toBe(0);
    expect((await call("small__seen")).value()).toMatchObject({ before: { left: false, home: false } });
    expect((await call("small__remember", { text: "still" })).value()).toEqual(["mine", "still"]);
  });

  it("starts where it wants a variable that nobody has while it is fetched", async () => {
    const { run, npx, secret } = world();
    const { code, stdout, stderr } = await run(["mcp", "add", "small", "--env", "TOKEN=x", "--", npx, secret, "needs-token"]);
    expect(code, stdout + stderr).toBe(0);
  });

  it("may take longer than any answer where it is fetched by the program itself, the first time", async () => {
    const { run, call, npx, secret } = world();
    const added = await run(["mcp", "add", "small", "--trust", "trusted", "--network", "--timeout", "3", "--", npx, secret, "slow"]);
    expect(added.code, added.stdout + added.stderr).toBe(0);
    expect((await call("small__remember", { text: "one" })).value()).toEqual(["one"]);
  });

  it("says what the registry said where a package is not there", async () => {
    const { run, npx, secret } = world();
    const { code, stderr } = await run(["mcp", "add", "small", "--", npx, secret, "missing"]);
    expect(code).toBe(5);
    expect(stderr).toContain("404 Not Found");
  });

  it("names the setting where it may fetch nothing", async () => {
    const { add, config, run, npx, secret, file } = world();
    await add("small");
    expect(existsSync(file)).toBe(true);
    config(`[[mcp.servers]]\nname = "shut"\ncommand = "${npx}"\nargs = ["${secret}"]\nallow_read = ["${join(npx, "..")}"]\n`);
    const { code, stderr } = await run(["mcp", "test", "shut"]);
    expect(code).toBe(5);
    expect(stderr).toContain("ENOTCACHED");
    expect(stderr).toContain('set network = "install" for it');
  });

  it.each([
    ["getaddrinfo EAI_AGAIN api.example.com", 'network = ["api.example.com"]'],
    ["fetch failed", "network = true for it"],
    ["connect ECONNREFUSED 127.0.0.1:5432", "what listens on port 5432 of this machine"],
  ])("says what opens the network when a call fails with %s", async (text, words) => {
    const { add, call } = world();
    await add("small");
    const { said, code } = await call("small__reach", { text });
    expect(code).not.toBe(0);
    expect(said).toContain(words);
    expect(said).toContain("Only the user can open the network");
  });

  it("leaves what it kept when it is removed, and says where; --data takes it along", async () => {
    const { add, call, run, root } = world();
    await add("small");
    await call("small__remember", { text: "one" });
    const { stdout } = await run(["mcp", "remove", "small"]);
    for (const folder of [...kept(root, "state"), ...kept(root, "cache")]) expect(stdout).toContain(folder);
    expect(kept(root, "state")).toHaveLength(1);
    await add("small");
    expect((await call("small__remember", { text: "two" })).value()).toEqual(["one", "two"]);
    expect((await run(["mcp", "remove", "small", "--data"])).stdout).toContain("Removed with what it kept");
    expect([...kept(root, "state"), ...kept(root, "cache")]).toEqual([]);
  });
});

describe.runIf(available)("rules for the tools of a server", () => {
  const rules = (pattern: string, action: string) => `\n[[tools.permissions."${pattern}"]]\npattern = "*"\naction = "${action}"\n`;
  const withServer = (extra: string, trust: string, { npx, secret }: { npx: string; secret: string }) =>
    `[[mcp.servers]]\nname = "small"\ncommand = "${npx}"\nargs = ["${secret}"]\nnetwork = "install"\ntrust = "${trust}"\nallow_read = ["${join(npx, "..")}"]\n${extra}`;

  it.each([
    ["trusted", "", "allow"],
    ["trusted", rules("mcp__small__*", "deny"), "deny"],
    ["trusted", rules("mcp__*__look", "ask"), "ask"],
    // What many are denied no rule for one of them allows.
    ["trusted", rules("mcp__small__look", "allow") + rules("mcp__small__*", "deny"), "deny"],
    ["trusted", rules("mcp__small__*", "ask") + rules("mcp__small__look", "allow"), "allow"],
    ["trusted", rules("mcp__other__*", "deny"), "allow"],
    ["provisional", "", "ask"],
    // Who is not trusted is asked about whatever rules allow.
    ["provisional", rules("mcp__small__*", "allow"), "ask"],
    ["untrusted", rules("mcp__small__*", "allow"), "deny"],
  ])("trust %s and %s: %s", async (trust, extra, verdict) => {
    const here = world();
    here.config(withServer(extra, trust, here));
    const { code, said } = await here.call("small__look", { text: "/" });
    expect([code, said].join(" ")).toMatch(
      { allow: /^0 /, ask: /^4 [\s\S]*confirmation_required/, deny: /^3 [\s\S]*policy_blocked/ }[verdict]!,
    );
  });

  it("say what is wrong with a pattern of other tools", async () => {
    const here = world();
    here.config(withServer(rules("ba*", "deny"), "trusted", here));
    const { code, said } = await here.call("small__look");
    expect(code).toBe(2);
    expect(said).toContain("only tools of MCP servers can be named by one");
  });

  it.each(["adversarial_policy.exempt_tools", "utility.exempt_tools", "governance.allowlist"])(
    "are no patterns in tools.%s",
    async (key) => {
      const here = world();
      const [table, name] = key.split(".");
      here.config(withServer(`\n[tools.${table}]\n${name} = ["mcp__small__*"]\n`, "trusted", here));
      const { code, said } = await here.call("small__look");
      expect(code).toBe(2);
      expect(said).toContain("takes names of tools and no patterns");
    },
  );
});
