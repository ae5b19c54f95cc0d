import { ToolError } from "../../core/error.ts";
import { type CommandEgress, type CommandEgressParts, openCommandEgress } from "../egress/command-egress.ts";
import { proxyVariables } from "../egress/variables.ts";
import { openSessionNetwork } from "../network/session-network.ts";
import type { CommandLine } from "../sandbox/backends/perl.ts";
import type { Policy } from "../sandbox/policy.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";

/** A way out to these names and no others; nobody is asked about more. */
export type OpenNames = (names: readonly string[], program: string) => CommandEgress;

/** A closed network for one program, with a proxy to the names that were agreed for it. */
export interface OwnNetwork {
  readonly line: CommandLine;
  readonly variables: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Throws where names cannot be opened: a program that needs them would only fail in other words. */
export async function openOwnNetwork(
  names: readonly string[],
  program: string,
  open: OpenNames | undefined,
  { found, policy }: { readonly found: Sandbox; readonly policy: Policy },
): Promise<OwnNetwork> {
  const egress = open?.(names, program);
  const network = openSessionNetwork({ socket: async () => (await egress?.socket()) ?? null });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= network.close().then(() => egress?.close());
    return closing;
  };
  const place = await network.join(found, policy);
  if (place?.forwards) return { line: place.line, variables: proxyVariables(null), close };
  await close();
  throw new ToolError(
    "policy_blocked",
    `${program} may reach only ${names.join(", ")}, and names can be opened one by one only where bubblewrap works (${network.problem() ?? "it does not here"}). Give network = true or false, or run zeph doctor.`,
  );
}

/** Names that were agreed for one program: nobody is asked about others, and what is denied to commands is denied to it. */
export const namesFor =
  (egress: Omit<CommandEgressParts, "home" | "workspaces">, home: string, workspaces: () => readonly string[]): OpenNames =>
  (allow, program) =>
    openCommandEgress({
      ...egress,
      ask: null,
      rules: () => ({ allow, deny: egress.rules().deny }),
      audit: (end) => egress.audit(end, [], program),
      home,
      workspaces,
    });
