import { ConfigError } from "../../config/problem.ts";
import { UsageError } from "./io.ts";

/** Errors of parts that are read late; here they are known by their name. */
const NAMED = ["StoreError", "ModelError", "ConversationError", "WorkspaceError", "QueueFull", "CommandError"];

/** Errors that a person can put right: the message says how, and a stack trace would only hide it. */
export const isForPeople = (error: unknown): error is Error =>
  error instanceof UsageError ||
  error instanceof ConfigError ||
  (error instanceof Error && (NAMED.includes(error.name) || isSystems(error)));

/** No permission, no space, a folder that is gone. */
const isSystems = (error: Error): boolean => "syscall" in error && "code" in error;
