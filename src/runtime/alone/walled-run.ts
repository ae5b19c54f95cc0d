import { keyFiles } from "../../config/api-keys.ts";
import { userConfigPath } from "../../config/paths.ts";
import { ToolError } from "../../core/error.ts";
import { assertKnownOptions } from "../../core/inputs/options.ts";
import type { Walls } from "../../core/ports/walls.ts";
import { secureOwnPlace } from "../../files/own-place.ts";
import { workingFolder } from "../../files/working-folder.ts";
import { sandboxConfig } from "../../host/sandbox/config.ts";
import { assertUnchanged, type JudgedStart, startJudged } from "../../host/sandbox/judged-start.ts";
import { launch } from "../../host/sandbox/launch.ts";
import { type Policy, policyInTurns } from "../../host/sandbox/policy.ts";
import { probe } from "../../host/sandbox/probe.ts";
import { runLaunch } from "../../host/sandbox/run.ts";
import { isOwnBuilder, type Sandbox } from "../../host/sandbox/sandbox.ts";
import { ownFiles, statePaths } from "../../store/state-paths.ts";
import type { WalledOptions, WalledRun } from "./sandbox.ts";

const OPTIONS = ["cwd", "read", "write", "network", "env", "limits", "timeoutMs", "signal", "stdin", "outputChars"];
const USUAL_MS = 120_000;
const MOST_CHARS = 10_000_000;

export async function runBehindWalls(command: string, options: WalledOptions): Promise<WalledRun> {
  assertKnownOptions("runWalled", options, OPTIONS);
  const found = await probe({ policy: await policyOf(options) });
  return startJudged(found, (start) => runOnce(command, options, found, start));
}

async function runOnce(command: string, options: WalledOptions, found: Sandbox, { hold, onReady }: JudgedStart): Promise<WalledRun> {
  const { timeoutMs = USUAL_MS, signal, stdin, outputChars = MOST_CHARS } = options;
  const policy = await policyOf(options, found);
  const places = hold(policy);
  await secureOwnPlace(policy.write);
  const line = launch(found, policy, ["/bin/bash", "--noprofile", "--norc", "-c", command], { places, onReady });
  const output = { stdout: createText(outputChars), stderr: createText(outputChars) };
  const end = await runLaunch(line, {
    timeoutMs,
    ...(signal && { signal }),
    ...(stdin !== undefined && { stdin }),
    onOutput: (chunk, stream) => output[stream].add(chunk),
  });
  assertUnchanged(end);
  if (end.setupError !== undefined) throw new ToolError("permanent_failure", `The command was not started: ${end.setupError}`);
  return {
    exitCode: end.exitCode,
    stdout: output.stdout.end(),
    stderr: output.stderr.end(),
    truncated: output.stdout.isCut() || output.stderr.isCut(),
    ...(end.stopped && { stopped: end.stopped }),
    walls: line.walls,
  };
}

export async function lookForWalls(options: Pick<WalledOptions, "cwd">): Promise<Walls> {
  assertKnownOptions("findWalls", options, ["cwd"]);
  return (await probe({ policy: await policyOf(options) })).walls;
}

/** The same as around the commands of a runtime: keys and Zeph's own files are out of reach whatever the lists say. */
function policyOf(
  { cwd, read = [], write = [], network = "closed", env = {}, limits }: WalledOptions,
  found: Sandbox | null = null,
): Promise<Policy> {
  const state = statePaths({ store: "", audit: "" });
  const at = { home: state.home, env: process.env };
  const keys = [...keyFiles(at), state.tokens];
  const config = sandboxConfig().parse({ allow_read: [...read], allow_write: [...write], allow_network: network === "open" });
  return policyInTurns(config, {
    cwd: workingFolder(cwd),
    home: at.home,
    own: ownFiles(state, [...keys, userConfigPath(at)]),
    keys,
    allowedPaths: [],
    env: process.env,
    added: env,
    isOwnBuilder: isOwnBuilder(found),
    ...(limits && { limits }),
  });
}

/** Text that comes in pieces, up to a length. */
function createText(most: number) {
  const decoder = new TextDecoder();
  let text = "";
  let cut = false;
  return {
    add(chunk: Buffer) {
      if (cut) return;
      text += decoder.decode(chunk, { stream: true });
      cut = text.length > most;
    },
    isCut: () => cut,
    end: () => (cut ? text.slice(0, most) : text + decoder.decode()),
  };
}
