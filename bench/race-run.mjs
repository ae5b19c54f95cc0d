// One run of one client against one scripted model, and what it came to.
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { median } from "./measure.mjs";
import { WAYS } from "./race-clients.mjs";
import { cpuOf, runClient, sampleMemory } from "./race-process.mjs";
import { startRaceServer } from "./race-server.mjs";

const LIMIT_MS = 180_000;

/**
 * `place` is the client's own folder: its home stays from run to run, as a person's does; the workspace is laid out anew.
 * `steps` makes the calls, given the workspace. Without a `gap` the client did not get through, and `problem` says why.
 */
export async function runOnce(name, bin, { kind, place, work, steps, log }) {
  const way = WAYS[name];
  const home = join(place, "home");
  const here = join(place, "work");
  const temporary = join(place, "tmp");
  for (const folder of [here, temporary]) rmSync(folder, { recursive: true, force: true });
  for (const folder of [home, temporary]) mkdirSync(folder, { recursive: true });
  cpSync(work, here, { recursive: true });
  const calls = steps(here);
  const server = await startRaceServer(calls, log);
  way.furnish?.(home, server.url);
  const measured = { cpu: null };
  let cpu = null;
  server.onRequest = () => {
    sampleMemory(measured);
    cpu ??= cpuOf(measured.pid);
    if (server.bodies.length === calls.length + 1) measured.cpu = (cpuOf(measured.pid) - cpu) / calls.length;
  };
  const env = { ...plainEnvironment(home, temporary), ...way.env(server.url) };
  const argv = way.argv({ bin, url: server.url, kind });
  const ended = await runClient(argv, { cwd: here, env, limitMs: LIMIT_MS }, measured);
  await server.stop();
  const { made } = server;
  if (made < calls.length)
    return { asked: server.bodies.length > 0, problem: `${made} of ${calls.length} calls${ended ? `, ${ended}` : ""}` };
  return {
    asked: true,
    problem: problemOf(server, calls.length) ?? ended,
    isShown: server.gaps.length > calls.length / 2,
    gap: server.gaps.length === 0 ? 0 : median(server.gaps),
    first: server.firstAt - measured.startedAt,
    cpu: measured.cpu,
    memory: measured.peakMb,
    tool: server.called[0],
    beside: server.beside,
    bytes: server.bodies[0].length,
    // Counting takes a while, and is done for what the table shows only.
    tokens: (n) => countTokens(server.bodies[n].toString()),
  };
}

function problemOf({ gaps, unshown, again }, count) {
  if (gaps.length < count) return `${gaps.length} of ${count} results show what was asked for, the first that does not: ${unshown}`;
  return again > 0 ? `${again} requests were made twice` : null;
}

/** Nothing of ours: no keys, no proxies, no settings. */
function plainEnvironment(home, temporary) {
  // Some would fetch ripgrep where there is none.
  const path = [dirname(rgPath), process.env.PATH].join(delimiter);
  return { PATH: path, HOME: home, TMPDIR: temporary, TERM: "dumb", CI: "1", LANG: "C.UTF-8", NO_COLOR: "1" };
}
