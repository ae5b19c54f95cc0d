import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { CLIENT_NAMES } from "../../src/hook/client.ts";
import { HOOK_CLIENTS } from "../../src/hook/find-client.ts";
import { CLIENT_PLANS } from "../../src/hook/install/client-plans.ts";
import { recordedCalls, verdictIn } from "../../src/hook/install/probe-inputs.ts";
import { whyNotMode } from "../../src/hook/install/refuse-mode.ts";
import { hasTerminal, terminal } from "./terminal.ts";
import { hasTmux } from "./tmux.ts";
import { tmuxWindow } from "./tmux-window.ts";
import { BIN, type Box, box, ended, endWithTest, jsonLines, letGoOfStores, printed } from "./zeph.ts";

const fileOf = ({ env }: Box, client: "claude" | "codex" | "copilot" | "gemini") => join(env.HOME!, CLIENT_PLANS[client].files.user!);
const put = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const status = async (place: Box, client: string) => {
  const { stdout, code } = await place.run(["hook", "status", client, "--json"]);
  return { code, ...JSON.parse(stdout)[0] };
};

/** Answers as `codex app-server` does, and keeps what it is told in config.toml. */
const FAKE_CODEX = (file: string) => `#!${process.execPath}
const { writeFileSync } = require("node:fs");
const file = ${JSON.stringify(file)};
const trusted = new Map();
const keys = ["pre_tool_use:0:0", "pre_tool_use:1:0", "post_tool_use:0:0"].map((end) => file + ":" + end);
const answers = {
  initialize: () => ({}),
  "hooks/list": () => ({ data: [{ hooks: keys.map((key) => ({ key, currentHash: "sha256:" + key.length, trustStatus: trusted.has(key) ? "trusted" : "untrusted" })) }] }),
  "config/batchWrite": ({ edits }) => {
    for (const { keyPath, value } of edits) trusted.set(JSON.parse(/"(.*)"/.exec(keyPath)[0]), value);
    writeFileSync(file.replace("hooks.json", "config.toml"), [...trusted].map(([key, hash]) => "[hooks.state." + JSON.stringify(key) + "]\\ntrusted_hash = " + JSON.stringify(hash) + "\\n").join("\\n"));
    return {};
  },
};
if (process.argv[2] !== "app-server") { console.log("codex-cli 0.166.0"); process.exit(0); }
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ id, result: answers[method](params) }));
});
`;

