import { StoreError } from "../sqlite/error.ts";

/** Where a shared store is: the server's address without our own parameters, the schema in it, and how the place is shown. */
export interface StorePlace {
  readonly url: string;
  readonly schema: string;
  /** Without the password. */
  readonly shown: string;
}

/** Whether a store is a database server's and no file. */
export const isStoreUrl = (text: string): boolean => /^postgres(?:ql)?:\/\//i.test(text);

/** `postgres://user@host/database?schema=name`; the schema is `zeph` unless it is named. */
export function readStoreUrl(text: string): StorePlace {
  const url = parse(text);
  const schema = url.searchParams.get("schema") ?? "zeph";
  url.searchParams.delete("schema");
  const shown = new URL(url);
  shown.password = "";
  shown.search = "";
  if (!NAME.test(schema))
    throw new StoreError(shown.href, `The schema of ${shown.href} has to be letters, digits and _: "${schema}" is not.`);
  return { url: url.href, schema, shown: schema === "zeph" ? shown.href : `${shown.href}?schema=${schema}` };
}

/** What of an address nobody may read: its password, as it is written and as it is meant. */
export function secretsIn(url: string): readonly string[] {
  if (url === "") return [];
  const { password, searchParams } = parse(url);
  return [password, decodeURIComponent(password), searchParams.get("password") ?? ""].filter((one) => one !== "");
}

/** Tenants and schemas: they stand in settings of a connection, so they hold nothing that would have to be quoted there. */
const NAME = /^[a-z][a-z0-9_]{0,62}$/;
const TENANT = /^[a-z0-9][a-z0-9_.-]{0,62}$/;

/** Why this cannot be the name of a tenant, or null. */
export const wrongTenant = (name: string): string | null =>
  TENANT.test(name) ? null : `A tenant is named with up to 63 small letters, digits, "-", "_" and ".": "${name}" is not.`;

export function assertTenant(name: string): string {
  const wrong = wrongTenant(name);
  if (wrong !== null) throw new RangeError(wrong);
  return name;
}

function parse(text: string): URL {
  try {
    const url = new URL(text);
    if (isStoreUrl(text)) return url;
  } catch {
    // The message below says it.
  }
  throw new StoreError("the shared store", "A shared store is named by its address: postgres://user@host/database.");
}
