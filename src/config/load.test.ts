import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { messageOf, scratch } from "../../test/scratch.ts";
import { parseConfig } from "./load.ts";
import { ConfigError } from "./problem.ts";

const trusted = () => true;

describe("layers", () => {
  test("nothing set: everything is built in", () => {
    const { config, origins, project, warnings } = scratch().load();
    expect(config.tools.retry.max_attempts).toBe(2);
    expect(config.tools.max_tool_calls_per_session).toBeUndefined();
    expect(new Set([...origins.values()].map(({ layer }) => layer))).toEqual(new Set(["built-in"]));
    expect([project, warnings]).toEqual([null, []]);
  });

  test("a later layer replaces an earlier one, and the origin says which", () => {
    const world = scratch();
    const seen = () => world.load({ trusted, env, flags }).origins.get("tools.retry.max_attempts");
    const value = () => world.load({ trusted, env, flags }).config.tools.retry.max_attempts;
    let env = {};
    let flags: string[] = [];
    world.user("# mine\n[tools.retry]\nmax_attempts = 3\n");
    expect([value(), seen()]).toEqual([3, { layer: "user", file: world.userFile, line: 3 }]);
    world.project("[tools]\nretry.max_attempts = 4\n");
    expect([value(), seen()]).toEqual([4, { layer: "project", file: world.projectFile, line: 2 }]);
    env = { ZEPH_TOOLS_RETRY_MAX_ATTEMPTS: "5" };
    expect([value(), seen()]).toEqual([5, { layer: "environment", name: "ZEPH_TOOLS_RETRY_MAX_ATTEMPTS" }]);
    flags = ["tools.retry.max_attempts=6", "tools.retry.max_attempts=7"];
    expect([value(), seen()]).toEqual([7, { layer: "flag", name: "--set tools.retry.max_attempts" }]);
  });

  test("a trusted project's rules come before the user's; its denials are added; other lists replace", () => {
    const world = scratch();
    world.user('[[tools.permissions.bash]]\npattern = "u"\naction = "ask"\n[tools.file]\ndeny_read = ["u"]\nallowed_paths = ["/u"]\n');
    world.project('[[tools.permissions.bash]]\npattern = "p"\naction = "allow"\n[tools.file]\ndeny_read = ["p"]\nallowed_paths = ["/p"]\n');
    const { config, origins } = world.load({ trusted });
    expect(config.tools.permissions.bash?.map(({ pattern }) => pattern)).toEqual(["p", "u"]);
    expect(config.tools.file).toMatchObject({ deny_read: ["u", "p"], allowed_paths: ["/p"] });
    expect(origins.get("tools.permissions")).toMatchObject({ layer: "project", addedTo: { layer: "user", file: world.userFile } });
  });

  test("a tool named like something every object has", () => {
    const world = scratch();
    world.project('[[tools.permissions.toString]]\npattern = "p"\naction = "deny"\n');
    expect(world.load().config.tools.permissions.toString).toEqual([{ pattern: "p", action: "deny" }]);
    expect(world.load({ trusted }).config.tools.permissions.toString).toEqual([{ pattern: "p", action: "deny" }]);
  });
});

