import { acceptedContent, completable, inputRequired, type McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import * as z from "zod";
import { PNG } from "./conformance-tools.ts";

/** What the suite looks for and Zeph has not: resources, prompts, log levels. All of it is the SDK's. */
export function equip(server: McpServer): void {
  server.server.registerCapabilities({ logging: {}, completions: {}, resources: { subscribe: true } });
  server.registerResource("text", "test://static-text", { description: "A text", mimeType: "text/plain" }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "This is the content of the static text resource." }],
  }));
  server.registerResource("binary", "test://static-binary", { description: "A picture", mimeType: "image/png" }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: "image/png", blob: PNG }],
  }));
  server.registerResource("watched", "test://watched-resource", { description: "A text", mimeType: "text/plain" }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "Nothing new." }],
  }));
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { description: "Data by id", mimeType: "application/json" },
    async (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  );
  server.server.setRequestHandler("resources/subscribe", async () => ({}));
  server.server.setRequestHandler("resources/unsubscribe", async () => ({}));
  prompts(server);
}

const says = (text: string) => ({ role: "user", content: { type: "text", text } }) as const;

function prompts(server: McpServer): void {
  server.registerPrompt("test_simple_prompt", { description: "Simple" }, async () => ({
    messages: [says("This is a simple prompt for testing.")],
  }));
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "With arguments", argsSchema: z.object({ arg1: completable(z.string(), () => []), arg2: z.string() }) },
    async ({ arg1, arg2 }) => ({ messages: [says(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "With a resource", argsSchema: z.object({ resourceUri: z.string() }) },
    async ({ resourceUri }) => ({
      messages: [
        {
          role: "user",
          content: {
            type: "resource",
            resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." },
          },
        },
        says("Please process the embedded resource above."),
      ],
    }),
  );
  server.registerPrompt("test_prompt_with_image", { description: "With a picture" }, async () => ({
    messages: [{ role: "user", content: { type: "image", data: PNG, mimeType: "image/png" } }, says("Please analyze the image above.")],
  }));
  server.registerPrompt("test_input_required_result_prompt", { description: "Asks first" }, async (context) => {
    const given = acceptedContent<{ context: unknown }>(context.mcpReq.inputResponses, "user_context");
    if (given) return { messages: [says(String(given.context))] };
    const requestedSchema = { type: "object", properties: { context: { type: "string" } }, required: ["context"] } as const;
    return inputRequired({
      inputRequests: {
        user_context: inputRequired.elicit({
          message: "What context should the prompt use?",
          requestedSchema: { ...requestedSchema, required: [...requestedSchema.required] },
        }),
      },
    });
  });
}
