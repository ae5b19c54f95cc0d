import type { CompletionSubject, TypedValue } from "../connection/offer-requests.ts";
import type { Server } from "../server.ts";
import type { ServerPrompt, ServerResource } from "./offer-list.ts";
import type { PromptText, ResourceContent } from "./offer-texts.ts";

/** What MCP servers have besides tools, for a person: no model gets at any of it here. */
export interface Offers {
  /** Of this server, or of all. Known as they were said last, also before a server is started. */
  prompts(server?: string): readonly ServerPrompt[];
  /** The same; nothing before a server is connected. */
  resources(server?: string): readonly ServerResource[];
  /** The text that a server writes for a prompt. Throws a ToolError. */
  prompt(server: string, prompt: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<PromptText>;
  /** What is at an address of a server. Throws a ToolError. */
  read(server: string, uri: string, signal: AbortSignal): Promise<readonly ResourceContent[]>;
  /** Values for what is being typed. Nothing where it takes too long or goes wrong. */
  suggest(server: string, subject: CompletionSubject, typed: TypedValue): Promise<readonly string[]>;
}

export function createOffers(servers: () => readonly Server[], named: (name: string) => Server): Offers {
  const chosen = (name: string | undefined) => (name === undefined ? servers() : [named(name)]);
  return {
    prompts: (server) => chosen(server).flatMap(({ offers }) => offers.prompts),
    resources: (server) => chosen(server).flatMap(({ offers }) => offers.resources),
    prompt: async (server, prompt, args, signal) => named(server).offers.prompt(prompt, args, signal),
    read: async (server, uri, signal) => named(server).offers.read(uri, signal),
    suggest: async (server, subject, typed) => named(server).offers.suggest(subject, typed),
  };
}
