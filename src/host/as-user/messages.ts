import { ToolError } from "../../core/error.ts";
import type { FileConfig } from "../files/config.ts";
import type { OtherUser } from "../sandbox/user.ts";

/** What the helper is told first, while it is still root. */
export interface HelperSetup {
  readonly user: OtherUser;
  readonly cwd: string;
  readonly home: string;
  readonly file: FileConfig;
  readonly keys: readonly string[];
  /** Which of an editor's buffers it may ask for. */
  readonly buffers: { readonly read: boolean; readonly write: boolean };
  /** Where ripgrep lies so that this user can start it. */
  readonly ripgrep: string;
}

/** From us to the helper. */
export type HelperRequest =
  | { readonly kind: "setup"; readonly setup: HelperSetup }
  | {
      readonly kind: "call";
      readonly id: number;
      readonly port: "files" | "search";
      readonly act: string;
      readonly args: readonly unknown[];
    }
  | { readonly kind: "cancel"; readonly id: number }
  | ({ readonly kind: "told"; readonly id: number } & HelperResult);

/** From the helper to us. */
export type HelperMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "unable"; readonly why: string }
  | ({ readonly kind: "done"; readonly id: number } & HelperResult)
  | { readonly kind: "buffer"; readonly id: number; readonly act: "read" | "write"; readonly path: string; readonly text?: string }
  /** A temporary file is about to be made, or is gone again. */
  | { readonly kind: "note"; readonly id: string; readonly path: string }
  | { readonly kind: "release"; readonly id: string }
  /** How a file looked that was read or written; without a look, it is gone. What came from an editor's buffer is not compared with the disk. */
  | { readonly kind: "seen"; readonly path: string; readonly look?: KnownLook };

export interface KnownLook {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly from: "disk" | "buffer";
}

export type HelperResult = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: PlainError };

/** An error as it can be sent: what the other side looks at, and no more. */
export interface PlainError {
  readonly message: string;
  readonly tool?: { readonly category: ToolError["category"]; readonly advice?: string };
  readonly system?: { readonly code: string; readonly errno?: number; readonly syscall?: string; readonly path?: string };
}

export function plainError(error: unknown): PlainError {
  const { message = String(error) } = error as Error;
  if (error instanceof ToolError)
    return { message, tool: { category: error.category, ...(error.advice !== undefined && { advice: error.advice }) } };
  const { code, errno, syscall, path } = error as NodeJS.ErrnoException;
  if (typeof code !== "string") return { message };
  return {
    message,
    system: { code, ...(errno !== undefined && { errno }), ...(syscall !== undefined && { syscall }), ...(path !== undefined && { path }) },
  };
}

export function errorFrom({ message, tool, system }: PlainError): Error {
  if (tool) return new ToolError(tool.category, message, { ...(tool.advice !== undefined && { advice: tool.advice }) });
  return Object.assign(new Error(message), system);
}
