import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { scripted } from "../../e2e/scripted.ts";
import { hasTmux } from "../../e2e/tmux.ts";
import { tmuxWindow } from "../../e2e/tmux-window.ts";
import { box, type Ended, endProcessesOf } from "../../e2e/zeph.ts";
import { makeBase } from "../../plant-files.ts";
import { available, isRoot } from "../../sandbox/support.ts";

const ROOT = resolve(".");
const BIN = join(ROOT, "bin/zeph.cjs");
/** An id nobody has. */
const STRANGER = 61_234;

/** One person with a home and a project, and a place that only a program outside of walls can write. */
interface Person {
  readonly home: string;
  readonly work: string;
  readonly proof: string;
  write(name: string, text: string): void;
  run(argv: readonly string[], more?: { input?: string; env?: Record<string, string> }): Promise<Ended>;
}

function makePerson(uid?: number): Person {
  const base = makeBase("attacked");
  onTestFinished(async () => {
    await endProcessesOf(base);
    // Node cannot remove a path that is longer than the system takes. What ends takes a moment to remove its own folders.
    for (let tries = 0; existsSync(base) && tries < 100; tries++) spawnSync("rm", ["-rf", base]);
  });
  chmodSync(base, 0o755);
  const [home, work] = ["home", "work"].map((name) => join(base, name)) as [string, string];
  const own = (path: string) => void (uid !== undefined && chownSync(path, uid, uid));
  const put = (path: string, text: string) => {
    for (const folder of [dirname(dirname(dirname(path))), dirname(dirname(path)), dirname(path)])
      if (folder.startsWith(base) && !existsSync(folder)) {
        mkdirSync(folder);
        own(folder);
      }
    writeFileSync(path, text);
    own(path);
  };
  for (const folder of [home, work, join(home, "tmp")]) {
    mkdirSync(folder);
    own(folder);
  }
  put(
    join(home, ".config/zeph/config.toml"),
    '[tools.permissions]\nbash = [{ pattern = "*", action = "allow" }]\n[[hooks.post_tool]]\nmatch = "*"\ncommand = "true"\n',
  );
  const env = { PATH: process.env.PATH ?? "", HOME: home, TMPDIR: join(home, "tmp"), LANG: "C.UTF-8" };
  return {
    home,
    work,
    proof: join(home, "PROOF"),
    write: (name, text) => put(join(work, name), text),
    run: (argv, { input = "", env: more } = {}) =>
      new Promise((done) => {
        const child = spawn(argv[0]!, argv.slice(1), { cwd: work, env: { ...env, ...more }, ...(uid !== undefined && { uid, gid: uid }) });
        const said = { stdout: "", stderr: "" };
        for (const name of ["stdout", "stderr"] as const)
          child[name].on("data", (chunk) => {
            said[name] += chunk;
          });
        child.stdin.on("error", () => {}).end(input);
        child.on("close", (code, signal) => done({ code, signal, ...said }));
      }),
  };
}

const writeBatch = (...calls: readonly (readonly [tool: string, args: object])[]) =>
  calls.map(([tool, args], n) => `${JSON.stringify({ id: String(n), tool, args })}\n`).join("");
const readProof = ({ proof }: Person) => (existsSync(proof) ? readFileSync(proof, "utf8") : "nothing was run");