describe("which files", () => {
  test("$XDG_CONFIG_HOME when it is absolute", () => {
    const world = scratch();
    const xdg = join(world.root, "xdg");
    world.write(join(xdg, "zeph", "config.toml"), 'autonomy = "readonly"\n');
    world.write(join(world.cwd, "rel", "zeph", "config.toml"), 'autonomy = "full"\n');
    expect(world.load({ env: { XDG_CONFIG_HOME: xdg } }).config.autonomy).toBe("readonly");
    expect(world.load({ env: { XDG_CONFIG_HOME: "rel" } }).userFile).toBe(world.userFile);
  });

  test("a file given by name replaces the user's and must exist", () => {
    const world = scratch();
    world.user('autonomy = "full"\n');
    world.write(join(world.cwd, "my.toml"), "[tools.retry]\nmax_attempts = 1\n");
    const { config, userFile } = world.load({ userFile: "my.toml" });
    expect([config.autonomy, config.tools.retry.max_attempts, userFile]).toEqual(["supervised", 1, join(world.cwd, "my.toml")]);
    expect(messageOf(() => world.load({ userFile: "none.toml" }))).toBe(`${join(world.cwd, "none.toml")}: This file does not exist.`);
  });

  test("a project is searched upward, to the top of the repository and never into the home folder", () => {
    const world = scratch();
    const deep = join(world.cwd, "a", "b");
    mkdirSync(deep, { recursive: true });
    world.write(join(world.home, ".zeph", "config.toml"), "");
    expect(world.load({ cwd: deep }).project).toBeNull();
    world.project("");
    expect(world.load({ cwd: deep }).project).toMatchObject({ folder: world.cwd, file: world.projectFile });
    mkdirSync(join(world.cwd, "a", ".git"));
    expect(world.load({ cwd: deep }).project).toBeNull();
    expect(world.load({ cwd: world.home }).project).toMatchObject({ folder: world.home });
  });

  test("the user's own file is never taken for a project's", () => {
    const world = scratch();
    world.project('autonomy = "full"\n');
    expect(world.load({ userFile: world.projectFile })).toMatchObject({ project: null, warnings: [], config: { autonomy: "full" } });
    mkdirSync(join(world.home, ".config"), { recursive: true });
    symlinkSync(join(world.cwd, ".zeph"), join(world.home, ".config", "zeph"));
    expect(world.load().project).toBeNull();
  });

  test("the folder is the same however it is reached", () => {
    const world = scratch();
    world.project("");
    symlinkSync(world.cwd, join(world.home, "link"));
    expect(world.load({ cwd: join(world.home, "link") }).project).toEqual(world.load().project);
  });
});

