import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { makeBase, removeBase, writeWithFolders } from "../../../test/plant-files.ts";
import type { Later } from "../../core/ports/shell.ts";
import { beforeCommand, changesSince } from "./after-command.ts";
import { finish } from "./folders.ts";
import { withoutSteering } from "./quarantine.ts";
import { steeringAmong } from "./steering-files.ts";
import { sweepProtected } from "./sweep.ts";

const isRoot = process.getuid?.() === 0;
const STRANGER = 61_234;

let base: string;
let work: string;
let home: string;
let kept: string;
beforeEach(() => {
  base = makeBase("zeph-looks");
  [work, home, kept] = ["work", "home", "quarantine"].map((name) => join(base, name)) as [string, string, string];
  for (const folder of [work, home]) mkdirSync(folder);
  chmodSync(base, 0o755);
  onTestFinished(() => removeBase(base));
});
const at = (...names: string[]) => join(work, ...names);
const write = (path: string, text = "x") => writeWithFolders(path, text);
const shown = (later: readonly Later[]) => later.map(({ path, how }) => `${path.slice(work.length + 1)} ${how}`).sort();
/** Folders that were moved as they were, closed, can be listed by their owner then. */
const openFolders = (folder: string) => spawnSync("chmod", ["-R", "u+rwX", folder]).status === 0;
const contents = (folder: string): string[] =>
  existsSync(folder) && openFolders(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((one) => one.isFile())
        .map((one) => readFileSync(join(one.parentPath, one.name), "utf8"))
        .sort()
    : [];

/** What a command did, looked at as `zeph exec` does. */
async function quarantined(command: () => void, between?: () => void): Promise<readonly Later[]> {
  const before = beforeCommand({ write: [work] });
  command();
  return withoutSteering(before, [], join(kept, "call"), between);
}

/** The same as `zeph exec` would see it for an ordinary user: root may list anything. */
async function asUser<T>(act: () => Promise<T>): Promise<T> {
  if (!isRoot) return act();
  for (const folder of [base, work, home]) chownSync(folder, STRANGER, STRANGER);
  process.setegid!(STRANGER);
  process.seteuid!(STRANGER);
  try {
    return await act();
  } finally {
    process.seteuid!(0);
    process.setegid!(0);
  }
}

/** A partner that puts back what became a link, two milliseconds later. */
const PUT_BACK =
  'use Time::HiRes "usleep"; $| = 1; print "ready\\n"; for (;;) { if (-l "d") { usleep 2000; unlink "d"; rename "e", "d" } usleep 200 }';

describe("A file that a command left and that steers an agent", () => {
  it("is not looked up again when it is moved: the folder is exchanged for a link to the home in between", async () => {
    write(join(home, ".claude/settings.json"), "the person's");
    let rounds = 0;
    const later = await quarantined(
      () => write(at("d/.claude/settings.json"), "the command's"),
      () => {
        if (rounds++ > 0) return;
        renameSync(at("d"), at("e"));
        symlinkSync(home, at("d"));
      },
    );
    expect(contents(home)).toEqual(["the person's"]);
    expect(contents(kept)).toEqual(["the command's"]);
    expect(shown(later)).toContain("e/.claude/settings.json was moved away");
  });

  it("is not mistaken for one of the person's that is put in its place in between", async () => {
    write(at("p/.claude/settings.json"), "the person's");
    const swap = (one: string, other: string) => {
      for (const [from, to] of [
        [one, "away"],
        [other, one],
        ["away", other],
      ])
        renameSync(at(from!), at(to!));
    };
    let rounds = 0;
    await quarantined(
      () => write(at("d/.claude/settings.json"), "the command's"),
      () => {
        if (rounds++ > 1) return;
        expect(contents(kept)).toEqual([]);
        swap("d", "p");
      },
    );
    expect([contents(kept), contents(work)]).toEqual([["the command's"], ["the person's"]]);
  });

  it("is moved in the same round while its folder is another one for a moment", async () => {
    const partner = spawn("perl", ["-e", PUT_BACK], { cwd: work, stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void partner.kill("SIGKILL"));
    await once(partner.stdout!, "data");
    let rounds = 0;
    // On a busy machine the partner may put it back too late.
    for (let tries = 0; tries < 10 && rounds !== 1; tries++) {
      rounds = 0;
      await quarantined(
        () => write(at("d/.claude/settings.json"), "the command's"),
        () => {
          if (rounds++ > 0) return;
          renameSync(at("d"), at("e"));
          symlinkSync(home, at("d"));
        },
      );
      await vi.waitFor(() => expect(lstatSync(at("d")).isDirectory()).toBe(true));
      expect(contents(home)).toEqual([]);
    }
    expect([rounds, contents(work)]).toEqual([1, []]);
  });

  it("is not taken for gone when its folder is another one between the two looks", () => {
    const files = [".mcp.json", ".claude/settings.json", ".gemini/settings.json"];
    for (const file of files) {
      write(at("d", file));
      const look = finish(sweepProtected([work]));
      expect(steeringAmong(look, [work])).toMatchObject({ files: [{ path: at("d", file) }], isSteady: true });
      renameSync(at("d"), at("e"));
      expect([file, steeringAmong(look, [work])]).toEqual([file, { files: [], isSteady: false }]);
      symlinkSync(home, at("d"));
      expect([file, steeringAmong(look, [work])]).toEqual([file, { files: [], isSteady: false }]);
      for (const name of ["d", "e"]) rmSync(at(name), { recursive: true });
    }
  });

  it("is kept beside another of the same name", async () => {
    const places = ["a", "b", "c/d"];
    const later = await quarantined(() => {
      for (const place of places) write(at(place, ".mcp.json"), place);
    });
    expect(contents(kept)).toEqual(places);
    expect(shown(later)).toEqual(places.map((place) => `${place}/.mcp.json was moved away`));
  });

  it("is the only thing that is moved, while two others exchange its folder for a link to the home as fast as they can", async () => {
    write(join(home, ".claude/settings.json"), "the person's");
    write(join(home, ".envrc"), "the person's");
    const partners = await Promise.all([startPartner(), startPartner()]);
    for (let round = 0; round < 20; round++) {
      const names = [`d${round}`, `e${round}`];
      for (const name of names) symlinkSync(home, at(`${name}-link`));
      const before = beforeCommand({ write: [work] });
      for (const name of names) write(at(name, ".claude/settings.json"), "theirs");
      await Promise.all(partners.map((partner, n) => partner.say(at(names[n]!))));
      const later = await withoutSteering(before, [], join(kept, String(round)));
      expect(later.filter(({ path }) => path.endsWith(".envrc"))).toEqual([]);
      await Promise.all(partners.map((partner) => partner.say("stop")));
      expect([readdirSync(home).sort(), contents(home)]).toEqual([
        [".claude", ".envrc"],
        ["the person's", "the person's"],
      ]);
      // Whatever the others hid from this look is found by the next one.
      const last = await withoutSteering(before, [], join(kept, `${round}-last`));
      expect(contents(work)).toEqual([]);
      expect([...later, ...last].filter(({ how }) => how === "was moved away").length).toBeGreaterThanOrEqual(2);
    }
    expect(new Set(contents(kept))).toEqual(new Set(["theirs"]));
  });
});

/** Another process that exchanges a folder for a link beside it until it is told to stop. */
async function startPartner() {
  const code = `const { renameSync } = require("node:fs");
    let d = "stop";
    process.stdin.on("data", (text) => {
      d = String(text);
      console.log("heard");
    });
    const tick = () => {
      for (let n = 0; n < 50 && d !== "stop"; n++) {
        renameSync(d, d + "-away");
        renameSync(d + "-link", d);
        renameSync(d, d + "-link");
        renameSync(d + "-away", d);
      }
      setImmediate(tick);
    };
    tick();`;
  const child = spawn(process.execPath, ["-e", code], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    return ended.then(() => undefined);
  });
  return {
    say: async (text: string) => {
      const heard = once(child.stdout, "data");
      child.stdin.write(text);
      await heard;
    },
  };
}

describe("A folder that cannot be listed", () => {
  const CLOSED: [closed: string, mode: string, steering: string][] = [
    [".claude", "111", ".claude/settings.json"],
    [".claude", "311", ".claude/settings.json"],
    [".claude", "000", ".claude/settings.json"],
    [".claude", "444", ".claude/settings.json"],
    ["b/.gemini", "111", "b/.gemini/settings.json"],
    ["sub", "111", "sub/.claude/settings.json"],
    ["sub", "000", "sub/.mcp.json"],
    ["sub/inner", "200", "sub/inner/.pi/x.ts"],
    [".codex", "111", ".codex/config.toml"],
    [".github", "111", ".github/hooks/x.json"],
    [".opencode/plugins", "333", ".opencode/plugins/x.js"],
  ];
  it.each(CLOSED)("hides nothing that steers an agent: %s with the mode %s", async (closed, mode, steering) => {
    await asUser(async () => {
      const later = await quarantined(() => {
        write(at(steering), "theirs");
        chmodSync(at(closed), Number.parseInt(mode, 8));
      });
      expect(later.filter(({ how }) => how === "was moved away")).toHaveLength(1);
      // What was opened for the look is closed again.
      const left = lstatSync(at(closed), { throwIfNoEntry: false });
      if (left) expect((left.mode & 0o777).toString(8).padStart(3, "0")).toBe(mode);
    });
    expect(existsSync(at(steering))).toBe(false);
    expect(contents(kept)).toEqual(["theirs"]);
  });

  const CLOSING = ["r", "src", ".idea"];
  it("hides nothing that something outside runs, and is closed as it was", () =>
    asUser(async () => {
      write(at("src/.vscode/tasks.json"));
      mkdirSync(at(".idea"));
      const before = beforeCommand({ write: [work] });
      write(at("r/.git/HEAD"));
      write(at("src/.vscode/tasks.json"), "changed");
      write(at("src/.envrc"));
      write(at(".idea/x.xml"));
      for (const name of CLOSING) chmodSync(at(name), 0);
      expect(shown(await changesSince(before))).toEqual([
        ".idea/x.xml appeared",
        "r/.git appeared",
        "src/.envrc appeared",
        "src/.vscode/tasks.json changed",
      ]);
      for (const name of CLOSING) expect(lstatSync(at(name)).mode & 0o777).toBe(0);
    }));

  it("is left as it is when it was so before", () =>
    asUser(async () => {
      write(at("mine/.claude/settings.json"), "the person's");
      chmodSync(at("mine"), 0o111);
      const { ctimeNs } = lstatSync(at("mine"), { bigint: true });
      expect(await quarantined(() => write(at("plain.txt")))).toEqual([]);
      expect(lstatSync(at("mine"), { bigint: true }).ctimeNs).toBe(ctimeNs);
      expect(contents(kept)).toEqual([]);
    }));

  it.runIf(isRoot)("is named when it is not ours, and moved as a whole where steering files are moved", async () => {
    const make = () => {
      process.seteuid!(0);
      write(at("theirs/.claude/settings.json"));
      chmodSync(at("theirs"), 0o700);
      process.seteuid!(STRANGER);
    };
    const named = await asUser(async () => {
      const before = beforeCommand({ write: [work] });
      make();
      const later = await changesSince(before);
      // Nothing is new of it the next time.
      expect(await changesSince(beforeCommand({ write: [work] }))).toEqual([]);
      return later;
    });
    expect(named).toEqual([{ path: at("theirs"), how: "was not looked into", why: "may not be listed by Zeph" }]);
    rmSync(at("theirs"), { recursive: true });
    const [moved] = await asUser(() => quarantined(make));
    expect(moved).toMatchObject({ path: at("theirs"), how: "was moved away", why: "may not be listed by Zeph" });
    expect(existsSync(at("theirs"))).toBe(false);
    expect(existsSync(moved!.to!)).toBe(true);
  });

  /** By a shell, which can make what no path can name. */
  const makeDeep = (levels: number, name: string, last: string) =>
    execFileSync(
      "sh",
      ["-c", `i=0; while [ $i -lt ${levels} ]; do mkdir -p ${name} && cd -P ${name} || exit 1; i=$((i+1)); done; ${last}`],
      {
        cwd: work,
      },
    );

  it("hides nothing because its path is longer than the system takes", async () => {
    const command = () => makeDeep(30, "n".repeat(250), "mkdir .claude; echo theirs >.claude/settings.json; echo x >.envrc");
    const before = beforeCommand({ write: [work] });
    command();
    expect((await changesSince(before)).map(({ path }) => path.split("/").at(-1))).toEqual(
      [".claude", ".claude/settings.json", ".envrc"].map((name) => name.split("/").at(-1)),
    );
    execFileSync("rm", ["-rf", work]);
    mkdirSync(work);
    const later = await quarantined(command);
    expect(later.filter(({ how }) => how === "was moved away").map(({ path }) => path.split("/").at(-1))).toEqual(["settings.json"]);
    expect(contents(kept)).toEqual(["theirs\n"]);
  });

  it("is named when it lies too deep, and the new folder around it is moved as a whole", async () => {
    const command = () => makeDeep(260, "n", "mkdir .claude; echo theirs >.claude/settings.json");
    const before = beforeCommand({ write: [work] });
    command();
    expect(await changesSince(before)).toEqual([
      { path: at(...Array(201).fill("n")), how: "was not looked into", why: "lies deeper than 200 folders" },
    ]);
    execFileSync("rm", ["-rf", work]);
    mkdirSync(work);
    const later = await quarantined(command);
    expect(later).toEqual([
      { path: at("n"), how: "was moved away", to: expect.any(String), why: "holds a folder that lies deeper than 200 folders" },
    ]);
    expect(readdirSync(work)).toEqual([]);
  });

  it("is named when it is one of too many new ones; what was there before does not count", () => {
    for (const name of ["a", "b", "c"]) mkdirSync(at(name));
    const before = finish(sweepProtected([work]));
    for (const name of ["d", "e", "f"]) write(at(name, ".envrc"));
    write(at("a/.envrc"));
    const { spots, unseen } = finish(sweepProtected([work], { before, most: 2 }));
    expect(spots.map(({ path }) => path)).toContain(at("a/.envrc"));
    expect([spots.length, unseen.length]).toEqual([3, 1]);
    expect(unseen[0]!.why).toBe("is one of more than 2 new folders");
  });

  it("is listed when its name is no text", async () => {
    const name = Buffer.from([0x61, 0xff]);
    const later = await quarantined(() => {
      const folder = Buffer.concat([Buffer.from(`${work}/`), name]);
      mkdirSync(folder);
      mkdirSync(Buffer.concat([folder, Buffer.from("/.claude")]));
      writeFileSync(Buffer.concat([folder, Buffer.from("/.claude/settings.json")]), "theirs");
    });
    expect(contents(kept)).toEqual(["theirs"]);
    expect(shown(later)).toContain("a\ufffd/.claude/settings.json was moved away");
  });
});