describe.runIf(available)("Zeph lies in the project it works in", () => {
  /** As `npm install zeph` leaves it. */
  function installInProject(): Person & { readonly zeph: readonly string[] } {
    const person = makePerson();
    const modules = join(person.work, "node_modules");
    const package_ = join(modules, "zeph");
    for (const path of listPackedFiles()) cpSync(join(ROOT, path), join(package_, path));
    for (const path of findDependencies())
      cpSync(path, join(modules, path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)), { recursive: true });
    writeFileSync(join(person.work, "package.json"), '{"name":"p","version":"1.0.0"}');
    writeFileSync(join(person.work, "a.txt"), "hello TODO\n");
    writeFileSync(join(person.work, "big.txt"), Array.from({ length: 40_000 }, (_, n) => `${n}\n`).join(""));
    return { ...person, zeph: [process.execPath, join(package_, "bin/zeph.cjs")] };
  }
  const LATER = writeBatch(
    ["grep", { pattern: "TODO", path: "." }],
    ["read", { path: "big.txt" }],
    ["search_code", { query: "TODO" }],
    ["fetch", { url: "http://127.0.0.1:1/" }],
    ["bash", { command: "echo again" }],
  );

  it.each([
    ["ripgrep", "node_modules/@vscode/ripgrep*/bin/rg"],
    ["the programs that Zeph brings along", "node_modules/zeph/vendor/*-linux-*"],
  ])(
    "a command that replaces %s gets nothing run outside of its walls",
    async (_, pattern) => {
      const person = installInProject();
      const { zeph, run, proof } = person;
      person.write(
        "plant.sh",
        `for p in ${pattern}; do printf '#!/bin/sh\\necho "$0 $*" >> ${proof}\\nexit 1\\n' > new; chmod 755 new; mv -f new $p; done; echo planted\n`,
      );
      const first = await run([...zeph, "call", "--batch"], { input: writeBatch(["bash", { command: "bash plant.sh" }]) + LATER });
      expect(first.stdout + first.stderr).toContain("planted");
      expect(readProof(person)).toBe("nothing was run");
      await run([...zeph, "call", "--batch"], { input: LATER });
      await run([...zeph, "doctor"]);
      expect(readProof(person)).toBe("nothing was run");
    },
    120_000,
  );

  it("a command that changes the JavaScript of Zeph and its packages gets nothing loaded outside of its walls", async () => {
    const person = installInProject();
    const { zeph, run, proof } = person;
    const line = `try{(globalThis.process.getBuiltinModule||require)("node:fs").appendFileSync("${proof}",process.argv.join(" ")+"\\n")}catch{};`;
    person.write("line", line);
    person.write(
      "plant.sh",
      "cd node_modules && find zeph @vscode undici cheerio minisearch ajv @photostructure -type f \\( -name '*.js' -o -name '*.cjs' -o -name '*.mjs' \\) -print0 | xargs -0 perl -i -pe 'BEGIN { open F, \"<../line\"; $l = <F> } print $l if $. == 1; close ARGV if eof' && echo planted\n",
    );
    const first = await run([...zeph, "call", "--batch"], { input: writeBatch(["bash", { command: "bash plant.sh" }]) + LATER });
    expect(first.stdout + first.stderr).toContain("planted");
    expect(readProof(person)).toBe("nothing was run");
  }, 120_000);
});

/** The files of the package. */
const listPackedFiles = (): string[] =>
  JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: ROOT,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  )[0].files.map(({ path }: { path: string }) => path);

/** Folders of the packages that Zeph needs, and of what those need. */
function findDependencies(): string[] {
  const found = new Map<string, string>();
  const look = (from: string) => {
    const { dependencies: must = {}, optionalDependencies: may = {} } = JSON.parse(readFileSync(join(from, "package.json"), "utf8"));
    for (const name of Object.keys({ ...must, ...may })) {
      const paths = createRequire(join(from, "package.json")).resolve.paths(name) ?? [];
      const folder = paths.map((path) => join(path, name)).find((path) => path.startsWith(ROOT) && existsSync(join(path, "package.json")));
      if (folder === undefined || found.has(folder)) continue;
      found.set(folder, name);
      look(folder);
    }
  };
  look(ROOT);
  // What lies in a package of the list comes with it.
  return [...found.keys()].filter((path) => path.split("node_modules/").length === 2);
}

