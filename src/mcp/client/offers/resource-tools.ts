import { ToolError } from "../../../core/error.ts";
import type { ToolOutput } from "../../../core/tool.ts";
import { plural } from "../../../text/words.ts";
import type { Connection } from "../connection/connection.ts";
import { outputOf } from "../results.ts";
import type { RunTool } from "../tools.ts";
import { createDefinition, type Definition } from "../trust/definitions.ts";
import { isPlain, type ServerResource } from "./offer-list.ts";
import { resourceBlocks } from "./offer-texts.ts";
import { LIST_RESOURCES, READ_RESOURCE, resourceLine } from "./resource-words.ts";

export interface ResourceToolParts {
  readonly server: string;
  /** What there is now. */
  readonly known: (connection: Connection) => Promise<readonly ServerResource[]>;
  readonly ask: <T>(signal: AbortSignal, ask: (connection: Connection) => Promise<T>) => Promise<T>;
}

/** Tools of a server that it does not list itself: they are called, judged and written down like those it does. */
export function resourceTools({ server, known, ask }: ResourceToolParts): readonly { readonly definition: Definition; run: RunTool }[] {
  const list: RunTool = (_definition, { matching = "" }, { signal }) =>
    ask(signal, async (connection) => listText(await known(connection), String(matching)));
  const read: RunTool = (_definition, { uri }, { signal }) => {
    if (!isPlain(uri, LONGEST_ADDRESS)) throw new ToolError("invalid_parameters", "uri is the address of a resource, as it is listed.");
    return ask(signal, async (connection) => {
      const content = resourceBlocks(await connection.offers.resource(uri, signal), uri);
      if (content.length === 0) throw new ToolError("permanent_failure", `The MCP server "${server}" has nothing at ${uri}.`);
      const { walls } = connection;
      return outputOf({ content: content as never }, { server, ...(walls && { walls }), notes: connection.look() });
    });
  };
  return [
    {
      definition: createDefinition(LIST_RESOURCES, {
        name: LIST_RESOURCES,
        description: `Lists the resources of the MCP server "${server}": texts and data that ${READ_RESOURCE} reads, by their addresses (uri).`,
        inputSchema: {
          type: "object",
          properties: { matching: { type: "string", maxLength: 200, description: "only those with this in their address or name" } },
          additionalProperties: false,
        },
      }),
      run: list,
    },
    {
      definition: createDefinition(READ_RESOURCE, {
        name: READ_RESOURCE,
        description: `Reads a resource of the MCP server "${server}" by its uri, which ${LIST_RESOURCES} shows. Variables in braces are filled in first.`,
        inputSchema: {
          type: "object",
          properties: { uri: { type: "string", maxLength: LONGEST_ADDRESS } },
          required: ["uri"],
          additionalProperties: false,
        },
      }),
      run: read,
    },
  ];
}

const LONGEST_ADDRESS = 2000;

function listText(all: readonly ServerResource[], matching: string): ToolOutput {
  const wanted = matching.toLowerCase();
  const found = all.filter(({ uri, name, description }) => `${uri}\n${name}\n${description}`.toLowerCase().includes(wanted));
  const head = `${plural(found.length, "resource")}${found.length === all.length ? "" : ` of ${all.length}`}`;
  return { text: [head, ...found.map(resourceLine)].join("\n") };
}
