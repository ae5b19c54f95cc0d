import type { ApprovedCall } from "../../core/door.ts";
import { ToolError } from "../../core/error.ts";
import type { Grant } from "../../core/gate/verdict.ts";
import { asksAboutProtected, liftedBy } from "../../core/protected.ts";
import { display } from "../../text/path.ts";
import type { SandboxConfig } from "../sandbox/config.ts";
import type { Policy } from "../sandbox/policy.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";

/** What is protected in the folders of a command and not held by the walls around it, in words; null when there is nothing. */
export function unprotectedReason({ backend }: Sandbox, { hidden, swept, write, cwd }: Policy, config: SandboxConfig): string | null {
  if (backend === "bubblewrap" || backend === "seatbelt")
    return hidden?.unfinished
      ? `Not every file that tools.file.deny_read means could be hidden from the command: ${hidden.unfinished}.`
      : null;
  const files = hidden?.places.map(({ path }) => path) ?? [];
  // To run without walls is the person's own decision, in the settings or asked by the gate `walls`; it says nothing about files to be hidden.
  const frozen = backend === "none" ? [] : frozenIn(swept);
  const found = [...files, ...frozen];
  if (found.length === 0 && !hidden?.unfinished) return null;
  const where = config.enabled && backend !== "none" ? `The sandbox here (${backend})` : "A command without walls";
  const what = files.length > 0 ? "can neither hide nor protect" : "cannot protect";
  return `${where} ${what} ${named(found, write[0] ?? cwd)}: programs outside may run what it leaves there, or it may read what nobody may read.`;
}

const frozenIn = (swept: Policy["swept"]): string[] =>
  swept ? [...swept.gits, ...swept.bare, ...swept.spots.filter(({ part }) => part === "frozen").map(({ path }) => path)] : [];

const MOST_NAMED = 5;

function named(paths: readonly string[], cwd: string): string {
  const shown = paths.slice(0, MOST_NAMED).map((path) => display(path, cwd));
  return paths.length > MOST_NAMED ? `${shown.join(", ")} and ${paths.length - MOST_NAMED} more` : shown.join(", ");
}

/** The gate `permissions` asks about it; whoever runs the command makes sure that it was asked. */
export function assertAgreedUnprotected(why: string | null, grant: Grant): void {
  if (why === null) return;
  const isAgreed = grant.kind === "confirmed" && grant.asked.some(asksAboutProtected);
  if (!isAgreed) throw new ToolError("policy_blocked", why);
}

/** The frozen files that somebody let this very call write. */
export const liftedIn = ({ grant }: ApprovedCall): readonly string[] => (grant.kind === "confirmed" ? liftedBy(grant.asked) : []);
