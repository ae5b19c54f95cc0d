import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import type { Elicit, Elicitation } from "../../core/ports/elicitation.ts";
import { abortAfter, unlessAborted } from "../../text/abort.ts";
import { record } from "../../text/json.ts";
import { checkAnswers, formFields } from "./form-fields.ts";
import { inALine, withoutHidden } from "./trust/hidden-text.ts";

export interface ElicitationParts {
  /** Of the server, as the person knows it. */
  readonly name: string;
  readonly elicit: Elicit | null;
  readonly warn: (message: string) => void;
}

/** Puts a server's question to the person. Nobody there, or nobody answers: `cancel`, which is not a no. */
export async function answerElicitation(
  { name, elicit, warn }: ElicitationParts,
  request: ElicitRequest,
  signal: AbortSignal,
): Promise<ElicitResult> {
  if (elicit === null) return { action: "cancel" };
  const params = request.params;
  const message = withoutHidden(params.message).slice(0, MOST_MESSAGE).toWellFormed();
  if (params.mode === "url") return visit({ kind: "visit", from: name, message, url: params.url });
  if (asksForSecret([params.message, JSON.stringify(params.requestedSchema)].join(" "))) {
    warn(`The MCP server "${name}" asked for a password, a key or the like, which servers may not do. Zeph refused: "${inALine(message)}"`);
    return { action: "decline" };
  }
  const fields = formFields(params.requestedSchema);
  if (fields === null) {
    warn(`The MCP server "${name}" asked a question that cannot be shown. Zeph refused: "${inALine(message)}"`);
    return { action: "decline" };
  }
  const answer = await ask({ kind: "form", from: name, message, fields });
  if (answer.action !== "accept") return { action: answer.action };
  const content = checkAnswers(fields, answer.content);
  return content === null ? { action: "cancel" } : { action: "accept", content };

  async function visit(asked: Elicitation & { kind: "visit" }): Promise<ElicitResult> {
    if (!isWebAddress(asked.url)) {
      warn(`The MCP server "${name}" wanted to open a page that is not a web address. Zeph refused.`);
      return { action: "decline" };
    }
    return { action: (await ask(asked)).action };
  }

  async function ask(asked: Elicitation) {
    const long = AbortSignal.any([signal, abortAfter(LONGEST_MS)]);
    const cancelled = () => ({ action: "cancel" }) as const;
    return unlessAborted(elicit!(asked, long).catch(cancelled), long, cancelled);
  }
}

/** Older servers fail a call with the pages that are to be visited first. True when the person agreed to each of them. */
export async function visitPages(asking: ElicitationParts, thrown: unknown, signal: AbortSignal): Promise<boolean> {
  const { code, data } = record(thrown);
  const { elicitations: pages } = record(data);
  if (code !== -32_042 || !Array.isArray(pages) || pages.length === 0 || pages.length > MOST_PAGES) return false;
  for (const page of pages) {
    const { message, url } = record(page);
    if (typeof message !== "string" || typeof url !== "string") return false;
    const params = { mode: "url", message, url, elicitationId: "" } as const;
    if ((await answerElicitation(asking, { method: "elicitation/create", params }, signal)).action !== "accept") return false;
  }
  return true;
}

const MOST_PAGES = 3;
const MOST_MESSAGE = 2000;
const LONGEST_MS = 600_000;

const isWebAddress = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && text.length <= 4096;

/** Words run together or apart, in any letters: apiKey, api_key, "API key". A field called `pin` is known by what a schema says next. */
const SECRET_WORDS =
  /pass ?(?:word|phrase|code|wd)|\b(?:secret|token|(?:access|api|auth|bearer|github|login|personal|refresh|secret|security|session|your) tokens|credentials?|(?:your|enter|the|card|account|sim|bank) pin|pin (?:codes?|numbers?|type|title|description)|pin(?= ?$)|otp|cvv|cvc|ssn|iban)\b|(?:api|access|private|secret|ssh|signing|encryption|recovery|seed) ?(?:keys?|phrase|codes?)|\b(?:credit|debit|bank) ?cards?\b|card ?numbers?|one ?time ?(?:password|code)|social ?security|(?:two|2) ?factor|mnemonic/;

/** Tokens as models count them are nobody's secret. */
const COUNTED = /\b(?:max|maximum|min|minimum|num|number of|total) tokens?\b|\btokens? (?:counts?|limits?|budgets?|usage|length)\b/g;

/** Whether a question looks like one for something that is nobody else's business. */
export function asksForSecret(text: string): boolean {
  const words = withoutHidden(text.normalize("NFKC"))
    .slice(0, MOST_LOOKED_AT)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replace(/[_-]/g, " ")
    .replace(COUNTED, " ")
    .replace(/[^a-z0-9]+/g, " ");
  return SECRET_WORDS.test(words);
}

const MOST_LOOKED_AT = 100_000;
