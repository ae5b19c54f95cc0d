import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";

export async function fleetTasks(_given: Invocation): Promise<number> {
  throw new UsageError("This part of zeph fleet is not there yet.");
}

export async function fleetTask(_given: Invocation): Promise<number> {
  throw new UsageError("This part of zeph fleet is not there yet.");
}

export async function fleetCancel(_given: Invocation): Promise<number> {
  throw new UsageError("This part of zeph fleet is not there yet.");
}
