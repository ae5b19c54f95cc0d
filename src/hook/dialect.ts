import { isRecord, parseJson } from "../text/json.ts";
import type { HookClient, HookedCall, HookMoment, HookOutput } from "./client.ts";
import { misfitIn } from "./shape.ts";

/** Nothing is said: the client goes on by its own rules. */
export const SAY_NOTHING: HookOutput = Object.freeze({ stdout: "", stderr: "", exit: 0 });

export const sayJson = (value: object): HookOutput => ({ stdout: JSON.stringify(value), stderr: "", exit: 0 });

/** For whoever cannot be answered in their own dialect. Exit code 2 denies in every client that starts a program. */
export const sayNo = (why: string): HookOutput => ({ stdout: "", stderr: `${why}\n`, exit: 2 });

/** The input of a client, held against what is known of it; a text says what is wrong. */
export function readFields(
  client: Pick<HookClient, "name" | "fields">,
  event: HookMoment,
  input: Readonly<Record<string, unknown>>,
  names: Readonly<Record<"cwd" | "session" | "callId" | "tool" | "args", string>>,
  at: { readonly cwd: string },
): HookedCall | string {
  const wrong = misfitIn(input, client.fields[event]);
  if (wrong !== null) return `what ${client.name} sent is not what it usually sends: ${wrong}`;
  const given = input[names.args];
  const args = typeof given === "string" ? parseJson(given) : given;
  const tool = input[names.tool];
  if (!isRecord(args)) return `${names.args} is not an object`;
  if (typeof tool !== "string" || !TOOL_NAME.test(tool)) return `${names.tool} is not the name of a tool`;
  const cwd = input[names.cwd];
  const session = input[names.session];
  const callId = input[names.callId];
  return {
    cwd: typeof cwd === "string" && cwd.startsWith("/") ? cwd : at.cwd,
    session: (typeof session === "string" ? session : client.name).slice(0, 200),
    callId: typeof callId === "string" && callId !== "" ? callId.slice(0, 200) : null,
    tool,
    args,
    ...(typeof input.permission_mode === "string" && { permissionMode: input.permission_mode }),
    ...(typeof input.transcript_path === "string" && { transcript: input.transcript_path }),
  };
}

/** What a tool of any client is called; a name of another form is no tool that could be known. */
const TOOL_NAME = /^[\w.:/-]{1,200}$/;

/** Whether the input says itself that it is about this event. */
export const namesEvent = (input: Readonly<Record<string, unknown>>, ...names: readonly string[]): boolean =>
  names.includes(String(input.hook_event_name));