describe("what is wrong is said", () => {
  const complaint = (text: string) => {
    const world = scratch();
    const file = world.user(text);
    return messageOf(() => world.load()).replaceAll(file, "FILE");
  };

  test("an unknown key, with file, line, column and what was meant", () => {
    expect(complaint('\n# x\n[tools.fiel]\ndeny_read = ["x"]\n')).toBe(
      'FILE:3:1: "tools.fiel" is not a setting. Did you mean "tools.file"?',
    );
    expect(complaint("tools.file.deny_raed = []")).toBe(
      'FILE:1:1: "tools.file.deny_raed" is not a setting. Did you mean "tools.file.deny_read"?',
    );
    expect(complaint("max_attempts = 1")).toBe('FILE:1:1: "max_attempts" is not a setting. Did you mean "tools.retry.max_attempts"?');
    expect(complaint("[tools.file]\n  xyzzy = 1")).toBe('FILE:2:3: "tools.file.xyzzy" is not a setting.');
    expect(complaint('[[tools.permissions.bash]]\npatern = "x"\naction = "deny"\n')).toBe(
      'FILE:1:1: "tools.permissions.bash[0].pattern" is missing. It must be text that is not empty.\n' +
        'FILE:2:1: "tools.permissions.bash[0].patern" is not a setting. Did you mean "tools.permissions.bash[0].pattern"?',
    );
  });

  test("wrong values, in plain words", () => {
    expect(complaint('[tools.retry]\nmax_attempts = "three"')).toBe(
      'FILE:2:1: "tools.retry.max_attempts" must be a whole number from 0 to 10, but the text "three" was found.',
    );
    expect(complaint("tools.retry.max_attempts = 1.5")).toContain("must be a whole number from 0 to 10, but the number 1.5 was found.");
    expect(complaint("tools.retry.max_attempts = 11")).toContain("must be a whole number from 0 to 10, but the number 11 was found.");
    expect(complaint("tools.retry.budget_secs = inf")).toContain("must be a number from 0 to 3600, but the number Infinity was found.");
    expect(complaint("tools.enabled = 1979-05-27")).toContain('"tools.enabled" must be true or false, but a date or time was found.');
    expect(complaint('autonomy = "ful"')).toContain('must be "full", "edits", "supervised" or "readonly", but the text "ful" was found.');
    expect(complaint('tools.file.deny_read = "x"')).toContain('must be a list of texts, but the text "x" was found.');
    expect(complaint('tools.file.deny_read = ["x", ""]')).toBe(
      'FILE:1:30: "tools.file.deny_read[1]" must be text that is not empty, but the text "" was found.',
    );
    expect(complaint("tools = 3")).toContain('"tools" must be a table with enabled, max_tool_calls_per_session');
  });

  test("everything at once, of every source, in the order of the lines", () => {
    const world = scratch();
    const user = world.user('[tools.retry]\nmax_attempts = "x"\nwrong = 1\n[agent]\nmax_tool_iterations = 0\n');
    const project = world.project("autonom = 1\n");
    const message = messageOf(() => world.load({ env: { ZEPH_AUTONOMY: "x" }, flags: ["nope=1"] }));
    expect(message.split("\n").map((line) => line.replace(user, "U").replace(project, "P").slice(0, 34))).toEqual([
      'U:2:1: "tools.retry.max_attempts" ',
      'U:3:1: "tools.retry.wrong" is not ',
      'U:5:1: "agent.max_tool_iterations"',
      'P:1:1: "autonom" is not a setting.',
      'ZEPH_AUTONOMY: "autonomy" must be ',
      '--set nope: "nope" is not a settin',
    ]);
  });

  test("syntax, with the lines around it", () => {
    expect(complaint("a = 1\r\nb = \r\n")).toContain("FILE:2:5: This is not valid TOML: invalid value.\n\n    1:  a = 1\n    2:  b = ");
  });

  const FORM = '[[tools.permissions.bash]]\n    pattern = "git *"\n    action = "allow"\n';
  test.each([
    ['[tools.permissions.bash]\n[[tools.permissions.bash]]\npattern = "x"\naction = "deny"\n', "FILE:2:3: This is not valid TOML"],
    ['[[tools.permissions.bash]]\npattern = "x"\naction = "deny"\n[tools.permissions.bash]\n', "FILE:4:2: This is not valid TOML"],
    ['[tools.permissions.bash]\npattern = "x"\naction = "deny"\n', "FILE:1:1: "],
    ['[[tools.permissions]]\npattern = "x"\n', "FILE:1:1: "],
    ['[tools.permissions]\nbash = "deny"\n', "FILE:2:1: "],
    ['[tools.permissions]\nbash = ["deny"]\n', "FILE:2:9: "],
  ])("permissions written wrongly show the right form: %j", (text, start) => {
    const message = complaint(text);
    expect(message).toContain(FORM);
    expect(message.startsWith(start)).toBe(true);
  });

  test("an old key names the new one", () => {
    expect(complaint("[agent]\nmax_tool_retries = 3\nmax_retry_duration_secs = 9\n")).toBe(
      'FILE:2:1: "agent.max_tool_retries" is now "tools.retry.max_attempts". Run `zeph --migrate-config` to have it rewritten.\n' +
        'FILE:3:1: "agent.max_retry_duration_secs" is now "tools.retry.budget_secs". Run `zeph --migrate-config` to have it rewritten.',
    );
  });

  test.each([
    ['tools.file.deny_read = ["ok", "a[b"]', '"tools.file.deny_read[1]" is not a valid glob'],
    ['tools.file.allow_read = ["{a"]', '"tools.file.allow_read[0]" is not a valid glob'],
    ['[[tools.permissions.bash]]\npattern = "a\\\\"\naction = "deny"\n', '"tools.permissions.bash[0].pattern" is not a valid glob'],
  ])("a malformed glob: %j", (text, message) => {
    expect(complaint(text)).toContain(message);
    expect(messageOf(() => scratch().load({ flags: ['tools.file.deny_read=["[x"]'] }))).toContain("is not a valid glob");
  });

  test("names no table can have", () => {
    expect(complaint("[__proto__]\nautonomy = 1\n")).toContain("FILE:1:2: This is not valid TOML: document contains an unsafe property");
    expect(messageOf(() => scratch().load({ flags: ["__proto__.x=1"] }))).toContain('"__proto__.x" is not a setting.');
  });

  test("control characters of a file are shown, not obeyed", () => {
    expect(complaint('"\\u001b[2J\\u202e" = 1')).toContain("\\u001b[2J\\u202e");
    expect(complaint("a = \u001b[2J")).not.toContain("\u001b");
  });
});

