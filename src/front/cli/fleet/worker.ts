import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";

export async function worker(_given: Invocation): Promise<number> {
  throw new UsageError("zeph worker is not there yet.");
}
