import { readFileSync } from "node:fs";
import { attempt } from "../../text/attempt.ts";

/** Whether something listens at this port of the machine, as far as the system tells. */
export const listensHere = (port: number): boolean => {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  return ["/proc/net/tcp", "/proc/net/tcp6"].some((file) =>
    attempt(() => readFileSync(file, "utf8"), "")
      .split("\n")
      // Its own address, the other's, and 0A: it listens.
      .some((line) => new RegExp(`^\\s*\\d+: [0-9A-F]+:${wanted} [0-9A-F]+:0000 0A `).test(line)),
  );
};
