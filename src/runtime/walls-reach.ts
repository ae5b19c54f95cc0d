import type { Confined, WallReach } from "../core/ports/walls.ts";
import { proxyVariables } from "../host/egress/variables.ts";
import type { FileConfig } from "../host/files/config.ts";
import { bubblewrapArgs } from "../host/sandbox/backends/bubblewrap.ts";
import type { Policy } from "../host/sandbox/policy.ts";
import type { Sandbox } from "../host/sandbox/sandbox.ts";

/** The walls as they would be built for the next command. */
export interface Plan {
  readonly sandbox: Sandbox;
  readonly policy: Policy;
  readonly seconds: number;
}

/** What a command could still do. Read off the plan itself: a list of its own would be wrong one day. */
export function wallsReach({ sandbox, policy, seconds }: Plan, { allow_read }: Pick<FileConfig, "allow_read">): WallReach {
  const isBehind = sandbox.backend !== "none";
  // The proxy is there wherever a session can have a network of its own.
  const proxy = sandbox.backend === "bubblewrap" && policy.network === "closed" ? proxyVariables(null) : {};
  const variables = Object.keys({ ...policy.env, ...(isBehind && policy.inner), ...proxy }).sort();
  const notes = allow_read.length === 0 ? [] : [NOT_FOR_COMMANDS];
  const common = { variables, seconds, warnings: policy.warnings, ...(notes.length > 0 && { notes }) };
  if (!isBehind) return { walls: sandbox.walls, confined: null, ...common };
  return { walls: { ...sandbox.walls, network: policy.network }, confined: confined(sandbox, policy), ...common };
}

const NOT_FOR_COMMANDS =
  "tools.file.allow_read binds the file tools and not commands: these read what stands here as read. tools.file.deny_read binds both.";

function confined(sandbox: Exclude<Sandbox, { backend: "none" }>, policy: Policy): Confined {
  const prlimit = "prlimit" in sandbox && sandbox.prlimit !== null;
  return {
    cwd: policy.cwd,
    write: policy.write,
    // Landlock can take rights away from a folder as a whole, and from nothing inside it.
    frozen: sandbox.backend === "landlock" ? [] : policy.protect.frozen,
    read: policy.read,
    system: sandbox.backend === "bubblewrap" ? systemOf(policy, sandbox.options) : [],
    network: policy.network,
    limits: {
      // Root is not bound by a number of processes, unless the kernel counts them in a group.
      processes: sandbox.walls.layers.includes("limits") ? policy.limits.processes : null,
      memoryBytes: prlimit ? policy.limits.dataBytes : null,
      fileBytes: prlimit ? policy.limits.fileBytes : null,
    },
  };
}

/** What is mounted read-only and is neither listed in the settings nor protected. */
function systemOf(policy: Policy, options: ReadonlySet<string>): string[] {
  const args = bubblewrapArgs(policy, (option) => options.has(option));
  const known = new Set([...policy.read, ...policy.protect.frozen]);
  return args.flatMap((word, n) => {
    if (word === "--ro-bind" && !known.has(args[n + 2]!)) return [args[n + 2]!];
    return word === "--symlink" ? [args[n + 2]!] : [];
  });
}
