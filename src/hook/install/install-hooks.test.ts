import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { HookMode } from "../client.ts";
import type { ClientPlan } from "./client-plan.ts";
import { CLIENT_PLANS } from "./client-plans.ts";
import { hookCommands } from "./edit-text.ts";
import { createInstallStep, createRemoveStep, type InstallPlace } from "./install-hooks.ts";
import { readInstalled } from "./installed.ts";
import { hookLine, isJudgingLine, isOwnCommand } from "./mark.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-install-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let count = 0;
function freshPlace(): InstallPlace {
  const at = join(base, String(count++));
  for (const name of ["home", "work", "state"]) mkdirSync(join(at, name), { recursive: true });
  return { home: join(at, "home"), cwd: join(at, "work"), state: join(at, "state"), env: {} };
}
const PROGRAM = ["/opt/ze ph/bin/zeph-hook"];
const wish = (mode: HookMode = "guard") => ({ scope: "user", mode, onFailure: "deny", program: PROGRAM }) as const;
const fileOf = (plan: ClientPlan, { home }: InstallPlace) => join(home, plan.files.user!);
const put = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const plans = Object.values(CLIENT_PLANS);
const settings = plans.filter(({ form }) => form.kind === "settings");
const EVENT: Readonly<Record<string, string>> = {
  claude: "PreToolUse",
  codex: "PreToolUse",
  qwen: "PreToolUse",
  gemini: "BeforeTool",
  copilot: "preToolUse",
  cursor: "beforeShellExecution",
};
const OTHER = { claude: true, codex: true, qwen: true, gemini: true } as Record<string, true | undefined>;
/** A hook of somebody else, in the client's own shape. */
const foreign = (client: string, command: string): object =>
  OTHER[client]
    ? { matcher: "Bash", hooks: [{ type: "command", command }] }
    : client === "copilot"
      ? { type: "command", bash: command }
      : { command };

