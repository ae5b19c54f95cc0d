import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";

export async function store(_given: Invocation): Promise<number> {
  throw new UsageError("zeph store is not there yet.");
}
