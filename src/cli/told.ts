import { ConfigError } from "../config/problem.ts";
import { UsageError } from "./io.ts";

/** What a person can put right: its message says how, and a stack trace would only hide it. The store's error is known by its name. */
export const isForPeople = (error: unknown): error is Error =>
  error instanceof UsageError ||
  error instanceof ConfigError ||
  (error instanceof Error && (error.name === "StoreError" || isSystems(error)));

/** No permission, no space, a folder that is gone. */
const isSystems = (error: Error): boolean => "syscall" in error && "code" in error;
