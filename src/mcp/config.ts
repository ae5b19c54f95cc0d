import * as z from "zod";
import { setting } from "../core/setting.ts";
import { makeOnce } from "../text/make-once.ts";

const words = makeOnce(() => z.array(z.string()).default([]));
const texts = makeOnce(() => z.record(z.string(), z.string()).default({}));

/** A public name, or what is below it; `@registries` are those the person's package managers load from. The proxy refuses what could never be opened. */
const domain = makeOnce(() =>
  z
    .string()
    .regex(
      /^(?:@registries|(?:\*\.)?(?:[a-z0-9_-]{1,63}\.)+[a-z][a-z0-9-]{0,62})$/i,
      "is no public name; write `example.com` or `*.example.com`",
    ),
);

/** Nothing here says what "tighter" would mean, so a project nobody vouched for cannot name a server. */
const server = makeOnce(() =>
  z
    .strictObject({
      name: z
        .string()
        .regex(/^[a-z0-9](?:[a-z0-9_-]{0,30}[a-z0-9])?$/i, "letters, digits, - and _, at most 32, and no - or _ at an end")
        .refine((name) => !name.includes("__"), "no two _ together: they part the server's name from the tool's"),
      command: z.string().min(1).optional(),
      args: words(),
      env: texts(),
      url: z
        .url({ protocol: /^https?$/ })
        .optional()
        .describe("streamable HTTP"),
      headers: texts(),
      client_id: z.string().min(1).optional(),
      client_secret: z.string().min(1).optional(),
      trust: z.enum(["untrusted", "provisional", "trusted"]).default("provisional"),
      tools: z.array(z.string().min(1)).optional(),
      timeout_secs: z.int().min(1).max(3600).default(60),
      network: z.union([z.boolean(), z.literal("install"), z.array(domain()).min(1).max(100)]).default(false),
      allow_read: words(),
      allow_write: words(),
      sampling: z.union([z.boolean(), z.enum(["ask", "allow"])]).default(false),
    })
    .superRefine(({ command, url, args, env, headers, client_id, client_secret }, ctx) => {
      if ((command === undefined) === (url === undefined)) ctx.addIssue({ code: "custom", message: "give either command or url" });
      if (url !== undefined && (args.length > 0 || Object.keys(env).length > 0))
        ctx.addIssue({ code: "custom", message: "args and env are for a command; a url takes headers" });
      if (command !== undefined && client_id !== undefined) ctx.addIssue({ code: "custom", message: "client_id is for a url" });
      if (client_secret !== undefined && client_id === undefined)
        ctx.addIssue({ code: "custom", message: "client_secret needs a client_id" });
      if (command !== undefined && Object.keys(headers).length > 0)
        ctx.addIssue({ code: "custom", message: "headers are for a url; a command takes args and env" });
    }),
);

/** What one server with `sampling` may have of the model while Zeph runs. */
const samplingLimits = makeOnce(() =>
  z
    .strictObject({
      max_requests: setting(
        z.int().min(0).max(10_000).default(20),
        "Most requests of one server for the model while Zeph runs.",
        "smaller",
      ),
      max_tokens: setting(
        z.int().min(0).max(100_000_000).default(100_000),
        "Most tokens that one server may use of the model while Zeph runs, requests and answers together.",
        "smaller",
      ),
      max_answer_tokens: setting(
        z.int().min(1).max(1_000_000).default(4096),
        "Most tokens of one answer of the model to a server. It is cut there.",
        "smaller",
      ),
      timeout_secs: setting(
        z.int().min(1).max(3600).default(120),
        "How long the model may take for one answer to a server. The time of the person who is asked does not count.",
        "smaller",
      ),
    })
    .prefault({}),
);

export const mcpConfig = makeOnce(() =>
  z
    .strictObject({
      servers: setting(
        z
          .array(server())
          .superRefine((servers, ctx) => {
            const names = servers.map(({ name }) => name.toLowerCase());
            const twice = names.find((name, n) => names.indexOf(name) !== n);
            if (twice !== undefined) ctx.addIssue({ code: "custom", message: `two servers are named "${twice}"` });
          })
          .default([]),
        "MCP servers whose tools are offered, written as `[[mcp.servers]]`. See docs/mcp.md.",
      ),
      sampling: samplingLimits(),
    })
    .prefault({}),
);

/** A server of the configuration, with its defaults filled in. Written out, because programs see it: their compilers know nothing of our schemas. */
export interface ServerConfig {
  readonly name: string;
  readonly command?: string | undefined;
  readonly args: string[];
  readonly env: Record<string, string>;
  readonly url?: string | undefined;
  readonly headers: Record<string, string>;
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
  readonly trust: "untrusted" | "provisional" | "trusted";
  readonly tools?: string[] | undefined;
  readonly timeout_secs: number;
  /** `install`: closed, but for the fetching of its packages before its first start, which sees nothing of the person's. */
  readonly network: boolean | "install" | string[];
  readonly allow_read: string[];
  readonly allow_write: string[];
  /** Whether it may ask our model; `true` and `ask`: each time after a question to the person. */
  readonly sampling?: boolean | "ask" | "allow" | undefined;
}
