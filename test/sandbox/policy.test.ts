import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sandboxConfig, scopeConfig } from "../../src/host/sandbox/config.ts";
import type { Disk } from "../../src/host/sandbox/disk.ts";
import { commandEnvironment, isHarmlessVariable, isSecretVariable } from "../../src/host/sandbox/environment.ts";
import { type Policy, policyFor, type Setting } from "../../src/host/sandbox/policy.ts";
import { messageOf } from "../scratch.ts";

let base: string;
let cwd: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-policy-")));
  cwd = join(base, "home", "work");
  mkdirSync(cwd, { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const setting = (more: Partial<Setting> = {}): Setting => ({
  cwd,
  home: join(base, "home"),
  keys: [join(base, "home", ".config", "zeph", "keys.toml")],
  own: [join(base, "home", ".config", "zeph"), join(base, "home", ".local", "state", "zeph", "zeph.db")],
  allowedPaths: [],
  env: {},
  ...more,
});
const policy = (config: object = {}, more: Partial<Setting> = {}): Policy => policyFor(sandboxConfig().parse(config), setting(more));
const folder = (...names: string[]) => {
  const path = join(base, ...names);
  mkdirSync(path, { recursive: true });
  return path;
};

test("a socket that hands over the machine is pointed out", () => {
  const disk: Disk = {
    kind: () => "folder",
    link: () => "",
    real: (path) => path,
    isFolder: () => true,
    rights: () => null,
    hidden: () => ({ places: [], unfinished: null }),
    twins: () => ({ paths: [], isComplete: true }),
    sweep: () => ({ spots: [], gits: [], bare: [], shut: [], unseen: [], folders: new Set(), byteNames: new Map(), isComplete: true }),
  };
  const found = policyFor(sandboxConfig().parse({ allow_read: ["/run"] }), setting(), disk);
  expect(found.warnings.join()).toMatch(/\/run\/docker.sock .*controls this machine/);
});

test("a folder that holds the person's keys is not opened to commands, not even to be read", () => {
  const config = folder("home", ".config");
  expect(policy({ allow_read: [config] }).read).toContain(config);
  writeFileSync(join(folder("home", ".config", "zeph"), "keys.toml"), "");
  expect(() => policy({ allow_read: [config] })).toThrow(/holds your keys .*keys\.toml/);
  expect(() => policy({ allow_read: [join(config, "zeph", "keys.toml")] })).toThrow(/holds your keys/);
});

describe("a workspace that is not what it was", () => {
  const LEFT = /no longer the folder it was/;
  test("a link in its place is refused, wherever the command starts and whatever is listed", () => {
    const other = folder("other");
    rmSync(cwd, { recursive: true });
    symlinkSync(other, cwd);
    for (const more of [{}, { start: other }, { allowedPaths: [other], start: other }]) expect(() => policy({}, more)).toThrow(LEFT);
    expect(() => policy({ allow_write: [other] })).toThrow(LEFT);
  });
  test("a link above it is one too", () => {
    mkdirSync(join(base, "home2", "work"), { recursive: true });
    rmSync(join(base, "home"), { recursive: true });
    symlinkSync(join(base, "home2"), join(base, "home"));
    expect(() => policy()).toThrow(LEFT);
  });
  test("so is what whoever opened it knows to be another", () => {
    expect(() => policy({}, { moved: () => cwd })).toThrow(LEFT);
    expect(() => policy({}, { moved: () => "/listed" })).toThrow(/^\/listed is now a link/);
    expect(policy({}, { moved: () => null }).write).toEqual([cwd]);
  });
});

test("the defaults of the settings", () => {
  expect(sandboxConfig().parse({})).toMatchObject({
    enabled: true,
    allow_read: [],
    allow_write: [],
    allow_domains: [],
    deny_domains: [],
    allow_network: false,
    fallback: "ask",
    escalation: "never",
    outer_repository: "ask",
    toolchains: [],
    path: "auto",
  });
  expect(scopeConfig().parse({})).toMatchObject({
    enabled: false,
    run_as_user: "",
    require_capability: false,
    audit_all_invocations: true,
  });
});

describe("what may be written", () => {
  test("by default the workspace", () => expect(policy()).toMatchObject({ cwd, read: [], write: [cwd], network: "closed", warnings: [] }));
  test("else tools.shell.allowed_paths", () => {
    const other = folder("other");
    expect(policy({}, { allowedPaths: [other, "."] }).write).toEqual(
      [other, cwd].sort((a, b) => a.split("/").length - b.split("/").length),
    );
  });
  test("allow_write narrows it; the rest of the workspace stays readable", () => {
    mkdirSync(join(cwd, "out"));
    expect(policy({ allow_write: ["out"] })).toMatchObject({ read: [cwd], write: [join(cwd, "out")] });
  });
  test("parents come before children, twice is once", () => {
    const deep = folder("a", "b", "c");
    expect(policy({ allow_write: [deep, join(base, "a"), deep, cwd] }).write).toEqual([join(base, "a"), cwd, deep]);
  });

  test.each([
    ["/", /\/ cannot be opened/],
    ["~", /is your home/],
    ["..", /is your home/],
    ["../..", /holds Zeph's own files/],
    ["~/.config", /holds Zeph's own files .*\.config\/zeph/],
    ["~/.config/zeph", /holds Zeph's own files/],
    ["~/.local/state/zeph", /holds Zeph's own files .*zeph\.db/],
    ["/proc", /\/proc belongs to the sandbox itself/],
    ["/dev/shm", /\/dev belongs to the sandbox itself/],
    ["link-to-home", /is your home/],
  ])("%s is refused", (written, words) => {
    folder("home", ".config", "zeph", "skills");
    folder("home", ".local", "state", "zeph");
    symlinkSync(join(base, "home"), join(cwd, "link-to-home"));
    expect(messageOf(() => policy({ allow_write: [written] }))).toMatch(words);
  });
  test("a folder inside Zeph's own is refused too", () => {
    folder("home", ".config", "zeph", "skills");
    expect(messageOf(() => policy({ allow_write: ["~/.config/zeph/skills"] }))).toMatch(/Zeph's own/);
  });
  test("a start in home itself is refused, with what to do", () => {
    expect(messageOf(() => policy({}, { cwd: join(base, "home") }))).toMatch(/Start in a project folder/);
  });
  test("/ and /proc cannot be read whole either", () => {
    expect(messageOf(() => policy({ allow_read: ["/"] }))).toMatch(/List the folders/);
    expect(messageOf(() => policy({ allow_read: ["/proc/self"] }))).toMatch(/sandbox itself/);
  });
});

describe("globs", () => {
  test("are looked up at each command; nothing found is a warning", () => {
    expect(policy({ allow_read: ["../data-*"] })).toMatchObject({
      read: [],
      warnings: ['tools.sandbox.allow_read: nothing matches "../data-*".'],
    });
    const one = folder("home", "data-1");
    expect(policy({ allow_read: ["~/data-*"] })).toMatchObject({ read: [one], warnings: [] });
  });
  test("a folder brings what is below it", () => {
    const one = folder("x", "pkg", "sub");
    expect(policy({ allow_read: [join(base, "x/**")] }).read).toEqual([join(base, "x", "pkg")]);
    expect(policy({ allow_write: [join(base, "x/*/s?b"), cwd] }).write).toContain(one);
  });
  test("a match that is a link out of the folder is left out", () => {
    symlinkSync("/etc", join(cwd, "out-1"));
    expect(policy({ allow_write: [`${cwd}/out-*`, cwd] })).toMatchObject({
      write: [cwd],
      warnings: [expect.stringContaining("outside"), expect.stringContaining("nothing matches")],
    });
  });
  test("a forbidden folder is refused however it is written", () => {
    expect(messageOf(() => policy({ allow_write: [`${base}/hom?`] }))).toMatch(/is your home/);
  });
  test("a name with brackets that exists is that name", () => {
    const odd = folder("odd [1]");
    expect(policy({ allow_read: [odd] }).read).toEqual([odd]);
  });
});

describe("links a command could have made", () => {
  test("a listed path inside the workspace that leads out is left out", () => {
    symlinkSync("/etc", join(cwd, "cache"));
    const found = policy({ allow_write: [".", "cache"], allow_read: ["cache"] });
    expect(found).toMatchObject({ write: [cwd], read: [] });
    expect(found.warnings.join()).toMatch(/cache leads to \/etc through a link that commands can change/);
  });
  test("one through a link further up as well", () => {
    symlinkSync("/etc", join(cwd, "a"));
    expect(policy({ allow_write: ["."], allow_read: ["a/ssl"] }).read).toEqual([]);
  });
  test("a link outside of what commands can write is followed", () => {
    const data = folder("data");
    symlinkSync(data, join(base, "link"));
    expect(policy({ allow_read: [join(base, "link")] })).toMatchObject({ read: [data], warnings: [] });
  });
});

describe("what stays as it is", () => {
  test("only what exists", () => {
    for (const name of [".git/hooks", ".git/info", ".zeph", ".agents", ".vscode"]) mkdirSync(join(cwd, name), { recursive: true });
    for (const name of [".git/config", ".git/info/attributes", ".mcp.json", ".envrc"]) writeFileSync(join(cwd, name), "");
    const { pinned, frozen } = policy().protect;
    expect(pinned).toEqual([join(cwd, ".git"), join(cwd, ".git", "info")]);
    expect(frozen.map((path) => path.slice(cwd.length + 1)).sort()).toEqual([
      ".agents",
      ".envrc",
      ".git/config",
      ".git/hooks",
      ".git/info/attributes",
      ".mcp.json",
      ".vscode",
      ".zeph",
    ]);
  });
  test("a worktree: the file, and the folders it leads to where they are writable", () => {
    const main = join(cwd, "main", ".git");
    for (const name of ["hooks", "worktrees/w"]) mkdirSync(join(main, name), { recursive: true });
    writeFileSync(join(main, "config"), "");
    writeFileSync(join(main, "worktrees", "w", "commondir"), "../..\n");
    writeFileSync(join(cwd, ".git"), `gitdir: ${main}/worktrees/w\n`);
    const { pinned, frozen } = policy().protect;
    expect(pinned).toEqual([join(cwd, "main"), main, join(main, "worktrees"), join(main, "worktrees", "w")]);
    expect(frozen).toEqual(
      expect.arrayContaining([join(cwd, ".git"), join(main, "hooks"), join(main, "config"), join(main, "worktrees", "w", "commondir")]),
    );
  });
  test("core.hooksPath inside the workspace is read-only too", () => {
    for (const name of [".git", "tools/hooks"]) mkdirSync(join(cwd, name), { recursive: true });
    writeFileSync(join(cwd, ".git", "config"), "[core]\n\thooksPath = tools/hooks\n");
    expect(policy().protect.frozen).toContain(join(cwd, "tools", "hooks"));
    writeFileSync(join(cwd, ".git", "config"), "[core]\n\thooksPath = /etc\n");
    expect(policy().protect.frozen).toEqual([join(cwd, ".git", "config")]);
  });
  test("repositories anywhere in the workspace; a folder that its owner closed is held as a whole or from inside", () => {
    for (const name of ["a/.git/hooks", "shut/.git/hooks", "plain/src", "deep/er/.git/hooks"])
      mkdirSync(join(cwd, name), { recursive: true });
    writeFileSync(join(cwd, "a", ".git", "config"), "");
    symlinkSync(join(base, "home"), join(cwd, "link"));
    mkdirSync(join(base, "home", ".git", "hooks"), { recursive: true });
    chmodSync(join(cwd, "shut"), 0o300);
    const { pinned, frozen } = policy().protect;
    const closed = process.getuid?.() === 0 ? [join(cwd, "shut", ".git")] : [];
    const above = ["a", "deep", ...(closed.length > 0 ? ["shut"] : []), "deep/er"].map((name) => join(cwd, name));
    expect([...pinned].sort()).toEqual([...above, join(cwd, "a", ".git"), ...closed, join(cwd, "deep", "er", ".git")].sort());
    const held = process.getuid?.() === 0 ? join(cwd, "shut", ".git", "hooks") : join(cwd, "shut");
    expect(frozen).toEqual(
      expect.arrayContaining([
        join(cwd, "a", ".git", "hooks"),
        join(cwd, "a", ".git", "config"),
        join(cwd, "deep", "er", ".git", "hooks"),
        held,
      ]),
    );
    chmodSync(join(cwd, "shut"), 0o700);
  });
  test("a bounded number of them", () => {
    for (let i = 0; i < 210; i++) mkdirSync(join(cwd, `r${i}`, ".vscode"), { recursive: true });
    const { frozen, warnings } = policy().protect;
    expect(frozen).toHaveLength(200);
    expect(warnings.join()).toContain("Of 210 files that run later 200 are read-only");
  });
  test("more of them behind Zeph's own builder, so that files a command plants push nobody's out", () => {
    for (let i = 0; i < 210; i++) mkdirSync(join(cwd, `r${i}`, ".vscode"), { recursive: true });
    mkdirSync(join(cwd, "deep/er"), { recursive: true });
    writeFileSync(join(cwd, "deep/er/.envrc"), "");
    const { frozen, warnings } = policy({}, { isOwnBuilder: true }).protect;
    expect(frozen).toContain(join(cwd, "deep/er/.envrc"));
    expect(warnings).toEqual([]);
  });
  test("a repository that claims to be the workspace does not close it", () => {
    mkdirSync(join(cwd, "a"));
    symlinkSync("a", join(cwd, "hooks"));
    writeFileSync(join(cwd, "a", ".git"), "gitdir: ..\n");
    expect(policy().protect).toMatchObject({ pinned: [join(cwd, "a")], frozen: [join(cwd, "a", ".git")] });
  });
  test("a link to the workspace does not close it", () => {
    symlinkSync(".", join(cwd, ".vscode"));
    expect(policy().protect.frozen).toEqual([]);
  });
});

describe("where a command starts", () => {
  test("elsewhere inside", () => {
    mkdirSync(join(cwd, "sub"));
    expect(policy({}, { start: join(cwd, "sub") }).cwd).toBe(join(cwd, "sub"));
  });
  test("not outside, not nowhere", () => {
    expect(messageOf(() => policy({}, { start: "/usr" }))).toMatch(/outside the folders a command may start in/);
    expect(messageOf(() => policy({}, { start: join(cwd, "gone") }))).toMatch(/does not exist/);
  });
});

describe("the environment", () => {
  const SECRETS =
    "ZEPH_X AWS_ACCESS_KEY_ID AZURE_X GCP_X GOOGLE_APPLICATION_CREDENTIALS OPENAI_API_KEY ANTHROPIC_API_KEY HF_TOKEN GITHUB_TOKEN MY_SECRET DB_PASSWORD PGPASSWORD STRIPE_KEY SSH_AUTH_SOCK DATABASE_URL my_api_key NPM_TOKEN OTEL_EXPORTER_OTLP_HEADERS";
  test.each(SECRETS.split(" "))("%s is a secret", (name) =>
    expect([isSecretVariable(name), isHarmlessVariable(name)]).toEqual([true, false]),
  );
  test("anything nobody listed stays out; what the caller adds does not", () => {
    const made = commandEnvironment({
      parent: { TZ: "UTC", RANDOM_THING: "1", LD_PRELOAD: "x" },
      network: "closed",
      path: "/p",
      home: "/h",
      temp: "/t",
      added: { MY_TOKEN: "given" },
    });
    expect(made).toMatchObject({ TZ: "UTC", PATH: "/p", HOME: "/h", TMPDIR: "/t", MY_TOKEN: "given", LANG: "C.UTF-8" });
    expect(Object.keys(made)).not.toEqual(expect.arrayContaining(["RANDOM_THING"]));
    expect(made.LD_PRELOAD).toBeUndefined();
  });
  test("a proxy only with the network, and without a password", () => {
    const parent = { https_proxy: "http://p:1", HTTP_PROXY: "http://u:pw@p:1" };
    const proxies = (network: "open" | "closed") =>
      Object.keys(commandEnvironment({ parent, network, path: "", home: "", temp: "" })).filter((name) => /proxy/i.test(name));
    expect([proxies("open"), proxies("closed")]).toEqual([["https_proxy"], []]);
  });
  test("toolchains come first in PATH", () => {
    const tool = folder("tools", "bin");
    expect(policy({ toolchains: [join(base, "tools"), tool] })).toMatchObject({
      read: [join(base, "tools"), tool],
      env: { PATH: expect.stringMatching(new RegExp(`^${tool}:${tool}:/usr/local/bin`)) },
    });
  });
});