/** Texts that every client reads. */
const READABLE: Readonly<Record<string, (client: string) => string>> = {
  "an empty file": () => "",
  "a file of blank space": () => " \n\t\n",
  "an empty object": () => "{}",
  "an empty object with a space": () => "{ }",
  "an empty object over two lines": () => "{\n}\n",
  "an empty object over two lines, CRLF": () => "{\r\n}\r\n",
  "one line": () => '{"a":1}',
  "one line with spaces": () => '{ "a": 1, "b": [1, 2] }\n',
  "two spaces": () => '{\n  "a": 1,\n  "b": {\n    "c": true\n  }\n}\n',
  "four spaces": () => '{\n    "a": 1\n}\n',
  tabs: () => '{\n\t"a": 1,\n\t"b": {\n\t\t"c": null\n\t}\n}\n',
  CRLF: () => '{\r\n  "a": 1\r\n}\r\n',
  "no final newline": () => '{\n  "a": 1\n}',
  "many final newlines": () => '{\n  "a": 1\n}\n\n\n',
  "blank lines inside": () => '{\n\n  "a": 1\n\n}\n',
  "spaces at the ends of lines": () => '{  \n  "a": 1  \n}  \n',
  "odd indentation": () => '{\n "a": 1,\n      "b": 2\n   }\n',
  "the bracket on the last line": () => '{\n  "a": 1 }\n',
  "the first key on the first line": () => '{ "a": 1,\n  "b": 2\n}\n',
  "characters of other languages": () => '{\n  "schön": "日本語 🙂 \\u00e9",\n  "e\u0301": "é"\n}\n',
  "escapes and brackets in strings": () => '{\n  "a": "\\"}],{[//\\\\",\n  "/* no */": "// no"\n}\n',
  "a key of a prototype": () => '{\n  "__proto__": {"x": 1},\n  "constructor": 2\n}\n',
  "numbers that are not rounded": () => '{\n  "n": 12345678901234567890,\n  "m": 1.0,\n  "e": 1E+2\n}\n',
  "twenty levels": () => `{"a":${"[".repeat(20)}${"]".repeat(20)}}`,
  "empty hooks": () => '{\n  "hooks": {}\n}\n',
  "empty hooks on one line": () => '{"hooks":{}}',
  "empty hooks between others": () => '{\n  "a": 1,\n  "hooks": {\n  },\n  "z": 2\n}\n',
  "an empty list": (client) => `{\n  "hooks": {\n    "${EVENT[client]}": []\n  }\n}\n`,
  "an empty list on one line": (client) => `{"hooks":{"${EVENT[client]}":[]}}`,
  "hooks of another event": (client) => `{\n  "hooks": {\n    "SessionStart": [${JSON.stringify(foreign(client, "echo hi"))}]\n  }\n}\n`,
  "another hook of the same event": (client) => JSON.stringify({ hooks: { [EVENT[client]!]: [foreign(client, "other check")] } }, null, 2),
  "two other hooks, tabs": (client) =>
    `${JSON.stringify({ a: [1], hooks: { [EVENT[client]!]: [foreign(client, "one"), foreign(client, "two")] }, z: {} }, null, "\t")}\n`,
  "another hook on one line": (client) => JSON.stringify({ hooks: { [EVENT[client]!]: [foreign(client, "other check")] } }),
  "another hook with a mark of another client": (client) =>
    JSON.stringify(
      { hooks: { [EVENT[client]!]: [foreign(client, "zeph-hook other pre # written by: zeph hook install other")] } },
      null,
      1,
    ),
  "a list in which lines are mixed": (client) =>
    `{\n  "hooks": { "${EVENT[client]}": [\n    ${JSON.stringify(foreign(client, "x"))} ] }\n}\n`,
  "tabs, CRLF and blank lines": () => '{\r\n\t"a": 1,\r\n\r\n\t"b": {\r\n\t\t"c": []\r\n\t}\r\n}\r\n',
  "line ends that are mixed": () => '{\n  "a": 1,\r\n  "b": 2\n}\r\n',
  "hooks of another event, CRLF": (client) =>
    `{\r\n  "hooks": {\r\n    "SessionStart": [${JSON.stringify(foreign(client, "echo hi"))}]\r\n  }\r\n}\r\n`,
  "another hook of the same event, CRLF": (client) =>
    `${JSON.stringify({ hooks: { [EVENT[client]!]: [foreign(client, "other check")] } }, null, 4).replaceAll("\n", "\r\n")}\r\n`,
  "a hundred keys": () =>
    `${JSON.stringify(Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`key ${n}`, { n: [n, String(n)] }])), null, 3)}\n`,
  "letters that are written as escapes": () => '{\n  "\\u0061": "\\u0022 \\ud83d\\ude42"\n}\n',
  "a version of its own": () => '{\n  "version": 1\n}\n',
};
/** Texts of clients that take comments. */
const COMMENTED: Readonly<Record<string, (client: string) => string>> = {
  "a comment before and after": () => '// first\n{\n  "a": 1\n}\n// last\n',
  "a comment behind the last value": () => '{\n  "a": 1 // about a\n}\n',
  "a comment below the last value": () => '{\n  "a": 1\n  // about nothing\n}\n',
  "a long comment in an empty object": () => "{ /* nothing\n yet */ }\n",
  "a line comment in an empty object, CRLF": () => "{ // nothing yet\r\n}\r\n",
  "comments on lines of their own, CRLF": () => '// first\r\n{\r\n  // about a\r\n  "a": 1, // behind\r\n  /* b */ "b": 2\r\n}\r\n',
  "a long comment at the end without a line end": () => '{"a":1}\n/* the\nend */',
  "comments around another hook": (client) =>
    `{\n  "hooks": {\n    // mine\n    "${EVENT[client]}": [ /* a */ ${JSON.stringify(foreign(client, "x"))} /* b */ ] // c\n    /* d */\n  } // e\n}\n`,
};
/** Texts that are refused. */
const REFUSED: Readonly<Record<string, (client: string) => string>> = {
  "an object that is not closed": () => '{"a":1',
  "a comma too many": () => '{"a":1,}',
  "no JSON at all": () => "hooks = 1\n",
  "a list at the top": () => "[]",
  "a text at the top": () => '"x"',
  "hooks that are a list": () => '{"hooks":[]}',
  "hooks that are null": () => '{"hooks":null}',
  "an event that is an object": (client) => `{"hooks":{"${EVENT[client]}":{}}}`,
  "the same key twice": () => '{"hooks":{},"hooks":{}}',
  "a byte order mark": () => "\ufeff{}",
  "something behind the end": () => "{} {}",
  "a hundred levels": () => `{"a":${"[".repeat(100)}${"]".repeat(100)}}`,
};

const cases = settings.flatMap((plan) => {
  const commented = plan.form.kind === "settings" && plan.form.comments === "allowed" ? COMMENTED : {};
  return Object.entries({ ...READABLE, ...commented }).map(([name, text]) => [plan.name, name, plan, text(plan.name)] as const);
});

it("forty files and more are left byte for byte by every client that has settings", () => {
  for (const { name } of settings) expect(cases.filter(([client]) => client === name).length).toBeGreaterThanOrEqual(40);
});