describe("zeph hook install", () => {
  it("nothing is written where nobody can be asked, and --dry-run shows it", async () => {
    const place = box();
    put(fileOf(place, "claude"), "{}\n");
    const asked = await place.run(["hook", "install", "claude"]);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain("There is nobody to ask");
    const dry = await place.run(["hook", "install", "claude", "--dry-run"]);
    expect(dry.code).toBe(0);
    expect(dry.stdout).toContain("+");
    expect(readFileSync(fileOf(place, "claude"), "utf8")).toBe("{}\n");
  });

  it("--all is every client on PATH, and takes no names", async () => {
    const place = box();
    const bin = join(place.root, "bin");
    place.env.PATH = bin;
    expect(await place.run(["hook", "install", "--all", "--yes"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("None of these is on PATH"),
    });
    for (const name of ["claude", "copilot"]) {
      put(join(bin, name), "#!/bin/sh\n");
      chmodSync(join(bin, name), 0o755);
    }
    expect((await place.run(["hook", "install", "--all", "claude", "--yes"])).stderr).toContain("it takes no names");
    expect((await place.run(["hook", "install", "--all", "--yes"])).code).toBe(0);
    const written = (["claude", "copilot", "codex", "gemini"] as const).filter((client) => existsSync(fileOf(place, client)));
    expect(written).toEqual(["claude", "copilot"]);
  });

  it("a mode that a client cannot do is refused with the reason, and nothing is written", async () => {
    const place = box();
    for (const [client, mode] of [
      ["qwen", "walls"],
      ["codex", "filter"],
      ["cursor", "walls"],
    ] as const) {
      const { code, stderr } = await place.run(["hook", "install", client, "--mode", mode, "--yes"]);
      expect(code).toBe(5);
      expect(stderr).toContain(`${client} cannot be put into mode ${mode}.`);
      expect(existsSync(join(place.env.HOME!, CLIENT_PLANS[client].files.user!))).toBe(false);
    }
  });

  it("a client without a file that is not committed is refused for a project alone", async () => {
    const place = box();
    const { code, stderr } = await place.run(["hook", "install", "codex", "--project", "--yes"]);
    expect(code).toBe(5);
    expect(stderr).toContain("--shared writes .codex/hooks.json");
    expect((await place.run(["hook", "install", "claude", "--project", "--yes"])).code).toBe(0);
    expect(existsSync(join(place.cwd, ".claude/settings.local.json"))).toBe(true);
  });

  it.each([["claud"], ["claude", "--mode", "soft"], ["claude", "--on-failure", "maybe"], []])(
    "a wrong word is told, with exit 2: %s %s %s",
    async (...words) => {
      expect((await box().run(["hook", "install", ...words])).code).toBe(2);
    },
  );
});

describe("zeph hook status", () => {
  it("a client that nothing was installed for is not governed", async () => {
    const place = box();
    expect(await status(place, "claude")).toMatchObject({ code: 4, state: "not installed" });
    expect((await place.run(["hook", "status"])).code).toBe(4);
  });

  it("what is in force is told apart from what only stands there", async () => {
    const place = box();
    const path = fileOf(place, "claude");
    expect((await place.run(["hook", "install", "claude", "--yes"])).code).toBe(0);
    expect(await status(place, "claude")).toMatchObject({
      code: 0,
      state: "governed",
      mode: "guard",
      on_failure: "deny",
      walls: false,
      last_call: null,
    });
    const written = readFileSync(path, "utf8");
    const broken: readonly (readonly [string, (text: string) => string, RegExp])[] = [
      ["a program that is gone", (text) => text.replaceAll(/zeph\.cjs|bin\/zeph-hook/g, "gone"), /not as Zeph wrote it/],
      ["a matcher that lets most calls pass", (text) => text.replace('"matcher": "*"', '"matcher": "Edit"'), /PreToolUse is gone, or not/],
      ["a failure that is no denial", (text) => text.replace(/,\s*"onFailure": "block"/, ""), /PreToolUse is gone, or not/],
      [
        "a switch for all hooks",
        (text) => text.replace("{", '{ "disableAllHooks": true,'),
        /disableAllHooks switches the hooks of Zeph off/,
      ],
      ["no hooks at all", () => "{}", /no longer there/],
      ["a file that does not parse", (text) => text.slice(0, -5), /does not parse/],
    ];
    for (const [name, change, wrong] of broken) {
      writeFileSync(path, change(written));
      const report = await status(place, "claude");
      expect({ name, code: report.code, state: report.state }).toEqual({ name, code: 4, state: "not in force" });
      expect(report.wrong.join("\n")).toMatch(wrong);
    }
    writeFileSync(path, written.replace("{", '{ "other": 1,'));
    expect(await status(place, "claude")).toMatchObject({ code: 0, state: "governed" });
  });

  it("walls are in force only where this machine can build them, and the network is explained", async () => {
    const place = box();
    const installed = await place.run(["hook", "install", "claude", "--mode", "walls", "--yes"]);
    expect(installed.stdout).toContain("no name of the internet is open");
    expect(await status(place, "claude")).toMatchObject({ code: 0, state: "governed", mode: "walls", walls: true });
    place.config("[tools.sandbox]\nenabled = false\n");
    const report = await status(place, "claude");
    expect(report).toMatchObject({ code: 4, state: "not in force", walls: false });
    expect(report.wrong.join("\n")).toContain("No walls can be built");
  });

  it("a program that is another one than at the installation is told, unless Zeph was updated", async () => {
    const place = box();
    await place.run(["hook", "install", "claude", "--yes"]);
    const record = join(place.env.XDG_STATE_HOME!, "zeph/hooks.json");
    const written = readFileSync(record, "utf8");
    writeFileSync(record, written.replace(/("programSign": \{[^}]*"hash": ")[0-9a-f]{4}/, "$1ffff"));
    const report = await status(place, "claude");
    expect(report).toMatchObject({ code: 4, state: "not in force" });
    expect(report.wrong.join("\n")).toContain("another one than when the hooks were written");
    writeFileSync(record, written.replace(/("programSign": \{\s*"version": ")[^"]*(",\s*"hash": ")[0-9a-f]{4}/, "$10.0.1$2ffff"));
    expect(await status(place, "claude")).toMatchObject({ code: 0, state: "governed" });
  });

  it("hooks of others are named, and a choice of --on-failure allow", async () => {
    const place = box();
    put(fileOf(place, "gemini"), '{"hooks":{"BeforeTool":[{"matcher":"*","hooks":[{"type":"command","command":"other rewriter"}]}]}}');
    await place.run(["hook", "install", "gemini", "--on-failure", "allow", "--yes"]);
    const report = await status(place, "gemini");
    expect(report).toMatchObject({ code: 0, on_failure: "allow", other_hooks: [{ event: "BeforeTool", command: "other rewriter" }] });
    expect((await place.run(["hook", "status"])).stdout).toContain("a failure of Zeph lets the call through");
  });

  it("codex is in force only when what stands there now is trusted", async () => {
    const place = box();
    const path = fileOf(place, "codex");
    const config = join(dirname(path), "config.toml");
    await place.run(["hook", "install", "codex", "--yes"]);
    expect(await status(place, "codex")).toMatchObject({ code: 4, trusted: false });
    const trust = (hash: string) =>
      writeFileSync(
        config,
        ["pre_tool_use", "post_tool_use"].map((event) => `[hooks.state."${path}:${event}:0:0"]\ntrusted_hash = "${hash}"\n`).join("\n"),
      );
    trust("sha256:one");
    expect(await status(place, "codex")).toMatchObject({ code: 0, trusted: true });
    // Written anew: the trust is about what stood there before.
    await place.run(["hook", "install", "codex", "--on-failure", "allow", "--yes"]);
    expect(await status(place, "codex")).toMatchObject({ code: 4, trusted: false });
    trust("sha256:two");
    expect(await status(place, "codex")).toMatchObject({ code: 0, trusted: true });
  });

  it("codex is not in force where it was told to leave a hook out", async () => {
    const place = box();
    const path = fileOf(place, "codex");
    await place.run(["hook", "install", "codex", "--yes"]);
    const state = (more: string) =>
      ["pre_tool_use", "post_tool_use"]
        .map((event) => `[hooks.state."${path}:${event}:0:0"]\n${more}trusted_hash = "sha256:one"\n`)
        .join("\n");
    writeFileSync(join(dirname(path), "config.toml"), state("enabled = true\n"));
    expect(await status(place, "codex")).toMatchObject({ code: 0, trusted: true });
    writeFileSync(join(dirname(path), "config.toml"), state("enabled = false\n"));
    const report = await status(place, "codex");
    expect(report.code).toBe(4);
    expect(report.wrong.join("\n")).toContain("enabled = false");
  });

  it("a variable that takes the hooks away is told, and one that leads the client to another folder", async () => {
    const place = box();
    await place.run(["hook", "install", "claude", "copilot", "gemini", "pi", "qwen", "--yes"]);
    const withEnv = async (client: string, env: Record<string, string>) => {
      const { stdout, code } = await place.run(["hook", "status", client, "--json"], { env });
      return { code, wrong: JSON.parse(stdout)[0].wrong.join("\n") as string };
    };
    const simple = await withEnv("claude", { CLAUDE_CODE_SIMPLE: "1" });
    expect(simple).toMatchObject({ code: 4, wrong: expect.stringContaining("CLAUDE_CODE_SIMPLE is set") });
    const elsewhere = join(place.root, "elsewhere");
    const moved = {
      claude: "CLAUDE_CONFIG_DIR",
      copilot: "COPILOT_HOME",
      gemini: "GEMINI_CLI_HOME",
      pi: "PI_CODING_AGENT_DIR",
      qwen: "QWEN_HOME",
    };
    for (const [client, variable] of Object.entries(moved)) {
      const { code, wrong } = await withEnv(client, { [variable]: elsewhere });
      expect({ client, code }).toEqual({ client, code: 4 });
      expect(wrong).toContain(`${variable} leads ${client} to ${elsewhere}`);
    }
    // All of them, asked for by nobody's name, say the same.
    expect((await place.run(["hook", "status"], { env: { COPILOT_HOME: elsewhere } })).code).toBe(4);
    const there = { COPILOT_HOME: elsewhere };
    expect((await place.run(["hook", "install", "copilot", "--yes"], { env: there })).code).toBe(0);
    expect(existsSync(join(elsewhere, "hooks/zeph.json"))).toBe(true);
    expect(await withEnv("copilot", there)).toEqual({ code: 0, wrong: "" });
  });

  it("the program is asked for every client, also where its command line ends otherwise", async () => {
    const place = box();
    await place.run(["hook", "install", "copilot", "--yes"]);
    expect((await status(place, "copilot")).answered_ms).toEqual(expect.any(Number));
    // Mode filter judges no call, so there is nothing to ask.
    await place.run(["hook", "install", "copilot", "--mode", "filter", "--yes"]);
    expect(await status(place, "copilot")).toMatchObject({ code: 0, state: "governed", answered_ms: null, mode: "filter" });
  });

  it("codex is told to trust by itself, only for the flag, and only the hooks of Zeph", async () => {
    const place = box();
    const path = fileOf(place, "codex");
    put(path, '{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"somebody else"}]}]}}');
    place.write(join(place.root, "bin/codex"), FAKE_CODEX(path));
    chmodSync(join(place.root, "bin/codex"), 0o755);
    place.env.PATH = `${join(place.root, "bin")}:${place.env.PATH}`;
    expect((await place.run(["hook", "install", "codex", "--yes"])).code).toBe(0);
    expect(existsSync(join(dirname(path), "config.toml"))).toBe(false);
    await place.run(["hook", "remove", "codex"]);
    const { code, stdout } = await place.run(["hook", "install", "codex", "--yes", "--trust-codex-hooks"]);
    expect(code).toBe(0);
    expect(stdout).toContain("Codex is told to trust (PreToolUse)");
    const config = readFileSync(join(dirname(path), "config.toml"), "utf8");
    expect(config).toContain(`${path}:pre_tool_use:1:0`);
    expect(config).toContain(`${path}:post_tool_use:0:0`);
    expect(config).not.toContain(`${path}:pre_tool_use:0:0`);
    expect(await status(place, "codex")).toMatchObject({ code: 0, trusted: true });
  });

  it("the version of the client is held against the one that was tried", async () => {
    const place = box();
    put(join(place.root, "bin/copilot"), "#!/bin/sh\necho 'GitHub Copilot CLI 1.0.102.'\n");
    chmodSync(join(place.root, "bin/copilot"), 0o755);
    place.env.PATH = `${join(place.root, "bin")}:${place.env.PATH}`;
    await place.run(["hook", "install", "copilot", "--yes"]);
    expect(await status(place, "copilot")).toMatchObject({ version: "1.0.102", version_tested: true });
    writeFileSync(join(place.root, "bin/copilot"), "#!/bin/sh\necho 9.9.9\n");
    expect(await status(place, "copilot")).toMatchObject({ version: "9.9.9", version_tested: false });
  });
});

describe("zeph hook test", () => {
  it("the command line of the file is run, and each answer is held against what it must be", async () => {
    const place = box();
    await place.run(["hook", "install", "copilot", "--yes"]);
    const good = await place.run(["hook", "test", "copilot", "--json"]);
    expect(good.code).toBe(0);
    expect(JSON.parse(good.stdout).map(({ verdict, ok }: { verdict: string; ok: boolean }) => [verdict, ok])).toEqual([
      ["deny", true],
      ["pass", true],
      ["deny", true],
      ["deny", true],
    ]);
    const path = fileOf(place, "copilot");
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(/\$\([^)]*? copilot pre\)/g, "$(true copilot pre)"));
    const open = await place.run(["hook", "test", "copilot"]);
    expect(open.code).toBe(5);
    expect(open.stdout).toContain("wrong  a call that is denied: exit 0, let through");
  });

  it("a program that is gone denies everything", async () => {
    const place = box();
    await place.run(["hook", "install", "copilot", "--yes"]);
    const path = fileOf(place, "copilot");
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("zeph.cjs", "gone.cjs").replaceAll("zeph-hook ", "gone-hook "));
    const { code, stdout } = await place.run(["hook", "test", "copilot", "--json"]);
    expect(code).toBe(5);
    // Copilot is told no in JSON, which exit code 0 comes with.
    for (const { exit, verdict } of JSON.parse(stdout)) expect({ exit, verdict }).toEqual({ exit: 0, verdict: "deny" });
  });
});

describe("zeph hook remove", () => {
  it("the client named loses its hooks, and no other", async () => {
    const place = box();
    await place.run(["hook", "install", "claude", "codex", "--yes"]);
    const codex = readFileSync(fileOf(place, "codex"), "utf8");
    const { code, stdout } = await place.run(["hook", "remove", "claude"]);
    expect(code).toBe(0);
    expect(stdout).toContain("taken out of");
    expect(existsSync(fileOf(place, "claude"))).toBe(false);
    expect(readFileSync(fileOf(place, "codex"), "utf8")).toBe(codex);
    expect((await place.run(["hook", "remove", "claude"])).stdout).toContain("nothing of Zeph's is there");
  });

  it("takes --yes, as the installation does", async () => {
    const place = box();
    await place.run(["hook", "install", "claude", "--yes"]);
    expect(await place.run(["hook", "remove", "claude", "--yes"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("taken out of"),
    });
  });
});

it.runIf(process.platform === "linux")(
  "a governed client, and what it starts, may not take its hooks out or answer its own questions",
  async () => {
    const place = box();
    const client = place.write(join(place.root, "bin/copilot"), `#!/bin/sh\n'${process.execPath}' '${BIN}' "$@"\necho "exit $?"\n`);
    const asCopilot = (...words: string[]) => ended(endingSpawn(place, client, words));
    expect((await asCopilot("hook", "install", "copilot", "--yes")).stdout).toContain("exit 0");
    for (const words of [
      ["remove", "copilot"],
      ["remove", "--all"],
      ["approve", "12345678"],
      ["deny", "12345678"],
      ["install", "copilot", "--on-failure", "allow", "--yes"],
    ]) {
      const { stdout, stderr } = await asCopilot("hook", ...words);
      expect(stdout).toContain("exit 2");
      expect(stderr).toContain("was started by copilot, which Zeph governs");
    }
    expect(existsSync(fileOf(place, "copilot"))).toBe(true);
  },
);

/** A process that nobody waits for: it goes on when the one that started it is gone. `$1` is what it writes to. */
const DETACHED = (line: string) =>
  `#!/bin/sh\nsh -c 'OLD=$$ setsid sh -c "while [ \\$(cut -d\\  -f4 /proc/\\$\\$/stat) = \\$OLD ]; do sleep 0.02; done; ${line} > $1.tmp 2>&1; mv $1.tmp $1" &' sh "$1"\nwhile [ ! -e "$1" ]; do sleep 0.02; done\ncat "$1"\n`;

describe.runIf(process.platform === "linux")("what a governed client started and left behind", () => {
  const remove = `${process.execPath} ${BIN} hook remove claude`;
  it.each([
    ["without a terminal", remove, "there is no terminal here"],
    ["at a terminal of its own", `script -qec '${remove.replaceAll("'", "")}' /dev/null < /dev/null`, "a program has made this terminal"],
  ])("may not take its hooks out %s", async (_where, line, why) => {
    const place = box();
    expect((await place.run(["hook", "install", "claude", "--yes"])).code).toBe(0);
    const claude = place.write(join(place.root, "bin/claude"), DETACHED(line.replaceAll("'", "'\\''")));
    const { stdout } = await ended(endingSpawn(place, claude, [join(place.root, "said")]));
    expect(stdout).toContain(why);
    expect(existsSync(fileOf(place, "claude"))).toBe(true);
  });

  it("may not where the client has marked it, and a script may where no client runs", async () => {
    const place = box();
    await place.run(["hook", "install", "claude", "--yes"]);
    await letGoOfStores();
    const script = place.write(join(place.root, "bin/other"), `#!/bin/sh\n${remove}\n`);
    const run = (env: Readonly<Record<string, string>>) => ended(endingSpawn({ ...place, env: { ...place.env, ...env } }, script, []));
    expect((await run({ CLAUDECODE: "1" })).stderr).toContain("was started by claude, which Zeph governs");
    expect(existsSync(fileOf(place, "claude"))).toBe(true);
    expect((await run({})).stdout).toContain("taken out of");
  });
});

function endingSpawn({ cwd, env }: Box, client: string, words: readonly string[]) {
  const child = spawn("/bin/sh", [client, ...words], { cwd, env });
  endWithTest(child);
  child.stdin.end();
  return child;
}

describe("a question that a client could not put", () => {
  const push = (cwd: string, command: string) =>
    JSON.stringify({
      session_id: "s1",
      transcript_path: null,
      cwd,
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command },
      tool_use_id: "c",
    });
  const ASKS =
    '[[tools.permissions.bash]]\npattern = "make deploy*"\naction = "ask"\n[[tools.permissions.bash]]\npattern = "*"\naction = "allow"\n';

  it.runIf(hasTerminal)("a person lifts it at a terminal, once", async () => {
    const place = box();
    place.config(ASKS);
    const call = (command: string) => place.run(["hook", "run", "codex", "pre"], { input: push(place.cwd, command) });
    const { stdout } = await call("make deploy");
    expect(verdictIn({ code: 0, stdout })).toBe("deny");
    const [, id] = /zeph hook approve ([0-9a-f]{8})/.exec(stdout)!;
    expect((await place.run(["hook", "list"])).stdout).toContain(id);
    expect(jsonLines((await place.run(["hook", "list", "--json"])).stdout)[0]).toMatchObject([
      { id, tool: "Bash", args: { command: "make deploy" } },
    ]);
    const piped = await place.run(["hook", "approve", id!], { input: "yes\n" });
    expect(piped.code).toBe(2);
    expect(verdictIn({ code: 0, stdout: (await call("make deploy")).stdout })).toBe("deny");
    await letGoOfStores();
    const tty = terminal(place, `hook approve ${id}`);
    await tty.see("make deploy");
    await tty.see("once, within 10 minutes?");
    tty.type("y\r");
    expect((await tty.end).code).toBe(0);
    expect(verdictIn({ code: 0, stdout: (await call("make deploy now")).stdout })).toBe("deny");
    expect(verdictIn({ code: 0, stdout: (await call("make deploy")).stdout })).toBe("pass");
    expect(verdictIn({ code: 0, stdout: (await call("make deploy")).stdout })).toBe("deny");
  });

  it.runIf(hasTmux && process.platform === "linux")(
    "nobody lifts it in a window of tmux while the client runs whose commands have no walls",
    async () => {
      const place = box();
      place.config(ASKS);
      const { stdout } = await place.run(["hook", "run", "codex", "pre"], { input: push(place.cwd, "make deploy") });
      const [, id] = /zeph hook approve ([0-9a-f]{8})/.exec(stdout)!;
      await place.run(["hook", "install", "codex", "--yes"]);
      await letGoOfStores();
      const codex = endingSpawn(place, place.write(join(place.root, "bin/codex"), "echo runs\nwhile :; do sleep 0.1; done\n"), []);
      await printed(codex, "runs");
      const approve = tmuxWindow(place, `hook approve ${id}`, { columns: 200 });
      await approve.see(`zeph hook approve is refused while codex runs (process ${codex.pid})`);
      const remove = tmuxWindow(place, "hook remove codex", { columns: 200 });
      await remove.see(`zeph hook remove is refused while codex runs (process ${codex.pid})`);
      const weaker = tmuxWindow(place, "hook install codex --mode filter --yes", { columns: 200 });
      await weaker.see(`zeph hook install is refused while codex runs (process ${codex.pid})`);
      const same = tmuxWindow(place, "hook install codex --yes; echo code $?", { columns: 200 });
      await same.see("code 0");
      const end = ended(codex);
      codex.kill("SIGKILL");
      await end;
      const later = tmuxWindow(place, `hook approve ${id}`, { columns: 200 });
      await later.see("once, within 10 minutes?");
    },
  );

  it("a question that is denied is gone", async () => {
    const place = box();
    place.config(ASKS);
    const { stdout } = await place.run(["hook", "run", "codex", "pre"], { input: push(place.cwd, "make deploy") });
    const [, id] = /zeph hook approve ([0-9a-f]{8})/.exec(stdout)!;
    expect((await place.run(["hook", "deny", id!])).code).toBe(0);
    expect((await place.run(["hook", "list"])).stdout).toContain("No client waits");
    expect((await place.run(["hook", "deny", id!])).code).toBe(2);
  });
});

it("every client has a plan, and its recorded calls are read as calls by its own dialect", () => {
  for (const name of CLIENT_NAMES) {
    expect(CLIENT_PLANS[name].name).toBe(name);
    const { denied, allowed } = recordedCalls(name, { cwd: "/w", session: "s" });
    for (const input of [denied, allowed])
      expect(HOOK_CLIENTS[name].read("pre", input as Record<string, unknown>, { cwd: "/w" }).kind).toBe("pre");
    expect(whyNotMode(name, "guard")).toBeNull();
    for (const mode of ["walls", "filter"] as const)
      if (!HOOK_CLIENTS[name].can.modes.includes(mode)) expect(whyNotMode(name, mode)).not.toBeNull();
  }
});
