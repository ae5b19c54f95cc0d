import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { onTestFinished } from "vitest";
import type { WallsBuilder } from "../../../src/core/ports/walls.ts";
import { readGlob } from "../../../src/host/files/paths.ts";
import { rememberWorkspace } from "../../../src/host/files/workspace-identity.ts";
import { landlockWalls } from "../../../src/host/sandbox/backends/landlock.ts";
import { PERL } from "../../../src/host/sandbox/backends/perl.ts";
import { archOf } from "../../../src/host/sandbox/backends/syscalls.ts";
import { sandboxConfig } from "../../../src/host/sandbox/config.ts";
import { launch } from "../../../src/host/sandbox/launch.ts";
import { policyFor } from "../../../src/host/sandbox/policy.ts";
import { limitBuilders } from "../../../src/host/sandbox/probe.ts";
import { runLaunch } from "../../../src/host/sandbox/run.ts";
import type { LandlockOnly } from "../../../src/host/sandbox/sandbox.ts";
import { openServedPrograms } from "../../../src/host/serving/served-programs.ts";
import { createStartProgram } from "../../../src/host/serving/walls.ts";
import { fakeTerminal } from "../../sandbox/editor-fake.ts";
import { makeWorld, type Said, saidBy, type World } from "./world.ts";

/** A way on which Zeph comes to start something in the workspace behind walls. */
export interface Way {
  readonly name: string;
  /** Only root can start programs as somebody else. */
  readonly needs?: "root";
  makeWorld(): World;
  /** What is opened once, and runs the command that is given. */
  open(world: World, tools: object): Promise<(command: string) => Promise<Said>>;
}

export const WAYS: readonly Way[] = [
  { name: "bash", makeWorld, open: async (world, tools) => (await world.open({ tools })).bash },
  { name: "zeph exec", makeWorld, open: async (world, tools) => (await world.open({ tools })).exec },
  {
    name: "bash in the terminal of an editor",
    makeWorld,
    open: async (world, tools) => (await world.open({ tools, editor: { terminal: fakeTerminal() } })).bash,
  },
  {
    name: "bash of a caller with a workspace of its own",
    makeWorld: () => makeWorld("ada"),
    async open(world, tools) {
      const { inside } = await world.open({ tools });
      const ada = inside.zeph.as({ id: "ada", workspace: "ada" });
      return async (command) => saidBy(await ada.call("bash", { command }));
    },
  },
  {
    name: "an MCP server that reads the workspace",
    makeWorld,
    async open({ work, home }, tools) {
      const { sandbox = {}, file } = tools as { sandbox?: object; file?: { deny_read: string[] } };
      const hidden = (file?.deny_read ?? []).map((glob) => readGlob(glob, work, home));
      const { moved } = rememberWorkspace(work, []);
      const setting = { cwd: work, home, own: [], keys: [], allowedPaths: [], env: process.env, hidden, moved };
      const programs = openServedPrograms(createStartProgram({ sandbox: sandboxConfig().parse(sandbox), setting }));
      return async (command) => {
        let text = "";
        try {
          const served = await programs.serve({ argv: ["/bin/bash", "-c", `cd ${work} && ${command}`], env: {}, network: "closed" });
          served.onOutput = (chunk) => {
            text += Buffer.from(chunk).toString();
          };
          const { said, exitCode, signal } = await served.ended;
          text += said === "" && exitCode !== 0 ? `it ended with ${exitCode ?? signal}` : said;
        } catch (error) {
          text += (error as Error).message;
        }
        return { ok: text.includes("RAN"), text };
      };
    },
  },
  {
    name: "bash as another user",
    needs: "root",
    makeWorld,
    async open(world, tools) {
      for (const folder of [world.base, world.top]) chmodSync(folder, 0o755);
      for (const folder of [world.work, world.home]) execFileSync("chown", ["-R", "nobody", folder]);
      return (await world.open({ tools: { scope: { enabled: true, run_as_user: "nobody" }, ...tools } })).bash;
    },
  },
];

/** As on a machine where Zeph's own builder cannot run. */
export const BUBBLEWRAP_WAY: Way = {
  name: "bash, where bubblewrap builds",
  makeWorld,
  open: (world, tools) => openWith(["system", "shipped"], world, tools),
};

/** What a dry run changes is dropped, so what it must not reach is what it shows. */
export const DRY_RUN_WAY: Way = {
  name: "a dry run",
  makeWorld,
  async open(world, tools) {
    const { inside } = await world.open({ tools });
    return async (command) => saidBy(await inside.zeph.dryRun(command));
  },
};

const USUAL: readonly WallsBuilder[] = process.env.WALLS_BUILDER === "bwrap" ? ["system", "shipped"] : ["own", "system", "shipped"];

async function openWith(builders: readonly WallsBuilder[], world: World, tools: object): Promise<(command: string) => Promise<Said>> {
  limitBuilders(builders);
  onTestFinished(() => limitBuilders(USUAL));
  return (await world.open({ tools })).bash;
}

const arch = archOf(process.arch);
/** As on a machine that allows no mounts. */
const LANDLOCK: LandlockOnly | null =
  process.platform === "linux" && arch !== null
    ? { backend: "landlock", landlock: { perl: PERL, abi: 7 }, arch, prlimit: null, walls: landlockWalls(null, "closed", "Test.") }
    : null;

export const LANDLOCK_WAY: Way = {
  name: "a command where Landlock is the wall",
  makeWorld,
  open:
    async ({ work, home }) =>
    async (command) => {
      const setting = { cwd: work, home, own: [], keys: [], allowedPaths: [], env: process.env };
      let text = "";
      try {
        const line = launch(LANDLOCK!, policyFor(sandboxConfig().parse({}), setting), ["/bin/bash", "-c", command], {});
        const ran = await runLaunch(line, {
          timeoutMs: 20_000,
          onOutput: (chunk) => {
            text += chunk;
          },
        });
        text += ran.ran ? "" : "the walls could not be built";
      } catch (error) {
        text += (error as Error).message;
      }
      return { ok: text.includes("RAN"), text };
    },
};

/** Whether the kernel has it. */
export const hasLandlock = LANDLOCK !== null && (await startsCommand());
if (!hasLandlock) console.log("SKIPPED: this kernel has no Landlock.");

async function startsCommand(): Promise<boolean> {
  const world = makeWorld();
  try {
    return (await (await LANDLOCK_WAY.open(world, {}))("echo RAN")).ok;
  } finally {
    await world.remove();
  }
}
