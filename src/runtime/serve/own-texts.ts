import type { OwnTexts } from "../../front/mcp-server/offer.ts";
import { isRecord } from "../../text/json.ts";
import type { RuntimeInternals } from "../runtime.ts";
import { policyWords } from "./policy-words.ts";
import { callText, isRefused, recordText, type SessionRecord } from "./session-record.ts";

export interface OwnTextsParts {
  readonly inside: Pick<RuntimeInternals, "zeph" | "cwd" | "liveConfig">;
  readonly record: SessionRecord;
  readonly asks: "the client" | undefined;
  /** Whether a client is offered the tool: some need a model of our own. */
  isUsable(name: string): boolean;
}

/** What a session tells of itself: what it did today, what the rules are, and how to begin a talk about that. */
export function createOwnTexts({ inside, record, asks, isUsable }: OwnTextsParts): OwnTexts {
  const { zeph } = inside;
  const policy = async () =>
    policyWords({
      workspace: inside.cwd,
      config: inside.liveConfig(),
      tools: zeph.governance.tools().filter(({ name }) => isUsable(name)),
      gates: zeph.governance.gates(),
      reach: await zeph.reach().catch(() => null),
      asks,
    });
  const texts: Readonly<Record<string, () => string | Promise<string>>> = {
    "zeph://audit/today": () => recordText(record.today()),
    "zeph://policy": policy,
  };
  const prompts: Readonly<Record<string, (args: Readonly<Record<string, unknown>>) => string | Promise<string>>> = {
    "review-denials": async () => `${REVIEW}\n\n${recordText(record.today().filter(isRefused))}\n\n${await policy()}`,
    "explain-call"({ call_id: id }) {
      const found = record.find(typeof id === "string" && id.trim() !== "" ? id.trim() : undefined);
      return found
        ? `${EXPLAIN}\n\n${callText(found)}`
        : "This session has made no such call. Say so, and read zeph://audit/today for those it has made.";
    },
  };
  return {
    resources: [
      {
        uri: "zeph://audit/today",
        name: "audit-today",
        title: "Calls of this session today",
        description: "Every call that this session made today: what it was, how it ended, and why where it was refused. Without secrets.",
        mimeType: "text/plain",
      },
      {
        uri: "zeph://policy",
        name: "policy",
        title: "What is allowed here",
        description: "What Zeph allows, asks about and denies in this session, in words.",
        mimeType: "text/plain",
      },
    ],
    prompts: [
      {
        name: "review-denials",
        title: "Review what was refused",
        description: "Explain what Zeph refused in this session today, and how the person could allow it.",
      },
      {
        name: "explain-call",
        title: "Explain a call",
        description: "Explain what one call of this session did, and why it ended as it did.",
        arguments: [{ name: "call_id", description: "The id of the call; the last one if it is left out.", required: false }],
      },
    ],
    read: async (uri) => (Object.hasOwn(texts, uri) ? zeph.redact(await texts[uri]!()) : null),
    prompt: async (name, args) => (Object.hasOwn(prompts, name) ? zeph.redact(await prompts[name]!(isRecord(args) ? args : {})) : null),
  };
}

const REVIEW =
  "Zeph stands between you and this machine. Below are the calls of this session that it did not make today, and the rules. For each call, say in plain words what it was to do, why it was not made, and whether it is sensible to allow it. If it is, name the narrowest rule for [tools.permissions] that would allow it, for me to write; say so where no rule can, because it is denied. Do not make the calls again, and do not look for a way around.";
const EXPLAIN =
  "Explain this call that you made through Zeph: what it was to do, what came of it, and why. If it was refused, say what I could do about it. Do not make it again.";