describe.runIf(available)("a folder of the project stands in PATH", () => {
  it.each([
    ["a hook", ["call", "--batch"]],
    ["zeph doctor", ["doctor"]],
    ["zeph exec", ["exec", "--", "true"]],
    ["a search and an edit", ["call", "--batch"]],
  ])("%s starts nothing that a command put there", async (what, args) => {
    const person = makePerson();
    const names = ["sh", "bash", "git", "perl", "node", "rg", "env", "npm", "tsc", "prettier", "xdg-open", "bwrap", "zeph", "zeph-hook"];
    person.write("package.json", "{}");
    person.write("a.ts", "const a = 1;\n");
    mkdirSync(join(person.work, "node_modules/.bin"), { recursive: true });
    person.write(
      "plant.sh",
      `for n in ${names.join(" ")}; do printf '#!/bin/bash\\necho $0 $* >> ${person.proof}\\nexec /usr/bin/%s "$@"\\n' $n > node_modules/.bin/$n; chmod 755 node_modules/.bin/$n; done; echo planted\n`,
    );
    const env = { PATH: `${person.work}/node_modules/.bin:${process.env.PATH}` };
    const planted = await person.run([process.execPath, BIN, "call", "bash", '{"command":"bash plant.sh"}'], { env });
    expect(planted.stdout).toContain("planted");
    const input =
      what === "a hook"
        ? writeBatch(["list_directory", { path: "." }])
        : writeBatch(
            ["grep", { pattern: "a", path: "." }],
            ["write", { path: "a.ts", content: "const a=2\n" }],
            ["diagnostics", { path: "a.ts" }],
          );
    await person.run([process.execPath, BIN, ...args], { env, input });
    expect(readProof(person)).toBe("nothing was run");
  });
});

/** A repository that a command can make, in which git starts a program when it lists files, or does nearly anything else. */
const writePreparing = (proof: string) => `set -e
git init -q . && git config user.email a@b && git config user.name a
mkdir -p in out/deep; echo 1 > in/f; echo 2 > out/deep/f; git add in out; git commit -qm x
git config core.sparseCheckout true; git config core.sparseCheckoutCone true; git config index.sparse true
git sparse-checkout set --cone --sparse-index in
t=$(git rev-parse HEAD:out); rm -f .git/objects/\${t:0:2}/\${t:2}
git config core.repositoryformatversion 1; git config extensions.partialClone origin
git config remote.origin.url "$PWD/nowhere"; git config remote.origin.promisor true
git config remote.origin.uploadpack "sh -c 'echo uploadpack >> ${proof}; exit 1' #"
git config core.sshCommand "sh -c 'echo ssh >> ${proof}; exit 1' #"
git config core.fsmonitor "echo fsmonitor >> ${proof}; false"
git config core.pager "echo pager >> ${proof}; cat"
git config diff.external "sh -c 'echo diff >> ${proof}' #"
git config filter.x.clean "sh -c 'echo clean >> ${proof}; cat' #"; git config filter.x.smudge "sh -c 'echo smudge >> ${proof}; cat' #"
echo '* filter=x' > .gitattributes; touch in/f
echo planted
`;

describe.runIf(available)("a command has made a repository in which git runs something", () => {
  it.each([
    ["zeph doctor", ["doctor"]],
    ["zeph call", ["call", "--batch"]],
    ["zeph exec", ["exec", "--", "true"]],
  ])("%s does not run it", async (_, args) => {
    const person = makePerson();
    person.write("plant.sh", writePreparing(person.proof));
    const planted = await person.run([process.execPath, BIN, "call", "bash", '{"command":"bash plant.sh"}']);
    expect(planted.stdout).toContain("planted");
    await person.run([process.execPath, BIN, ...args], {
      input: writeBatch(["list_directory", { path: "." }], ["find_path", { pattern: "*" }], ["grep", { pattern: "1" }]),
    });
    expect(readProof(person)).toBe("nothing was run");
  });

  it.runIf(hasTmux)(
    "neither does the chat, its status line, nor its menu behind @",
    async () => {
      const here = scripted(box(), []);
      const proof = join(here.root, "PROOF");
      here.write("plant.sh", writePreparing(proof));
      // The walls let a command make all of this.
      execFileSync("bash", ["plant.sh"], { cwd: here.cwd, env: { PATH: process.env.PATH, HOME: here.root }, stdio: "ignore" });
      rmSync(proof, { force: true });
      const window = tmuxWindow(here);
      await window.see("what shall be done?");
      window.type("@in/");
      await window.see("in/f");
      window.key("C-c");
      window.key("C-d");
      expect(existsSync(proof) ? readFileSync(proof, "utf8") : "nothing was run").toBe("nothing was run");
    },
    60_000,
  );
});

