import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { AuthorizationServerMetadata, StoredOAuthClientInformation, StoredOAuthTokens } from "@modelcontextprotocol/client";
import * as z from "zod";
import { OwnFileError, readOwnFile } from "../../../files/own-file.ts";
import { makeOnce } from "../../../text/make-once.ts";

/** The grants of servers that the person signed in at. */
export interface Tokens {
  read(who: TokenOwner): OAuthGrant | undefined;
  /** Throws when it cannot be kept. */
  write(who: TokenOwner, grant: OAuthGrant): void;
  remove(who: TokenOwner): boolean;
}

export interface TokenOwner {
  readonly name: string;
  readonly url: string;
}

export interface OAuthGrant {
  readonly tokens?: StoredOAuthTokens;
  /** As whom we are known to the authorization server. */
  readonly client?: StoredOAuthClientInformation;
  readonly server?: GrantingServer;
}

export interface GrantingServer {
  readonly authorizationServerUrl: string;
  readonly authorizationServerMetadata?: AuthorizationServerMetadata;
  /** The resource that the tokens are for. */
  readonly resource?: string;
}

const MAX_GRANT = 64_000;
const MAX_FILE = 1_000_000;

const grants = makeOnce(() =>
  z.object({
    version: z.literal(1),
    servers: z.record(
      z.string(),
      z.looseObject({
        tokens: z.looseObject({ access_token: z.string(), token_type: z.string(), refresh_token: z.string().optional() }).optional(),
        client: z.looseObject({ client_id: z.string() }).optional(),
        server: z.looseObject({ authorizationServerUrl: z.url(), authorizationServerMetadata: z.looseObject({}).optional() }).optional(),
      }),
    ),
  }),
);

/** In a file that only the person can read, or in memory for null. The file is read anew each time: a login elsewhere counts here at once. */
export function createTokens(path: string | null, warn: (message: string) => void): Tokens {
  let memory: Record<string, OAuthGrant> = {};
  const all = (): Record<string, OAuthGrant> => (path === null ? memory : readAll(path, warn));
  const keep = (next: Record<string, OAuthGrant>): void => {
    if (path === null) memory = next;
    else writeAll(path, next);
  };
  return {
    read: (who) => all()[key(who)],
    write: (who, grant) => {
      if (JSON.stringify(grant).length > MAX_GRANT)
        throw new Error(`What the authorization server of "${who.name}" sent is too long to be kept.`);
      keep({ ...all(), [key(who)]: grant });
    },
    remove: (who) => {
      const { [key(who)]: gone, ...rest } = all();
      if (gone !== undefined) keep(rest);
      return gone !== undefined;
    },
  };
}

const key = ({ name, url }: TokenOwner): string => `${name} ${url}`;

function readAll(path: string, warn: (message: string) => void): Record<string, OAuthGrant> {
  try {
    // The SDK checks what is in it again when it uses it.
    const text = readOwnFile(path, { maxBytes: MAX_FILE, links: "refuse" }).bytes.toString("utf8");
    return grants().parse(JSON.parse(text)).servers as unknown as Record<string, OAuthGrant>;
  } catch (error) {
    if (error instanceof OwnFileError && error.reason === "missing") return {};
    // The reason is not told: it would quote what is in the file.
    const aside = `${path}.broken`;
    renameSync(path, aside);
    warn(`${path} could not be read, so nobody is signed in at an MCP server. It is kept as ${aside}.`);
    return {};
  }
}

/** A new file in place of the old one, so that it is whole at every moment. */
function writeAll(path: string, servers: Record<string, OAuthGrant>): void {
  const text = JSON.stringify({ version: 1, servers }, null, 1);
  if (text.length > MAX_FILE)
    throw new Error(`${path} would be longer than ${MAX_FILE} characters. Sign out at servers that are no longer used.`);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${randomUUID()}`;
  try {
    writeFileSync(next, text, { mode: 0o600, flag: "wx" });
    renameSync(next, path);
  } finally {
    rmSync(next, { force: true });
  }
}
