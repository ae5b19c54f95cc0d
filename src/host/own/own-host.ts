import { ToolError } from "../../core/error.ts";
import type { Host } from "../../core/ports/host.ts";
import type { OwnHost } from "../../core/ports/own-host.ts";
import type { Ran, Shell } from "../../core/ports/shell.ts";
import { abortAfter, unlessAborted } from "../../text/abort.ts";
import type { FileConfig } from "../files/config.ts";
import type { LocalHost } from "../local.ts";
import type { SandboxConfig } from "../sandbox/config.ts";
import { openBackground } from "../shell/background.ts";
import { createOutputCapture } from "../shell/capture.ts";
import { commandTime, type ShellRunConfig } from "../shell/config.ts";
import { type LateWebOptions, openLateWeb } from "../web/late-web.ts";
import { createOwnFiles } from "./own-files.ts";
import { createOwnRules } from "./own-rules.ts";
import { assertWalls, wallsOf } from "./own-walls.ts";
import { createTimelyFiles } from "./timely-files.ts";

export interface OwnHostOptions {
  readonly machine: OwnHost;
  /** The workspace there. */
  readonly cwd: string;
  readonly file: FileConfig;
  readonly shell: ShellRunConfig;
  readonly sandbox: SandboxConfig;
  readonly web: LateWebOptions;
}

/** A program's own machine in place of this one. Whatever it cannot do is refused; nothing falls back to this machine, except pages of the web. */
export async function openOwnHost({ machine, cwd, file, shell, sandbox, web: webOptions }: OwnHostOptions): Promise<LocalHost> {
  const { name } = machine;
  const files = createTimelyFiles(machine);
  const real = await files.realPath(cwd);
  if (real === null) throw new TypeError(`There is no folder ${cwd} on ${name}. Name the workspace there with cwd.`);
  const rules = createOwnRules({ machine, cwd: real, file, sandbox, scrape: webOptions.config });
  const walls = wallsOf(machine, sandbox);
  const background = openBackground(0);
  const web = openLateWeb(webOptions);
  const cannot = (what: string, instead?: string) => async (): Promise<never> => {
    throw new ToolError("permanent_failure", `${what} on ${name}.`, instead === undefined ? {} : { advice: instead });
  };
  const run: Shell["run"] = async (permit, command, { signal, seconds }): Promise<Ran> => {
    assertWalls(walls, sandbox, permit);
    const capture = createOutputCapture(shell.max_output_bytes);
    const late = abortAfter(commandTime(shell, seconds));
    const stop = AbortSignal.any([signal, late]);
    const output = (chunk: Uint8Array, stream: "stdout" | "stderr") => capture.add(stream, Buffer.from(chunk));
    const running = machine.run(["bash", "-c", command], { cwd: real, signal: stop, output });
    // A machine that does not listen to the signal keeps nobody waiting.
    const code = await unlessAborted(running, stop, () => null).catch((error) => (stop.aborted ? null : Promise.reject(error)));
    const how = code !== null ? "by itself" : signal.aborted ? "cancelled" : "time limit";
    return {
      ...(await capture.result()),
      sizes: capture.sizes(),
      exitCode: code ?? (how === "cancelled" ? 130 : 124),
      ended: how,
      walls,
      notes: /\bcd\b|\bexport\b/.test(command) ? [`On ${name} each command starts in ${real}, with the variables it has there.`] : [],
    };
  };
  const host: Host = {
    files: createOwnFiles({ name, files }, rules),
    search: {
      grep: cannot("Files are not searched by this tool", "Run grep with bash. Where no programs run, use list_directory and read."),
      find: cannot("Paths are not looked for by this tool", "Run find with bash. Where no programs run, use list_directory."),
    },
    shell: {
      run,
      rehearse: cannot("A dry run is not possible"),
      start: cannot("Commands do not run in the background"),
      list: async () => [],
      wait: cannot("Commands do not run in the background"),
      kill: cannot("Commands do not run in the background"),
    },
    web: web.host,
    diagnostics: { check: cannot("Compilers and linters are not found by this tool", "Run them with bash.") },
  };
  return {
    host,
    keeper: null,
    undoing: null,
    readBytes: null,
    facts: rules.facts,
    commands: {
      background,
      endTurn() {},
      standing: () => null,
      restart() {},
      history: () => [],
      onCwdChanged() {},
      exec: cannot("Programs are not started"),
    },
    egress: { isAnyOpen: () => walls.network === "open" },
    serve: cannot("A server that is a program would run on this machine, so it is not started beside tools"),
    plan: cannot("The walls cannot be looked at"),
    close: web.close,
  };
}
