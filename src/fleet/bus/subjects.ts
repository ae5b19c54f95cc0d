/** What machines of a fleet tell each other. Names of tenants and sessions are a person's: no dot or star of theirs reaches into another subject. */
export const SUBJECTS = {
  /** There is something to take, for workers with this label; an empty one means any worker. */
  wake: (label = "") => join("wake", label),
  /** Cancel and drain, for one worker. */
  control: (worker: string) => join("ctl", worker),
  /** What happens in a session's turn, as `zeph run --json` prints it. */
  out: (tenant: string, session: string) => join("out", tenant, session),
  /** The session has a message waiting. */
  inbox: (tenant: string, session: string) => join("in", tenant, session),
  /** There is a new policy. */
  policy: (tenant: string) => join("policy", tenant),
  /** Somebody asks for an approval, or one was answered. */
  ask: (tenant: string) => join("ask", tenant),
} as const;

const join = (...parts: readonly string[]): string => parts.map(escapePart).join(".");

/** Empty parts are refused by NATS. */
const escapePart = (part: string): string =>
  part === ""
    ? "%"
    : part.replace(/[^\w-]/gu, (char) => [...Buffer.from(char)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""));
