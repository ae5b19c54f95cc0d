import { chmodSync, existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import type { Served, ServedProgram } from "../../src/core/ports/served.ts";
import { commandLineOf } from "../../src/files/agent-process.ts";
import { sandboxConfig } from "../../src/host/sandbox/config.ts";
import { openServedPrograms, type ServedPrograms } from "../../src/host/serving/served-programs.ts";
import { createStartProgram } from "../../src/host/serving/walls.ts";
import { available, isRoot, who } from "./support.ts";

// Each ends slowly where there are no walls: what it may have left behind is waited for.
afterEach(() => void vi.unstubAllEnvs());

const program = (argv: ServedProgram["argv"], more: Partial<ServedProgram> = {}): ServedProgram => ({
  argv,
  env: { TICKETS_TOKEN: "t0p-secret" },
  network: "closed",
  ...more,
});

/** What it printed, once it ended. */
async function said(by: ServedPrograms, wish: ServedProgram): Promise<string> {
  const served = await by.serve(wish);
  let text = "";
  served.onOutput = (chunk) => {
    text += Buffer.from(chunk).toString("utf8");
  };
  await served.ended;
  return text;
}

const PYTHON = "/usr/bin/python3";
const hasPython = existsSync(PYTHON);
const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("zeph-server-"));

