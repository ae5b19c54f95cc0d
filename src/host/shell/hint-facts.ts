import { statSync } from "node:fs";
import { normalize } from "node:path";
import { attempt } from "../../text/attempt.ts";
import { isWithin } from "../../text/path.ts";
import { HOME_INSIDE, type Policy } from "../sandbox/policy.ts";
import type { WorkdayLookup } from "../workday/workday.ts";
import type { HintFacts } from "./hints.ts";
import { listensHere } from "./listening.ts";

export interface HintSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly day?: WorkdayLookup | undefined;
  readonly policy: Policy;
  readonly refusals?: HintFacts["refusals"];
}

/** What is known about a failure. Nothing is looked up before a message asks for it. */
export const createHintFacts = ({ env, home, day, policy, refusals }: HintSources): HintFacts => ({
  env,
  home,
  cwd: policy.cwd,
  listensOutside: listensHere,
  isUnseen: (path) => isUnseen(path, policy),
  programOutside: (name) => programOutside(name, { env, home, day, policy }),
  ...(refusals && { refusals }),
  get toolchains() {
    return day ? attempt(() => day.look(policy.write).read, []) : [];
  },
});

/** What every walled command has, of the machine or of its own. */
const ALWAYS = ["/usr", "/etc", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/proc", "/dev", "/sys", "/run", "/tmp", HOME_INSIDE];

function isUnseen(path: string, { read, write, cwd }: Policy): boolean {
  const plain = normalize(path);
  return ![...ALWAYS, ...read, ...write, cwd].some((root) => isWithin(root, plain));
}

/** Null as well where commands see the folder: then the program is missing for another reason. */
function programOutside(name: string, { env, day, policy }: HintSources): ReturnType<NonNullable<HintFacts["programOutside"]>> {
  const seen = new Set((policy.env.PATH ?? "").split(":"));
  const folder = (env.PATH ?? "")
    .split(":")
    .slice(0, MOST_FOLDERS)
    .find((one) => one.startsWith("/") && isProgram(`${one}/${name}`));
  if (folder === undefined || seen.has(folder)) return null;
  const refused = day ? attempt(() => day.look(policy.write).refused, []).find((one) => one.folder === folder) : undefined;
  return { path: `${folder}/${name}`, why: refused?.why ?? null };
}
const MOST_FOLDERS = 128;

const isProgram = (path: string): boolean => attempt(() => statSync(path), null)?.isFile() === true;