it.each(cases)("%s: install, install and remove leave the same bytes: %s", (_client, _name, plan, text) => {
  const place = freshPlace();
  const path = fileOf(plan, place);
  put(path, text);
  createInstallStep(plan, wish(), place).apply();
  const once = readFileSync(path, "utf8");
  const own = hookCommands(plan, once).filter(({ command }) => isOwnCommand(plan.name)(command));
  expect(own.length).toBeGreaterThanOrEqual(2);
  // Everything that stood there stands there still, in its order.
  expect(isSubsequence(text.trim(), once)).toBe(true);
  const again = createInstallStep(plan, wish(), place);
  expect(again.isSame).toBe(true);
  again.apply();
  expect(readFileSync(path, "utf8")).toBe(once);
  createRemoveStep(plan, "user", place)!.apply();
  expect(readFileSync(path, "utf8")).toBe(text);
  expect(readdirSync(dirname(path))).toEqual([path.slice(dirname(path).length + 1)]);
  expect(readInstalled(place.state)).toEqual([]);
});

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const char of part) {
    at = whole.indexOf(char, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

it.each(settings.flatMap((plan) => Object.entries(REFUSED).map(([name, text]) => [plan.name, name, plan, text(plan.name)] as const)))(
  "%s: a file is refused and stays: %s",
  (_client, _name, plan, text) => {
    const place = freshPlace();
    const path = fileOf(plan, place);
    put(path, text);
    expect(() => createInstallStep(plan, wish(), place)).toThrow(/Nothing was written/);
    expect(readFileSync(path, "utf8")).toBe(text);
  },
);

describe.each(plans.map((plan) => [plan.name, plan] as const))("%s", (_name, plan) => {
  it("a file that was not there is gone again, and its folders too", () => {
    const place = freshPlace();
    createInstallStep(plan, wish(), place).apply();
    expect(existsSync(fileOf(plan, place))).toBe(true);
    createInstallStep(plan, wish(), place).apply();
    createRemoveStep(plan, "user", place)!.apply();
    expect(readdirSync(place.home)).toEqual([]);
  });

  it("a link that leads out of the client's folder is refused", () => {
    const place = freshPlace();
    const elsewhere = join(place.home, "dotfiles.json");
    writeFileSync(elsewhere, "{}");
    mkdirSync(dirname(fileOf(plan, place)), { recursive: true });
    symlinkSync(elsewhere, fileOf(plan, place));
    expect(() => createInstallStep(plan, wish(), place)).toThrow(/leads out/);
    expect(readFileSync(elsewhere, "utf8")).toBe("{}");
  });

  it("a folder of a project that leads out of it is refused", () => {
    const place = freshPlace();
    const top = plan.files.shared!.split("/")[0]!;
    mkdirSync(join(place.home, "elsewhere"));
    symlinkSync(join(place.home, "elsewhere"), join(place.cwd, top));
    expect(() => createInstallStep(plan, { ...wish(), scope: "shared" }, place)).toThrow(/leads out/);
  });

  it("a folder in the place of the file is refused", () => {
    const place = freshPlace();
    mkdirSync(fileOf(plan, place), { recursive: true });
    expect(() => createInstallStep(plan, wish(), place)).toThrow(/directory/);
  });
});

describe.each(settings.map((plan) => [plan.name, plan] as const))("settings of %s", (_name, plan) => {
  it("a read-only file is refused, though a rename would replace it", () => {
    const place = freshPlace();
    put(fileOf(plan, place), "{}");
    chmodSync(fileOf(plan, place), 0o444);
    expect(() => createInstallStep(plan, wish(), place)).toThrow(/read-only/);
  });

  it("a file keeps its mode, and one that is read-only when the hooks go is left with them", () => {
    const place = freshPlace();
    const path = fileOf(plan, place);
    put(path, '{\r\n  "a": 1\r\n}\r\n');
    chmodSync(path, 0o640);
    createInstallStep(plan, wish(), place).apply();
    expect(statSync(path).mode & 0o777).toBe(0o640);
    const written = readFileSync(path, "utf8");
    chmodSync(path, 0o440);
    expect(() => createRemoveStep(plan, "user", place)).toThrow(/read-only/);
    expect(readFileSync(path, "utf8")).toBe(written);
    chmodSync(path, 0o640);
    createRemoveStep(plan, "user", place)!.apply();
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(['{\r\n  "a": 1\r\n}\r\n', 0o640]);
  });

  it("a link inside of the client's folder is followed, and stays a link", () => {
    const place = freshPlace();
    const path = fileOf(plan, place);
    put(`${path}.real`, "{}\n");
    symlinkSync(`${path}.real`, path);
    createInstallStep(plan, wish(), place).apply();
    expect(readFileSync(`${path}.real`, "utf8")).toContain("zeph-hook");
    createRemoveStep(plan, "user", place)!.apply();
    expect(readFileSync(`${path}.real`, "utf8")).toBe("{}\n");
    expect(realpathSync(path)).toBe(realpathSync(`${path}.real`));
  });

  it("bytes that are no UTF-8 are refused", () => {
    const place = freshPlace();
    put(fileOf(plan, place), "");
    writeFileSync(fileOf(plan, place), Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
    expect(() => createInstallStep(plan, wish(), place)).toThrow(/UTF-8/);
  });

  it("what others wrote since stays, wherever it stands", () => {
    const place = freshPlace();
    const path = fileOf(plan, place);
    put(path, '{\n  "a": 1\n}\n');
    createInstallStep(plan, wish(), place).apply();
    writeFileSync(path, readFileSync(path, "utf8").replace('"a": 1', '"a": 2,\n  "new": [3]'));
    createRemoveStep(plan, "user", place)!.apply();
    expect(readFileSync(path, "utf8")).toBe('{\n  "a": 2,\n  "new": [3]\n}\n');
  });

  it("a hook that somebody put among ours stays, and is told", () => {
    const place = freshPlace();
    const path = fileOf(plan, place);
    createInstallStep(plan, wish(), place).apply();
    const data = JSON.parse(readFileSync(path, "utf8"));
    const event = EVENT[plan.name]!;
    data.hooks[event].unshift(foreign(plan.name, "mine before"));
    data.hooks[event].push(foreign(plan.name, "mine after"));
    writeFileSync(path, JSON.stringify(data, null, 4));
    const told = createRemoveStep(plan, "user", place)!.apply();
    const left = hookCommands(plan, readFileSync(path, "utf8"));
    expect(left.map(({ command }) => command)).toEqual(["mine before", "mine after"]);
    expect(told.join("\n")).toContain("mine after");
  });

  it("entries are found by their mark where the record is lost", () => {
    const place = freshPlace();
    const path = fileOf(plan, place);
    put(path, '{\n  "a": 1\n}\n');
    createInstallStep(plan, wish(), place).apply();
    rmSync(place.state, { recursive: true });
    createRemoveStep(plan, "user", place)!.apply();
    expect(readFileSync(path, "utf8")).not.toContain("zeph-hook");
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ a: 1 });
  });

  it("a file that changed between the question and the writing is not written", () => {
    const place = freshPlace();
    const path = fileOf(plan, place);
    put(path, "{}");
    const step = createInstallStep(plan, wish(), place);
    writeFileSync(path, '{"b":1}');
    expect(() => step.apply()).toThrow(/changed this file/);
    expect(readFileSync(path, "utf8")).toBe('{"b":1}');
  });
});

describe("a plugin", () => {
  it.each(["opencode", "pi"] as const)("of somebody else by the name of ours is refused, and not removed: %s", (name) => {
    const place = freshPlace();
    const plan = CLIENT_PLANS[name];
    put(fileOf(plan, place), "export default 1;\n");
    expect(() => createInstallStep(plan, wish(), place)).toThrow(/not Zeph's/);
    expect(createRemoveStep(plan, "user", place)).toBeNull();
    expect(readFileSync(fileOf(plan, place), "utf8")).toBe("export default 1;\n");
  });
});

it("the removal of one client leaves the others as they are", () => {
  const place = freshPlace();
  for (const plan of plans) createInstallStep(plan, wish(), place).apply();
  const before = new Map(plans.map((plan) => [plan.name, readFileSync(fileOf(plan, place), "utf8")]));
  createRemoveStep(CLIENT_PLANS.claude, "user", place)!.apply();
  for (const plan of plans.slice(1)) expect(readFileSync(fileOf(plan, place), "utf8")).toBe(before.get(plan.name));
  expect(readInstalled(place.state).map(({ client }) => client)).toEqual(plans.slice(1).map(({ name }) => name));
});

it("another mode takes the place of the first, and removal still leaves the same bytes", () => {
  const place = freshPlace();
  const plan = CLIENT_PLANS.claude;
  put(fileOf(plan, place), '{\n  "a": 1\n}\n');
  createInstallStep(plan, wish("guard"), place).apply();
  createInstallStep(plan, wish("filter"), place).apply();
  expect(Object.keys(JSON.parse(readFileSync(fileOf(plan, place), "utf8")).hooks)).toEqual(["PostToolUse"]);
  expect(readFileSync(`${fileOf(plan, place)}.zeph-backup`, "utf8")).toBe('{\n  "a": 1\n}\n');
  createRemoveStep(plan, "user", place)!.apply();
  expect(readFileSync(fileOf(plan, place), "utf8")).toBe('{\n  "a": 1\n}\n');
});

describe("a command line of ours", () => {
  it.each(settings.map(({ name }) => name))("is known to judge calls by what is written before them, in %s", (client) => {
    for (const onFailure of ["deny", "allow"] as const) {
      expect(isJudgingLine(hookLine(PROGRAM, client, "pre", onFailure))).toBe(true);
      expect(isJudgingLine(hookLine(PROGRAM, client, "post", onFailure))).toBe(false);
    }
  });
});
