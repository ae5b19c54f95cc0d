import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";

export async function serve(_given: Invocation): Promise<number> {
  throw new UsageError("zeph serve is not there yet.");
}
