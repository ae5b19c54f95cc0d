import { RequestError } from "@agentclientprotocol/sdk";
import { EditorRefused } from "../../core/ports/editor.ts";

/** The editor lacks the method, or does not know the file: both are no refusal. */
const CANNOT: readonly number[] = [-32601, -32002];

/** What an editor's answer means: an error that it sent is a refusal, and what broke on the way is none. */
export function refusalIn(error: unknown): unknown {
  return error instanceof RequestError && !CANNOT.includes(error.code) ? new EditorRefused(error.message, { cause: error }) : error;
}
