import { isRecord, record } from "../../../text/json.ts";
import { inALine, withoutHidden } from "../trust/hidden-text.ts";

/** A prompt of an MCP server: a text that a person has it write for them. */
export interface ServerPrompt {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
}

/** Something a prompt is to be given. */
export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

/** Something an MCP server lets others read. The address of a `template` has variables in braces. */
export interface ServerResource {
  readonly server: string;
  readonly kind: "resource" | "template";
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType?: string;
  readonly bytes?: number;
}

const LONGEST_NAME = 200;
const LONGEST_ADDRESS = 2000;
const LONGEST_DESCRIPTION = 500;
const MOST_ARGUMENTS = 50;

/** The prompts in a list. What cannot be typed as it looks, has the name of another one, or needs an argument that cannot be given is left out. */
export function promptsOf(server: string, wires: readonly unknown[]): ServerPrompt[] {
  const prompts = new Map<string, ServerPrompt>();
  for (const wire of wires) {
    if (!isRecord(wire) || !isPlain(wire.name, LONGEST_NAME) || prompts.has(wire.name)) continue;
    const given = Array.isArray(wire.arguments) ? wire.arguments : [];
    const args = given.slice(0, MOST_ARGUMENTS).flatMap((one): PromptArgument[] => {
      const { name, description, required } = record(one);
      return isPlain(name, LONGEST_NAME) ? [{ name, description: words(description), required: required === true }] : [];
    });
    if (needed(given) > needed(args)) continue;
    prompts.set(wire.name, { server, name: wire.name, description: words(wire.description, wire.title), arguments: args });
  }
  return [...prompts.values()];
}

const needed = (args: readonly unknown[]): number => args.filter((one) => record(one).required === true).length;

/** The resources in a list, or the templates. */
export function resourcesOf(server: string, kind: ServerResource["kind"], wires: readonly unknown[]): ServerResource[] {
  const resources = new Map<string, ServerResource>();
  for (const wire of wires) {
    const { uri, uriTemplate, name, title, description, mimeType, size } = record(wire);
    const address = kind === "resource" ? uri : uriTemplate;
    if (!isPlain(address, LONGEST_ADDRESS) || /\s/.test(address) || resources.has(address)) continue;
    resources.set(address, {
      server,
      kind,
      uri: address,
      name: words(title, name),
      description: words(description),
      ...(typeof mimeType === "string" && mimeType !== "" && { mimeType: inALine(mimeType, 100) }),
      ...(typeof size === "number" && Number.isSafeInteger(size) && size >= 0 && { bytes: size }),
    });
  }
  return [...resources.values()];
}

/** It is what it looks like, and not endless. */
export const isPlain = (text: unknown, most: number): text is string =>
  typeof text === "string" && text !== "" && text.length <= most && withoutHidden(text) === text && inALine(text, most) === text;

const words = (...said: readonly unknown[]): string => {
  const first = said.find((text) => typeof text === "string" && text.trim() !== "");
  return typeof first === "string" ? inALine(first, LONGEST_DESCRIPTION) : "";
};