describe.each([
  ["bubblewrap", {}],
  ["none", { enabled: false }],
] as const)("a server started while a stranger's folder is open, walls: %s", (backend, config) => {
  const me = who(isRoot ? "root" : "user");
  afterAll(() => me.remove());
  const here = (more: object = {}, workspace = me.workspace()) => {
    const setting = { cwd: workspace, home: me.home, own: [], keys: [], allowedPaths: [], env: process.env, ...more };
    return { workspace, by: openServedPrograms(createStartProgram({ sandbox: sandboxConfig().parse(config), setting })) };
  };
  /** Says that it ran, and what it could take. */
  const trap = (path: string) => {
    const js = `#!/usr/bin/env node\nconsole.log("STRANGER", process.env.TICKETS_TOKEN)`;
    writeFileSync(path, path.endsWith(".py") ? `import os\nprint("STRANGER", os.environ.get("TICKETS_TOKEN"))\n` : js);
    chmodSync(path, 0o755);
  };

  test.runIf(backend === "none" || available)("starts in an empty folder of its own, which is gone afterwards", async () => {
    const before = folders();
    const { by, workspace } = here();
    const text = await said(by, program(["/bin/bash", "--norc", "-c", "pwd; ls -A | wc -l; stat -c %a .; touch mine && ls"]));
    const [pwd, count, mode, made] = text.split("\n");
    expect([count, mode, made]).toEqual(["0", "700", "mine"]);
    expect(pwd?.startsWith(workspace)).toBe(false);
    expect(pwd).toMatch(backend === "none" ? /\/zeph-server-/ : /^\/run\/zeph-start$/);
    expect(folders()).toEqual(before);
    await expect(by.serve(program(["zeph-no-such"]))).rejects.toThrow(/no program/);
    expect(folders()).toEqual(before);
  });

  test.runIf(backend === "none" || available)("runs no file of the same name, no module, and no .bin", async () => {
    const { by, workspace } = here();
    const bin = join(workspace, "node_modules/.bin");
    mkdirSync(bin, { recursive: true });
    mkdirSync(join(workspace, "tickets"));
    for (const path of ["tickets.mjs", "tickets.py", "tickets/__main__.py", "sitecustomize.py", "node", "cat"]) trap(join(workspace, path));
    trap(join(bin, "tickets-server"));
    writeFileSync(join(workspace, "package.json"), '{"name":"x","bin":{"tickets-server":"tickets.mjs"}}');
    const npxLike =
      'd=$PWD; while [ "$d" != "/" ]; do [ -x "$d/node_modules/.bin/tickets-server" ] && exec "$d/node_modules/.bin/tickets-server"; d=$(dirname "$d"); done';
    const wishes: ServedProgram["argv"][] = [
      ["node", "tickets.mjs"],
      ["node", "-e", "import('./tickets.mjs').catch(() => {})"],
      ["/bin/bash", "--norc", "-c", npxLike],
      ["/bin/bash", "--norc", "-c", "echo x | cat; command -v tickets-server"],
      ...(hasPython
        ? [[PYTHON, "-m", "tickets"] as const, [PYTHON, "tickets.py"] as const].map((argv) => [...argv] as [string, ...string[]])
        : []),
    ];
    for (const argv of wishes) expect(await said(by, program(argv)), argv.join(" ")).not.toContain("STRANGER");
    // The same from the workspace: otherwise nothing is shown by this.
    expect(await said(by, program(["/bin/bash", "--norc", "-c", `cd ${workspace}; node tickets.mjs`]))).toBe("STRANGER t0p-secret\n");
    await by.close();
  });

  test.runIf(backend === "none" || available)("looks no program up in the workspace, however it came into PATH", async () => {
    const { by, workspace } = here();
    const bin = join(workspace, "node_modules/.bin");
    mkdirSync(bin, { recursive: true });
    trap(join(bin, "cat"));
    trap(join(bin, "tickets-server"));
    const elsewhere = join(me.outside, `bin-${backend}`);
    symlinkSync(bin, elsewhere);
    for (const PATH of [bin, elsewhere, "node_modules/.bin", `${workspace}/gone/../node_modules/.bin`, ""]) {
      vi.stubEnv("PATH", `${PATH}:/usr/bin:/bin`);
      for (const env of [{}, { PATH: `${PATH}:/usr/bin:/bin` }, { PATH: "${WORKSPACE}/node_modules/.bin:/usr/bin:/bin" }] as const) {
        await expect(by.serve(program(["tickets-server"], { env })), PATH).rejects.toThrow(/no program "tickets-server"/);
        expect(await said(by, program(["/bin/bash", "--norc", "-c", "command -v cat; command -v tickets-server"], { env })), PATH).toMatch(
          /^(?:\/usr)?\/bin\/cat\n$/,
        );
      }
    }
    // A folder of programs that is listed, and lies in the workspace.
    const listed = openServedPrograms(
      createStartProgram({
        sandbox: sandboxConfig().parse({ ...config, toolchains: [bin] }),
        setting: { cwd: workspace, home: me.home, own: [], keys: [], allowedPaths: [], env: process.env },
      }),
    );
    await expect(listed.serve(program(["tickets-server"]))).rejects.toThrow(/no program/);
  });

  test.runIf(backend === "none" || available)("refuses what is relative, and says what to write", async () => {
    const { by, workspace } = here();
    trap(join(workspace, "run.sh"));
    for (const command of ["./run.sh", "../x", "bin/x", "${WORKSPACE}/run.sh", "~/x"])
      await expect(by.serve(program([command])), command).rejects.toMatchObject({
        category: "policy_blocked",
        message: expect.stringMatching(/relative.*absolute path/),
      });
    for (const word of ["./a", "../a", ".", "..", "lib/a.mjs", "~/a", "--root=.", "--config=../x.json"])
      await expect(by.serve(program(["cat", word])), word).rejects.toThrow(/relative.*absolute path, or \$\{WORKSPACE\}\/…/);
    const fine = [
      "@scope/pkg",
      "@scope/pkg.js",
      "https://a.example/x.js",
      "owner/repo",
      "image/name:1.py",
      "-y",
      "--x=1",
      "/a/b.py",
      ".hidden",
      "a b/c.js",
      "--url=https://a/b",
    ];
    expect(await said(by, program(["/bin/bash", "--norc", "-c", 'printf "%s\\n" "$@"', "-", ...fine]))).toBe(`${fine.join("\n")}\n`);
  });

  test.runIf(backend === "none" || available)("${WORKSPACE} is the workspace, in words and variables", async () => {
    const odd = join(me.base, `odd $& $1 ${backend}`);
    mkdirSync(odd);
    const { by, workspace } = here({}, realpathSync(odd));
    writeFileSync(join(workspace, "f"), "in the workspace\n");
    const text = await said(
      by,
      program(
        [
          "/bin/bash",
          "--norc",
          "-c",
          'cat "$1"; echo "$2"; echo "$ROOT"; echo made > "$ROOT/made"',
          "-",
          "${WORKSPACE}/f",
          "--root=${WORKSPACE}",
        ],
        {
          env: { ROOT: "${WORKSPACE}" },
        },
      ),
    );
    expect(text).toBe(`in the workspace\n--root=${workspace}\n${workspace}\n`);
    expect(existsSync(join(workspace, "made"))).toBe(true);
  });
});

