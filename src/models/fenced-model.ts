import { randomUUID } from "node:crypto";
import type { Model, Prompt, ToolSpec } from "../core/ports/model.ts";
import type { RawRequest } from "../core/request.ts";
import { readArguments } from "./arguments.ts";
import { fencesOf } from "./fences.ts";
import { messagesInWords } from "./in-words.ts";

/** A model without tool use is told of the tools in words, and asks for calls with fenced blocks. They go through the same door. */
export function createFencedModel(model: Model): Model {
  return {
    ...model,
    fenced: true,
    async *stream(prompt, signal) {
      let text = "";
      for await (const event of model.stream(promptInWords(prompt), signal)) {
        if (event.type === "text") text += event.text;
        if (event.type === "request") continue;
        if (event.type !== "end") {
          yield event;
          continue;
        }
        const requests = event.finish === "refused" ? [] : requestsIn(text, prompt.tools);
        for (const request of requests) yield { type: "request", request };
        yield requests.length > 0 && event.finish !== "length" ? { ...event, finish: "calls" } : event;
      }
    },
  };
}

/** The same prompt without any tool in the protocol. */
export function promptInWords({ system, tools, messages, ...limits }: Prompt): Prompt {
  return {
    ...limits,
    system: tools.length === 0 ? system : `${system}\n\n${catalogue(tools)}`.trimStart(),
    tools: [],
    messages: messagesInWords(messages),
  };
}

const SHELL = ["bash", "sh"];
const has = (tools: readonly ToolSpec[], name: string) => tools.some((tool) => tool.name === name);

function catalogue(tools: readonly ToolSpec[]): string {
  const rules = [
    "You have no other interface for tools than fenced blocks in your answer. Close every block; each one is a call, and its result comes back as the next message, under [result of <tool>]. Then go on, or answer without a block when you are done.",
    ...(has(tools, "bash") ? ["A command to run:\n\n```bash\ngit status\n```"] : []),
    ...(has(tools, "web_scrape") ? ["A web page, with the arguments of web_scrape as JSON, in a block named scrape."] : []),
    `Any other tool: a block named like the tool, with its arguments as one JSON object:\n\n\`\`\`${example(tools)}\n{…}\n\`\`\``,
    "To show a block that is not to be run, put four marks around it.",
  ];
  const list = tools.map(
    ({ name, description, parameters }) =>
      `<tool name="${name}">\n${harmless(description)}\n${harmless(JSON.stringify(parameters))}\n</tool>`,
  );
  return `${rules.join("\n\n")}\n\n<tools>\n${list.join("\n")}\n</tools>`;
}

const example = (tools: readonly ToolSpec[]): string =>
  tools.find(({ name }) => name !== "bash" && name !== "web_scrape")?.name ?? tools[0]!.name;

/** A description from elsewhere must not end the catalogue. */
const harmless = (text: string) => text.replace(/<(\/?tools?\b)/gi, "‹$1");

function requestsIn(text: string, tools: readonly ToolSpec[]): RawRequest[] {
  return fencesOf(text).flatMap(({ info, body }): RawRequest[] => {
    const id = `fence_${randomUUID()}`;
    if (SHELL.includes(info) && has(tools, "bash")) return body.trim() === "" ? [] : [{ id, name: "bash", args: { command: body } }];
    const name = info === "scrape" ? "web_scrape" : info;
    return has(tools, name) ? [{ id, name, ...readArguments(body) }] : [];
  });
}