const uid = isRoot ? STRANGER : undefined;
/** A checkout in a folder that others cannot enter cannot be run by them. */
const canRun = (id: number | undefined) =>
  id === undefined || spawnSync(process.execPath, [BIN, "--version"], { uid: id, gid: id, cwd: "/" }).status === 0;

describe.runIf(available && canRun(uid))("a folder that may be entered and not listed", () => {
  const HIDDEN: readonly (readonly [what: string, command: string, path: string])[] = [
    [
      "the folder of the settings, 0111",
      'mkdir .claude && echo "{}" > .claude/settings.json && chmod 111 .claude',
      ".claude/settings.json",
    ],
    [
      "the folder of the settings, 0311",
      'mkdir -p b/.claude && echo "{}" > b/.claude/settings.json && chmod 311 b/.claude',
      "b/.claude/settings.json",
    ],
    [
      "the folder above, 0111",
      'mkdir -p sub/.claude && echo "{}" > sub/.claude/settings.json && chmod 111 sub',
      "sub/.claude/settings.json",
    ],
    ["the folder above a file, 0111", 'mkdir sub && echo "{}" > sub/.mcp.json && chmod 111 sub', "sub/.mcp.json"],
    ["two folders above, 0111", "mkdir -p a/b/.codex && echo x > a/b/.codex/config.toml && chmod 111 a/b a", "a/b/.codex/config.toml"],
    [
      "nothing may be done, 0000",
      'mkdir -p sub/.gemini && echo "{}" > sub/.gemini/settings.json && chmod 000 sub',
      "sub/.gemini/settings.json",
    ],
    ["settings of Zeph, 0111", "mkdir .zeph && echo 'autonomy = \"readonly\"' > .zeph/config.toml && chmod 111 .zeph", ".zeph/config.toml"],
    ["hooks of an agent, 0111", 'mkdir -p .github/hooks && echo "{}" > .github/hooks/z.json && chmod 111 .github', ".github/hooks/z.json"],
    [
      "plugins, 0333",
      "mkdir -p .opencode/plugins && echo x > .opencode/plugins/p.js && chmod 333 .opencode/plugins",
      ".opencode/plugins/p.js",
    ],
  ];
  it.each(HIDDEN)("hides no settings that zeph exec leaves behind: %s", async (_, command, path) => {
    const person = makePerson(uid);
    // In a file, so that only the walls and the look afterwards can stop it.
    person.write("plant.sh", `${command}\n`);
    const { stderr } = await person.run([process.execPath, BIN, "exec", "--", "bash", "plant.sh"]);
    openFolders(person.work);
    const isThere = lstatSync(join(person.work, path), { throwIfNoEntry: false }) !== undefined;
    expect([isThere, stderr]).toEqual([false, expect.stringMatching(/was moved away/)]);
  });

  it("hides no repository with a program in its settings from the look after a command", async () => {
    const person = makePerson(uid);
    person.write(
      "plant.sh",
      `mkdir r && cd r && git init -q . && git config core.fsmonitor "touch ${person.proof}; false"; cd .. && chmod 111 r; echo planted\n`,
    );
    const { stdout, stderr } = await person.run([process.execPath, BIN, "call", "bash", '{"command":"bash plant.sh"}']);
    expect(stdout).toContain("planted");
    expect(stdout + stderr).toMatch(/(?:^|[\s/"'])r(?:[\s:/,]|$)/m);
  });

  it("hides nothing below a path that is longer than the system takes", async () => {
    const person = makePerson(uid);
    const name = "n".repeat(250);
    person.write(
      "plant.sh",
      `for i in $(seq 20); do mkdir ${name} && cd ${name}; done; mkdir .claude && echo '{}' > .claude/settings.json && echo planted\n`,
    );
    const { stdout, stderr } = await person.run([process.execPath, BIN, "exec", "--", "bash", "plant.sh"]);
    expect(stdout).toContain("planted");
    expect(stderr).toMatch(/nnnn/);
  });
});

/** So that it can be looked into and removed. */
function openFolders(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    chmodSync(join(folder, entry.name), 0o755);
    openFolders(join(folder, entry.name));
  }
}