describe("without walls", () => {
  const me = who(isRoot ? "root" : "user");
  afterAll(() => me.remove());

  test.skipIf(process.platform !== "linux")("that is told before the program begins", async () => {
    const setting = { cwd: me.workspace(), home: me.home, own: [], keys: [], allowedPaths: [], env: process.env };
    const start = createStartProgram({ sandbox: sandboxConfig().parse({ enabled: false }), setting });
    const isThere = () =>
      readdirSync("/proc").some((pid) => /^\d+$/.test(pid) && commandLineOf(Number(pid)).includes("told-before-it-begins"));
    const told: object[] = [];
    const by = openServedPrograms(start, undefined, ({ backend }) => void told.push({ backend, isThere: isThere() }));
    const served = await by.serve(program(["/bin/bash", "--norc", "-c", "read -r line", "told-before-it-begins"]));
    expect([told, isThere()]).toEqual([[{ backend: "none", isThere: false }], true]);
    await served.stop();
    await by.close();
  });

  test("the folder it starts in never lies below the workspace", async () => {
    const workspace = me.workspace();
    mkdirSync(join(workspace, "tmp"));
    vi.stubEnv("TMPDIR", join(workspace, "tmp"));
    const setting = { cwd: workspace, home: me.home, own: [], keys: [], allowedPaths: [], env: process.env };
    const by = openServedPrograms(createStartProgram({ sandbox: sandboxConfig().parse({ enabled: false }), setting }));
    expect(await said(by, program(["/bin/bash", "--norc", "-c", "pwd"]))).toMatch(/^\/tmp\/zeph-server-/);
    expect(readdirSync(join(workspace, "tmp"))).toEqual([]);
  });
});

describe.runIf(available)("what a server leaves for programs outside the walls", () => {
  const me = who(isRoot ? "root" : "user");
  afterAll(() => me.remove());
  const setting = (cwd: string) => ({ cwd, home: me.home, own: [], keys: [], allowedPaths: [], env: process.env });
  /** Runs each line it is sent in the workspace, and answers. */
  const shell = program([
    "/bin/bash",
    "--norc",
    "-c",
    'cd "$1"; while read -r line; do eval "$line"; echo done; done',
    "-",
    "${WORKSPACE}",
  ]);
  const doing = async (served: Served, line: string) => {
    let heard = "";
    served.onOutput = (chunk) => {
      heard += Buffer.from(chunk).toString("utf8");
    };
    await served.write(`${line}\n`);
    await expect.poll(() => heard).toContain("done");
    return served.look?.();
  };

  test("is told once, as it is for a command", async () => {
    const cwd = me.workspace();
    writeFileSync(join(cwd, ".pre-commit-config.yaml"), "a\n");
    const by = openServedPrograms(createStartProgram({ sandbox: sandboxConfig().parse({}), setting: setting(cwd) }));
    const served = await by.serve(shell);
    expect(await doing(served, "echo x > plain")).toEqual([]);
    expect(await doing(served, "echo x > .envrc")).toEqual([`${cwd}/.envrc appeared: programs outside the sandbox may run what is in it`]);
    expect(await doing(served, "true")).toEqual([]);
    expect(await doing(served, "echo longer >> .envrc; echo '{}' > .mcp.json; echo b >> .pre-commit-config.yaml")).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/\.envrc changed:/),
        expect.stringMatching(/\.mcp\.json appeared:/),
        expect.stringMatching(/\.pre-commit-config\.yaml changed:/),
      ]),
    );
    expect(await doing(served, "mkdir sub && git init -q sub && echo x > sub/.git/hooks/pre-commit")).toEqual([
      `${cwd}/sub/.git appeared: programs outside the sandbox may run what is in it`,
      `${cwd}/sub/.git/hooks/pre-commit appeared: programs outside the sandbox may run what is in it`,
    ]);
    expect(await doing(served, "for i in 1 2 3 4 5 6 7 8; do mkdir -p .husky; echo x > .husky/h$i; done")).toHaveLength(9);
    await by.close();
  });

  test("is not looked for without walls: nothing keeps a program from anything there", async () => {
    const by = openServedPrograms(
      createStartProgram({ sandbox: sandboxConfig().parse({ enabled: false }), setting: setting(me.workspace()) }),
    );
    const served = await by.serve(shell);
    expect(served.look).toBeUndefined();
    await by.close();
  });
});
