import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isWithin } from "../../text/path.ts";
import { findProgramsOnPath, type ProgramsOnPath } from "./programs-on-path.ts";

let base: string;
let home: string;
let cwd: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-programs-")));
  home = join(base, "home");
  cwd = join(home, "src", "work");
  mkdirSync(cwd, { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const folder = (path: string): string => {
  mkdirSync(join(home, path), { recursive: true });
  return join(home, path);
};
const file = (path: string, text = "#!/bin/sh\n", mode = 0o755): string => {
  const place = join(home, path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, text);
  chmodSync(place, mode);
  return place;
};
const link = (path: string, target: string): string => {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  symlinkSync(target, join(home, path));
  return join(home, path);
};
const find = (...path: string[]): ProgramsOnPath =>
  findProgramsOnPath({
    path: path.join(":"),
    cwd,
    homes: [home],
    own: [join(home, ".config", "zeph")],
    writable: [cwd],
    elsewhere: [join(home, "other")],
    shut: () => null,
  });

describe("a folder on PATH", () => {
  test("of a toolchain opens the toolchain", () => {
    const bin = dirname(file(".nvm/versions/node/v22/bin/node"));
    folder(".nvm/versions/node/v22/lib");
    expect(find(bin)).toEqual({ path: [bin], read: [dirname(bin)], refused: [] });
  });

  test("of a shared folder is opened alone, whatever lies beside it", () => {
    for (const name of [".cargo", ".local", "go"]) {
      folder(`${name}/lib`);
      const bin = dirname(file(`${name}/bin/tool`));
      expect(find(bin).read).toEqual([bin]);
    }
  });

  test("below /usr and in the workspace is kept as it is, and a relative one is dropped", () => {
    const own = join(cwd, "node_modules", ".bin");
    mkdirSync(own, { recursive: true });
    expect(find("/usr/bin", "bin", ".", "", own, "/bin")).toEqual({ path: ["/usr/bin", own, "/bin"], read: [], refused: [] });
  });

  test("that is a link is named by where it leads", () => {
    const bin = dirname(file(".fnm/versions/v22/bin/node"));
    folder(".fnm/versions/v22/lib");
    const current = link(".fnm/current", join(home, ".fnm/versions/v22"));
    expect(find(`${current}/bin`)).toEqual({ path: [bin], read: [dirname(bin)], refused: [] });
  });

  test.each([
    ["home itself", "."],
    ["a folder that holds a private place", ".config"],
    ["a private place", ".docker/bin"],
    ["a folder of Zeph's own files", ".config/zeph/bin"],
    ["a shared folder", ".local"],
  ])("is refused when it is %s", (_, place) => {
    const found = find(join(folder(place), "."));
    expect(found.read).toEqual([]);
    expect(found.refused).toHaveLength(1);
  });

  test.each(["credentials.toml", ".env", ".env.local", "id_ed25519", "server.pem", "github-token", "secrets.json", "hosts.yml", ".npmrc"])(
    "that holds %s is refused, and the toolchain's folder of programs alone is opened",
    (name) => {
      const bin = dirname(file("tools/bin/tool"));
      folder("tools/lib");
      file(`tools/${name}`, "x", 0o600);
      expect(find(bin).read).toEqual([bin]);
      file(`tools/bin/${name}`, "x", 0o600);
      expect(find(bin)).toMatchObject({ path: [], read: [], refused: [{ folder: bin, why: expect.stringContaining(name) }] });
    },
  );

  test("may hold a program that is called like a credential", () => {
    const bin = dirname(file("tools/bin/print-token"));
    expect(find(bin).refused).toEqual([]);
  });

  test("brings what its programs need beside it", () => {
    const bin = dirname(file(".cargo/bin/cargo"));
    file(".cargo/credentials.toml", "token", 0o600);
    file(".rustup/toolchains/stable/bin/cargo");
    file(".rustup/settings.toml", "", 0o644);
    expect([...find(bin).read].sort()).toEqual([bin, join(home, ".rustup/settings.toml"), join(home, ".rustup/toolchains")].sort());
  });
});

describe("a link in a folder on PATH", () => {
  const bin = () => dirname(file(".local/bin/own"));

  test("opens the toolchain it leads into, else the one file", () => {
    file(".local/share/pipx/tool/bin/tool");
    file(".local/share/pipx/tool/pyvenv.cfg", "", 0o644);
    link(".local/bin/tool", "../share/pipx/tool/bin/tool");
    const script = file("stuff/script.sh");
    file("stuff/letter.txt", "private", 0o644);
    link(".local/bin/script", script);
    expect([...find(bin()).read].sort()).toEqual([join(home, ".local/bin"), join(home, ".local/share/pipx/tool"), script].sort());
  });

  test("opens the packages its target lies among", () => {
    const target = file(".local/lib/node_modules/tool/bin/cli.js");
    link(".local/bin/tool", target);
    expect(find(bin()).read).toContain(join(home, ".local/lib/node_modules"));
  });

  test("through the workspace opens nothing, wherever it leads from there", () => {
    file(".ssh/id_ed25519", "KEY", 0o600);
    file("letters/tool");
    link("src/work/away", join(home, "letters"));
    link("src/work/keys", join(home, ".ssh"));
    link(".local/bin/tool", join(cwd, "away", "tool"));
    link(".local/bin/key", join(cwd, "keys", "id_ed25519"));
    link(".local/bin/up", `${cwd}/../../letters/tool`);
    expect(find(bin()).read).toEqual([join(home, ".local/bin")]);
  });

  test("through the workspace of another session opens nothing", () => {
    file("letters/tool");
    link("other/away", join(home, "letters"));
    link(".local/bin/tool", join(home, "other", "away", "tool"));
    expect(find(bin()).read).toEqual([join(home, ".local/bin")]);
  });

  test("to a private place opens nothing", () => {
    link(".local/bin/key", file(".ssh/config", "x", 0o600));
    link(".local/bin/netrc", file(".netrc", "x", 0o600));
    link(".local/bin/token", file("my-token", "x", 0o600));
    expect(find(bin()).read).toEqual([join(home, ".local/bin")]);
  });

  test("in a circle ends the search", () => {
    link(".local/bin/a", join(home, ".local/bin/b"));
    link(".local/bin/b", join(home, ".local/bin/a"));
    expect(find(bin()).path).toHaveLength(1);
  });
});

describe("a virtual environment of the workspace", () => {
  const named = (path: string) => file("src/work/.venv/pyvenv.cfg", `home = ${path}\nversion = 3.11\n`, 0o644);

  test("opens its interpreter when that lies where interpreters live", () => {
    const python = dirname(file(".pyenv/versions/3.11/bin/python3"));
    folder(".pyenv/versions/3.11/lib");
    named(python);
    expect(find().read).toEqual([dirname(python)]);
  });

  test.each([".ssh", ".config/gh", "letters/bin", ".pyenv/versions/../../letters/bin", ".pyenv/versions"])(
    "opens nothing when it names %s",
    (place) => {
      folder(".pyenv/versions/3.11/bin");
      folder("letters/lib");
      folder(place);
      named(`${home}/${place}`);
      expect(find().read).toEqual([]);
    },
  );

  test("opens nothing when a link leads out of the place it names", () => {
    file("letters/bin/python3");
    folder("letters/lib");
    link(".pyenv/versions/3.11", join(home, "letters"));
    named(join(home, ".pyenv/versions/3.11/bin"));
    expect(find().read).toEqual([]);
  });
});

test("whatever folders and links there are, nothing that is opened is private, holds it, or was reached through the workspace", () => {
  const places = [
    ".ssh",
    ".ssh/inner",
    ".config/gh",
    ".local/bin",
    ".local/share/x/bin",
    "tools/bin",
    "tools/lib",
    "src/work/bin",
    "src/work/out",
    "bin",
  ];
  const words = fc.constantFrom(...places, ".", "src/work", ".ssh/id_rsa", "tools/bin/run");
  const links = fc.array(fc.tuple(fc.constantFrom(...places), fc.constantFrom("l1", "l2", "lib"), words), { maxLength: 8 });
  fc.assert(
    fc.property(links, fc.array(words, { minLength: 1, maxLength: 5 }), (made, path) => {
      rmSync(home, { recursive: true, force: true });
      for (const place of places) folder(place);
      file(".ssh/id_rsa", "KEY", 0o600);
      file("tools/bin/run");
      for (const [at, name, to] of made) {
        rmSync(join(home, at, name), { recursive: true, force: true });
        link(`${at}/${name}`, join(home, to));
      }
      const { read } = find(...path.map((one) => join(home, one)), ...path.map((one) => join(home, one, "l1")));
      for (const root of read) {
        expect(realpathSync(root)).toBe(root);
        for (const closed of [".ssh", ".config/gh", ".config/zeph", "src/work"])
          expect([root, closed, isWithin(root, join(home, closed)) || isWithin(join(home, closed), root)]).toEqual([root, closed, false]);
      }
    }),
    { numRuns: 50 },
  );
});
