import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** What the servers do otherwise than they should. */
export interface Twists {
  /** Of the metadata, and of the answer to the login. */
  issuer?: string;
  iss?: string;
  state?: string;
  denied?: boolean;
  authorizationEndpoint?: string;
  registration?: "refused";
  refresh?: "refused" | "broken" | "echoed";
  /** The authorization server that the MCP server names. */
  movedTo?: string;
  /** The scope that calling a tool takes. */
  toolScope?: string;
}

export interface Seen {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly form: URLSearchParams;
}

/** An authorization server and an MCP server that takes its tokens, in one, on this machine. Only what a login needs of either. */
export async function authorizationServer() {
  const twists: Twists = {};
  const seen: Seen[] = [];
  const codes = new Map<string, URLSearchParams>();
  const good = new Map<string, string>();
  const refreshes = new Set<string>();
  let base = "";

  const grant = (scope: string) => {
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    good.set(access, scope);
    refreshes.add(refresh);
    return { access_token: access, token_type: "Bearer", expires_in: 3600, refresh_token: refresh, ...(scope && { scope }) };
  };

  const answers: Record<string, (seen: Seen, url: URL, body: string) => readonly [status: number, body?: unknown, headers?: object]> = {
    "/.well-known/oauth-protected-resource/mcp": () => [200, { resource: `${base}/mcp`, authorization_servers: [twists.movedTo ?? base] }],
    "/.well-known/oauth-authorization-server": () => [
      200,
      {
        issuer: twists.issuer ?? base,
        authorization_endpoint: twists.authorizationEndpoint ?? `${base}/authorize`,
        token_endpoint: `${base}/token`,
        registration_endpoint: `${base}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        authorization_response_iss_parameter_supported: true,
      },
    ],
    "/register": (_, __, body) =>
      twists.registration === "refused"
        ? [400, { error: "invalid_redirect_uri" }]
        : [201, { ...JSON.parse(body), client_id: randomUUID() }],
    "/authorize": (_, url) => {
      const asked = url.searchParams;
      const code = randomUUID();
      codes.set(code, asked);
      const back = new URL(asked.get("redirect_uri")!);
      if (twists.denied) back.searchParams.set("error", "access_denied");
      else back.searchParams.set("code", code);
      back.searchParams.set("state", twists.state ?? asked.get("state")!);
      back.searchParams.set("iss", twists.iss ?? base);
      return [302, undefined, { location: back.href }];
    },
    "/token": ({ form }) => {
      if (form.get("grant_type") === "refresh_token") {
        const token = form.get("refresh_token")!;
        if (twists.refresh === "broken") return [500, `oops ${token}`];
        if (twists.refresh === "echoed") return [400, { error: "invalid_grant", error_description: `not ${token}` }];
        if (twists.refresh === "refused" || !refreshes.delete(token)) return [400, { error: "invalid_grant" }];
        return [200, grant("")];
      }
      const asked = codes.get(form.get("code")!);
      codes.delete(form.get("code")!);
      const challenge = createHash("sha256").update(form.get("code_verifier")!).digest("base64url");
      const fits = ["client_id", "redirect_uri", "resource"].every((name) => form.get(name) === asked?.get(name));
      if (!asked || !fits || asked.get("code_challenge") !== challenge) return [400, { error: "invalid_grant" }];
      return [200, grant(asked.get("scope") ?? "")];
    },
    "/mcp": ({ headers }, _, body) => {
      const scope = good.get(headers.authorization?.replace(/^Bearer /, "") ?? "");
      if (scope === undefined)
        return [401, "", { "www-authenticate": `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"` }];
      const { id, method, params } = body === "" ? {} : JSON.parse(body);
      if (id === undefined) return [method === undefined ? 405 : 202];
      const wanted = twists.toolScope;
      if (method === "tools/call" && wanted !== undefined && !scope.split(" ").includes(wanted))
        return [403, "", { "www-authenticate": `Bearer error="insufficient_scope", scope="${wanted}"` }];
      const results: Record<string, unknown> = {
        initialize: {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: "guarded", version: "1" },
        },
        "tools/list": { tools: [{ name: "hello", inputSchema: { type: "object" } }] },
        "tools/call": { content: [{ type: "text", text: "hello" }] },
      };
      const result = results[method];
      return [200, { jsonrpc: "2.0", id, ...(result ? { result } : { error: { code: -32_601, message: "no such method" } }) }];
    },
  };

  const server = createServer(async (req, res) => {
    const url = new URL(req.url!, base);
    let body = "";
    for await (const chunk of req) body += chunk;
    const one = { path: url.pathname, headers: req.headers, form: new URLSearchParams(body) };
    seen.push(one);
    const [status, said, headers] = answers[url.pathname]?.(one, url, body) ?? [404];
    res.writeHead(status, { "content-type": "application/json", ...headers });
    res.end(said === undefined ? undefined : typeof said === "string" ? said : JSON.stringify(said));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    base,
    url: `${base}/mcp`,
    twists,
    seen,
    asked: (path: string) => seen.filter((one) => one.path === path),
    /** Every token that was given out is worth nothing from now on. */
    expire: () => good.clear(),
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((done) => server.close(() => done()));
    },
  };
}

/** Opens the page and agrees. What the browser shows at the end. */
export async function agree(url: string): Promise<Response> {
  const response = await fetch(url, { redirect: "manual" });
  const back = response.headers.get("location");
  return back === null ? response : fetch(back);
}
