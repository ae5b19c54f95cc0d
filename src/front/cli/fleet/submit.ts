import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";

export async function submit(_given: Invocation): Promise<number> {
  throw new UsageError("zeph submit is not there yet.");
}
