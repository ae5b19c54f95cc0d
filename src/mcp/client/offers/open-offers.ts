import type { Pins } from "../../../core/ports/store.ts";
import type { AnyTool } from "../../../core/tool.ts";
import { compileGlob } from "../../../text/glob.ts";
import { waitAtMost } from "../../../text/wait-within.ts";
import type { ServerConfig } from "../../config.ts";
import type { Connection } from "../connection/connection.ts";
import type { ChangedList } from "../connection/handshake.ts";
import type { CompletionSubject, TypedValue } from "../connection/offer-requests.ts";
import type { Reconnector } from "../connection/reconnect.ts";
import { tellClosedNetwork } from "../network-words.ts";
import { type RunTool, toolOf } from "../tools.ts";
import { askServer } from "./ask-server.ts";
import { suggestValues } from "./completion.ts";
import type { ServerPrompt, ServerResource } from "./offer-list.ts";
import { type PromptText, promptText, type ResourceContent, resourceContents } from "./offer-texts.ts";
import { resourceTools } from "./resource-tools.ts";
import { ServerOffers } from "./server-offers.ts";
import type { OfferCounts } from "./stored-offers.ts";

/** What one server has besides tools, and how a person asks for it. */
export interface OpenOffers {
  readonly counts: OfferCounts;
  readonly prompts: readonly ServerPrompt[];
  readonly resources: readonly ServerResource[];
  /** Tools for its resources, each with what it is known by; none while it has no resources. */
  tools(taken: ReadonlySet<string>): readonly (readonly [hash: string, make: () => AnyTool])[];
  /** A connection is new: what it offers is read behind everybody's back. */
  begin(connection: Connection): void;
  heardChange(list: ChangedList, connection: Connection, isCurrent: () => boolean): void;
  /** Waits for what is being read, and not for long. */
  settled(connection: Connection): Promise<void>;
  prompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<PromptText>;
  read(uri: string, signal: AbortSignal): Promise<readonly ResourceContent[]>;
  suggest(subject: CompletionSubject, typed: TypedValue): Promise<readonly string[]>;
  close(): void;
}

export interface OpenOffersParts {
  readonly pins: Pins;
  readonly keeper: () => Reconnector;
  readonly needsLogin: (thrown: unknown) => boolean;
  readonly scrub: (text: string) => string;
  readonly warn: (message: string) => void;
  /** Takes out of a text what the server was given in confidence. */
  readonly conceal: () => Promise<(text: string) => string>;
  readonly changed: () => void;
}

const LONGEST_WAIT_MS = 5000;

export async function openOffers(config: ServerConfig, parts: OpenOffersParts): Promise<OpenOffers> {
  const { name } = config;
  const { scrub, needsLogin, conceal } = parts;
  const known = await ServerOffers.open(config, parts);
  const ask = <T>(signal: AbortSignal, work: (connection: Connection) => Promise<T>): Promise<T> =>
    askServer({ server: name, keeper: parts.keeper(), scrub, needsLogin }, signal, work);
  const globs = config.tools?.map((pattern) => compileGlob(pattern, { flavour: "text", letters: "exact" }));
  const settled = (connection: Connection) => waitAtMost(known.read(connection), LONGEST_WAIT_MS);
  const concealing =
    (run: RunTool): RunTool =>
    async (...given) => {
      const [output, hide] = [await run(...given), await conceal()];
      return { ...output, text: hide(output.text) };
    };
  const tools = resourceTools({
    server: name,
    ask,
    known: async (connection) => {
      await settled(connection);
      return known.resources;
    },
  }).map(({ definition, run }) => {
    const guarded = tellClosedNetwork(concealing(run), config);
    return { tool: definition.tool, hash: definition.hash, make: () => toolOf(name, definition, guarded) };
  });
  return {
    get counts() {
      return known.counts;
    },
    get prompts() {
      return known.prompts;
    },
    get resources() {
      return known.resources;
    },
    tools: (taken) =>
      known.counts.resources + known.counts.templates === 0
        ? []
        : tools
            .filter(({ tool }) => !taken.has(tool) && (globs?.some((matches) => matches(tool)) ?? true))
            .map(({ hash, make }) => [hash, make] as const),
    begin: (connection) => known.begin(connection),
    heardChange: (list, connection, isCurrent) => {
      if (list !== "tools") known.heardChange(list, connection, isCurrent);
    },
    settled,
    async prompt(prompt, args, signal) {
      const { text, isCut } = promptText(name, await ask(signal, ({ offers }) => offers.prompt(prompt, args, signal)));
      return { text: (await conceal())(text), isCut };
    },
    async read(uri, signal) {
      const contents = resourceContents(await ask(signal, ({ offers }) => offers.resource(uri, signal)), uri);
      const hide = await conceal();
      return contents.map((content) => ("text" in content ? { ...content, text: hide(content.text) } : content));
    },
    suggest: (subject, typed) => suggestValues((signal) => parts.keeper().get(signal, "in turn"), subject, typed),
    close: () => known.close(),
  };
}
