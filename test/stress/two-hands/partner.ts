import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { PERL } from "../../../src/host/sandbox/backends/perl.ts";

const PARTNER = fileURLToPath(new URL("partner.pl", import.meta.url));

/** One act of a partner, as partner.pl takes it. */
export type Act =
  | readonly ["exchange", one: string, two: string]
  | readonly ["link", name: string, target: string]
  | readonly ["back", name: string]
  | readonly ["replace", name: string, by: string]
  | readonly ["write", name: string, text: string]
  | readonly ["chmod", mode: string, name: string]
  | readonly ["kill"];

export interface Partner {
  /** What it has said so far. */
  said(): string;
  /** Ends it, and says what it did. */
  end(): Promise<string>;
}

const words = (act: Act) => act.join(",");

/** A command line for a shell behind walls: it acts at random. */
export const swappingLine = (script: string, seed: number, gapUs: number, seconds: number, acts: readonly Act[]): string =>
  `${PERL} ${script} swap . ${seed} ${gapUs} ${seconds} ${acts.map((act) => `'${words(act)}'`).join(" / ")}`;

/** Stops whoever builds walls below this process each time it has mounted such a place, acts, and lets it go on. */
export const startHolding = (folder: string, steps: readonly (readonly [mounted: string, act: Act])[]): Promise<Partner> =>
  start(["hold", folder, String(process.pid), "20", ...steps.flatMap(([mounted, act]) => [mounted, words(act)])]);

export { PARTNER };

async function start(args: readonly string[]): Promise<Partner> {
  const child: ChildProcess = spawn(PERL, [PARTNER, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout!.on("data", (chunk) => {
    text += chunk;
  });
  await once(child.stdout!, "data");
  return {
    said: () => text,
    async end() {
      if (child.exitCode === null && child.signalCode === null) {
        const gone = once(child, "exit");
        child.kill("SIGTERM");
        await gone;
      }
      return text;
    },
  };
}
