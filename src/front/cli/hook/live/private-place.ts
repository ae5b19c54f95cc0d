import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { processesOfHome } from "../../../../files/agent-process.ts";
import { killNow } from "../../../../files/process.ts";
import { attempt } from "../../../../text/attempt.ts";
import { isRecord, parseJson } from "../../../../text/json.ts";

/** A person that lasts for one trial: a home with nothing of the real one in it, a workspace, and a folder outside of that. */
export interface PrivatePlace {
  readonly home: string;
  readonly work: string;
  readonly outside: string;
  /** All that a client is given: nothing of the real person's but where programs lie. */
  readonly env: Readonly<Record<string, string>>;
  put(path: string, content: string | object, mode?: number): void;
  /** Lines of the audit log of this home. */
  audit(): readonly Readonly<Record<string, unknown>>[];
  /** Ends whatever still runs with this home, and takes the folders away. */
  close(): void;
}

/** Each takes most of a second when something is still written. */
const MOST_TRIES = 10;

/** Made in the folder for temporary files, for this user alone. */
export function openPrivatePlace(path: string): PrivatePlace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-live-")));
  const [home, work, outside, temporary] = ["home", "work", "outside", "tmp"].map((name) => join(base, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const folder of [home, work, outside, temporary]) mkdirSync(folder, { mode: 0o700 });
  const env = { PATH: path, HOME: home, TMPDIR: temporary, LANG: "C.UTF-8", TERM: "dumb", NO_COLOR: "1", CI: "1" };
  return {
    home,
    work,
    outside,
    env,
    put(name, content, mode = 0o600) {
      const file = join(home, name);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`, { mode });
    },
    audit: () =>
      attempt(() => readFileSync(join(home, ".local/state/zeph/audit.jsonl"), "utf8"), "")
        .split("\n")
        .map(parseJson)
        .filter(isRecord),
    close() {
      for (let tries = 1; ; tries++) {
        for (const pid of processesOfHome(home)) killNow(pid);
        try {
          return rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
        } catch (error) {
          // What those processes started ends with them, but not at once. Until then it may put a file into a folder that was just emptied.
          if (tries === MOST_TRIES) throw error;
        }
      }
    },
  };
}
