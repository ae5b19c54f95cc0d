import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { scratch } from "../../../test/scratch.ts";
import { settled } from "./mcp-paths.ts";

function place() {
  const { root, home, cwd } = scratch();
  const own = [join(root, "config/zeph/keys.toml"), join(root, "config/zeph/config.toml"), join(root, "state/zeph")];
  const write = (path: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "");
    return path;
  };
  for (const path of [...own.slice(0, 2), join(root, "state/zeph/zeph.db"), join(cwd, "server.mjs"), join(cwd, "data.txt")]) write(path);
  const add = (command: string, args: readonly string[] = [], more: object = {}) => {
    const { entry, told } = settled({ name: "x", command, args, ...more }, { cwd, home, own });
    return { ...(entry as unknown as { command: string; args: string[]; allow_read?: string[]; allow_write?: string[] }), told };
  };
  return { root, home, cwd, own, write, add };
}

it("writes whole paths for what is there, and says so", () => {
  const { add, cwd, write } = place();
  // A file with the name of a program is no reason to run it.
  write(join(cwd, "node"));
  const { command, args, allow_read, told } = add("node", ["./server.mjs", ".", "data.txt", "no-such.txt", "--root=.", "-y", "", "~"]);
  expect(command).toBe("node");
  expect(args).toEqual([join(cwd, "server.mjs"), cwd, join(cwd, "data.txt"), "no-such.txt", `--root=${cwd}`, "-y", "", "~"]);
  expect(allow_read).toEqual([cwd]);
  expect(told).toEqual([
    `./server.mjs is written as ${cwd}/server.mjs.`,
    `. is written as ${cwd}.`,
    `data.txt is written as ${cwd}/data.txt.`,
    `. is written as ${cwd}.`,
    `x may read ${cwd} (allow_read), whichever folder you work in.`,
  ]);
  expect(add("./server.mjs")).toMatchObject({ command: join(cwd, "server.mjs"), allow_read: [cwd] });
});

it("leaves names of packages and modules, whatever lies there", () => {
  const { add, cwd, write } = place();
  write(join(cwd, "tickets"));
  write(join(cwd, "@scope/pkg"));
  expect(add("npx", ["-y", "tickets", "@scope/pkg", "./data.txt"])).toMatchObject({
    args: ["-y", "tickets", "@scope/pkg", join(cwd, "data.txt")],
    allow_read: [join(cwd, "data.txt")],
  });
  expect(add("python3", ["-m", "tickets"])).toEqual({ name: "x", command: "python3", args: ["-m", "tickets"], told: [] });
  expect(add("/usr/bin/env", ["node"]).told).toEqual([]);
});

it("opens the folder a program is made of, and never the home, a shared folder, or what is Zeph's", () => {
  const { add, cwd, home, root, own, write } = place();
  const modules = write(join(home, "mcp/node_modules/some/dist/index.js"));
  expect(add("node", [modules]).allow_read).toEqual([join(home, "mcp")]);
  write(join(home, "py/pyproject.toml"));
  expect(add("python3", [write(join(home, "py/src/deep/main.py"))]).allow_read).toEqual([join(home, "py")]);
  write(join(home, "venv/pyvenv.cfg"));
  expect(add(write(join(home, "venv/bin/python"))).allow_read).toEqual([join(home, "venv")]);
  expect(add("node", [write(join(home, "loose.mjs"))]).allow_read).toEqual([join(home, "loose.mjs")]);
  // Its package is the home, so its own folder is what is left.
  write(join(home, "package.json"));
  expect(add("node", [write(join(home, "a/b.mjs"))]).allow_read).toEqual([join(home, "a")]);
  const beside = write(join(root, "config/zeph/tool.mjs"));
  expect(add("node", [beside]).allow_read).toEqual([beside]);
  for (const path of own) expect(add("node", [path]).allow_read).toBeUndefined();
  expect(add("node", [write(join(root, "state/zeph/x.mjs"))]).allow_read).toBeUndefined();
  // A file elsewhere that is no program may be a secret.
  expect(add("node", [write(join(home, ".ssh/id"))]).allow_read).toBeUndefined();
  expect(settled({ name: "x", command: "node", args: ["."] }, { cwd: home, home, own }).entry).toEqual({
    name: "x",
    command: "node",
    args: [home],
  });
  expect(add("node", ["server.mjs"], { allow_read: [".."], allow_write: ["out", "~/out"] })).toMatchObject({
    allow_read: [home],
    allow_write: [join(cwd, "out"), "~/out"],
  });
});

it("names real folders, and what a link leads to", () => {
  const { add, cwd, home, write } = place();
  symlinkSync(cwd, join(home, "short"));
  expect(add("node", [join(home, "short/server.mjs")]).args).toEqual([join(cwd, "server.mjs")]);
  const real = write(join(home, "pkg/dist/cli.js"));
  mkdirSync(join(cwd, "bin"));
  symlinkSync(real, join(cwd, "bin/cli"));
  expect(add("bin/cli")).toMatchObject({ command: join(cwd, "bin/cli"), allow_read: [join(cwd, "bin"), dirname(real)] });
});

it("leaves an address alone", () => {
  const entry = { name: "x", url: "https://a.example/mcp" };
  expect(settled(entry, { cwd: "/", home: "/root", own: [] })).toEqual({ entry, told: [] });
});
