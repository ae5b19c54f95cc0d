import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import * as z from "zod";
import { makeOnce } from "../../../text/make-once.ts";
import { type Listing, listOfServer } from "../listing.ts";

/** What a value is wanted for: an argument of a prompt, or a variable in the address of a resource. */
export type CompletionSubject = { readonly prompt: string } | { readonly template: string };

/** What is typed of a value, and the values that were given before it. */
export interface TypedValue {
  readonly name: string;
  readonly value: string;
  readonly before: Readonly<Record<string, string>>;
}

/** What a connection can be asked about prompts and resources. Answers are as they came on the wire: nothing is believed. */
export interface OfferRequests {
  readonly completes: boolean;
  list(kind: "prompts" | "resources" | "templates"): Promise<Listing>;
  prompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Record<string, unknown>>;
  resource(uri: string, signal: AbortSignal): Promise<Record<string, unknown>>;
  complete(subject: CompletionSubject, typed: TypedValue, signal: AbortSignal): Promise<Record<string, unknown>>;
}

export interface OfferRequestParts {
  readonly client: Client;
  /** For what is asked in the background. */
  readonly ms: number;
  /** Makes a request that counts as under way, within the time the server is given. */
  readonly within: <T>(signal: AbortSignal, ask: (options: RequestOptions) => Promise<T>) => Promise<T>;
  readonly late: (ms: number) => AbortSignal;
}

export function createOfferRequests({ client, ms, within, late }: OfferRequestParts): OfferRequests {
  return {
    completes: client.getServerCapabilities()?.completions !== undefined,
    list: (kind) => listOfServer(client, kind, { signal: late(ms), timeout: ms }),
    prompt: (name, args, signal) =>
      within(signal, (options) => client.request({ method: "prompts/get", params: { name, arguments: { ...args } } }, ANY(), options)),
    resource: (uri, signal) => within(signal, (options) => client.request({ method: "resources/read", params: { uri } }, ANY(), options)),
    complete: (subject, { name, value, before }, signal) =>
      client.request(
        {
          method: "completion/complete",
          params: {
            ref: "prompt" in subject ? { type: "ref/prompt", name: subject.prompt } : { type: "ref/resource", uri: subject.template },
            argument: { name, value },
            ...(Object.keys(before).length > 0 && { context: { arguments: { ...before } } }),
          },
        },
        ANY(),
        { signal },
      ),
  };
}

const ANY = makeOnce(() => z.looseObject({}));
