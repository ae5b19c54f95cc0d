import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";

export async function fleetToken(_given: Invocation): Promise<number> {
  throw new UsageError("This part of zeph fleet is not there yet.");
}
