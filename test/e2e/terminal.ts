import { spawn, spawnSync } from "node:child_process";
import { BIN, type Box, ended, endWithTest } from "./zeph.ts";

/** Of util-linux. It is part of the system, not of the project. */
const SCRIPT = "script";
export const hasTerminal = spawnSync(SCRIPT, ["--version"]).status === 0;

interface Options {
  readonly columns?: number;
  readonly env?: Record<string, string>;
}

/** The command in a pseudo-terminal. A chat is drawn line by line, unless `env` says otherwise. */
export function terminal({ cwd, env }: Box, args: string, { columns = 80, env: more }: Options = {}) {
  const command = `stty cols ${columns} rows 24; exec '${process.execPath}' '${BIN}' ${args}`;
  const child = spawn(SCRIPT, ["-qec", command, "/dev/null"], { cwd, env: { ...env, ZEPH_UI_SCREEN: "plain", ...more } });
  endWithTest(child);
  let text = "";
  let seen = 0;
  let closed = false;
  let wake = () => {};
  child.stdout.on("data", (chunk: Buffer) => {
    text += String(chunk);
    wake();
  });
  child.on("close", () => {
    closed = true;
    wake();
  });
  return {
    end: ended(child),
    text: () => text,
    /** The window is closed. */
    hangUp: () => void child.kill("SIGKILL"),
    type: (keys: string) => void child.stdin.write(keys),
    /** Waits until this appears after what was seen last. */
    async see(wanted: string): Promise<void> {
      for (;;) {
        const at = text.indexOf(wanted, seen);
        if (at !== -1) {
          seen = at + wanted.length;
          return;
        }
        if (closed) throw new Error(`It ended before it printed ${JSON.stringify(wanted)}: ${text.slice(-2000)}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** The tool console of a machine without a model: somebody chooses it from the list that comes first. */
export async function chooseConsole(tty: Pick<ReturnType<typeof terminal>, "see" | "type">): Promise<void> {
  await tty.see("Which one?");
  tty.type("console\r");
  await tty.see("zeph> ");
}