describe("files that are none", () => {
  const said = (prepare: (world: ReturnType<typeof scratch>) => void) => {
    const world = scratch();
    prepare(world);
    return messageOf(() => world.load()).replace(world.root, "");
  };

  test("too large, not text, a directory, a link to nothing, a device", () => {
    expect(said((w) => w.user(`#${"x".repeat(1024 * 1024)}`))).toBe(
      "/home/.config/zeph/config.toml: This file is larger than 1 MiB, which is the limit.",
    );
    expect(said((w) => w.write(w.userFile, new Uint8Array([0x61, 0xff])))).toContain("not UTF-8 text");
    expect(said((w) => mkdirSync(w.userFile, { recursive: true }))).toContain("This is a directory");
    expect(said((w) => mkdirSync(w.projectFile, { recursive: true }))).toContain("/home/work/.zeph/config.toml: This is a directory");
    const linked = (target: string) => (w: ReturnType<typeof scratch>) => {
      mkdirSync(join(w.cwd, ".zeph"));
      symlinkSync(target, w.projectFile);
    };
    expect(said(linked("/nowhere/at/all"))).toContain("This link points to nothing");
    expect(said(linked("/dev/zero"))).toContain("leads out of");
    const device = (w: ReturnType<typeof scratch>) => {
      mkdirSync(join(w.home, ".config/zeph"), { recursive: true });
      symlinkSync("/dev/zero", w.userFile);
    };
    expect(said(device)).toContain("not a regular file");
  });

  test("a project's file that leads out of the project is refused, and nothing of what it leads to is shown", () => {
    const secret = "root:x:0:0 this is no TOML";
    const link = (w: ReturnType<typeof scratch>) => {
      mkdirSync(join(w.cwd, ".zeph"));
      symlinkSync(w.write(join(w.home, "secret"), secret), w.projectFile);
    };
    const folder = (w: ReturnType<typeof scratch>) => {
      w.write(join(w.home, "elsewhere/config.toml"), secret);
      symlinkSync(join(w.home, "elsewhere"), join(w.cwd, ".zeph"));
    };
    for (const prepare of [link, folder]) {
      expect(said(prepare)).toContain("/home/work/.zeph/config.toml: This is a link, or lies behind one, that leads out of");
      expect(said(prepare)).not.toContain("root:x");
    }
  });

  test("a project's file may be a link to another file of the project, and a person's own file a link to anywhere", () => {
    const world = scratch();
    world.write(join(world.cwd, "zeph.toml"), 'autonomy = "readonly"');
    mkdirSync(join(world.cwd, ".zeph"));
    symlinkSync("../zeph.toml", world.projectFile);
    expect(world.load().config.autonomy).toBe("readonly");
    const own = scratch();
    mkdirSync(join(own.home, ".config/zeph"), { recursive: true });
    symlinkSync(own.write(join(own.root, "dotfiles/zeph.toml"), 'autonomy = "readonly"'), own.userFile);
    expect(own.load().config.autonomy).toBe("readonly");
  });

  test.skipIf(process.getuid?.() === 0)("no permission", () => {
    expect(said((w) => chmodSync(w.user(""), 0))).toContain("no permission");
  });

  test("exactly 1 MiB, a byte order mark and CRLF are fine", () => {
    const world = scratch();
    world.user(`\ufeffautonomy = "readonly"\r\n#${"x".repeat(1024 * 1024 - 30)}`);
    const { config, origins } = world.load();
    expect([config.autonomy, origins.get("autonomy")?.line]).toEqual(["readonly", 1]);
  });
});

describe("the library", () => {
  test("an object is the whole configuration", () => {
    expect(parseConfig({ tools: { retry: { max_attempts: 0 } } }).tools.retry.max_attempts).toBe(0);
  });

  test("complaints name the key", () => {
    const act = () => parseConfig({ tools: { fiel: {}, retry: { max_attempts: "x" }, file: { deny_read: ["[a"] } } });
    expect(act).toThrow(ConfigError);
    expect(messageOf(act).split("\n")).toEqual([
      '"tools.retry.max_attempts" must be a whole number from 0 to 10, but the text "x" was found.',
      '"tools.fiel" is not a setting. Did you mean "tools.file"?',
      expect.stringContaining('"tools.file.deny_read[0]" is not a valid glob'),
    ]);
    expect(messageOf(() => parseConfig(null))).toContain("The configuration must be a table");
  });
});
