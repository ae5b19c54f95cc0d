import { type McpServer, ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from "@modelcontextprotocol/server";
import { TEXTS_CAPABILITY } from "./greeting.ts";
import type { Offer, OwnTexts } from "./offer.ts";

/** Adds the resources and prompts that a session has of its own. */
export function equipOwnTexts(server: McpServer, offer: () => Promise<Offer>): void {
  const own = async (): Promise<OwnTexts> => (await offer()).texts ?? NONE;
  const plain = server.server;
  plain.registerCapabilities(TEXTS_CAPABILITY);
  plain.setRequestHandler("resources/list", async () => ({ resources: [...(await own()).resources] }));
  plain.setRequestHandler("resources/templates/list", async () => ({ resourceTemplates: [] }));
  plain.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const text = await (await own()).read(uri);
    if (text === null) throw new ResourceNotFoundError(uri);
    return { contents: [{ uri, mimeType: "text/plain", text }] };
  });
  plain.setRequestHandler("prompts/list", async () => ({ prompts: [...(await own()).prompts] }));
  plain.setRequestHandler("prompts/get", async ({ params: { name, arguments: args = {} } }) => {
    const texts = await own();
    const text = await texts.prompt(name, args);
    if (text === null) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt "${name.slice(0, 100)}".`);
    const { description } = texts.prompts.find((one) => one.name === name) ?? {};
    return { ...(description !== undefined && { description }), messages: [{ role: "user", content: { type: "text", text } }] };
  });
}

const NONE: OwnTexts = { resources: [], prompts: [], read: async () => null, prompt: async () => null };
