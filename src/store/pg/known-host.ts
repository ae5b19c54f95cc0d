import { lookup } from "node:dns/promises";
import { explainPg } from "./error.ts";
import { readStoreUrl } from "./place.ts";

/** A name that nobody knows is mostly a typing error when a program starts. Later it is a server that is away, and waited for. */
export async function assertKnownHost(address: string): Promise<void> {
  const { url, shown } = readStoreUrl(address);
  const { hostname } = new URL(url);
  if (hostname === "") return;
  try {
    await lookup(hostname.replace(/^\[|\]$/g, ""));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTFOUND") throw explainPg(shown, error);
  }
}
