import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

// The packages have a folder of their own: it holds other versions of zod and ajv than ours, which tests must not import by accident.

/** Everything that the peers are installed in. A server behind the walls has to be allowed to read it. */
export const peersFolder = fileURLToPath(new URL("./packages/node_modules", import.meta.url));

const inside = (path: string) => `${peersFolder}/${path}`;

/** The Node that some of them need, newer than the one the tests run with. */
export const node24 = (): string => inside(`node-linux-${process.arch}/bin/node`);

export const acpx = (): string => inside("acpx/dist/cli.js");
export const conformance = (): string => inside("@modelcontextprotocol/conformance/dist/index.js");
export const server = (name: "everything" | "filesystem" | "memory"): string =>
  inside(`@modelcontextprotocol/server-${name}/dist/index.js`);

const programs = [node24(), acpx(), conformance(), server("everything"), server("filesystem"), server("memory")];
const missing = programs.filter((path) => !existsSync(path));

/** For `describe.skipIf(!havePeers)`. Where everything has to be tested, missing peers are an error. */
export const havePeers: boolean = missing.length === 0;

if (!havePeers && process.env.REQUIRE_SANDBOX === "1")
  throw new Error(`Run npm ci --prefix test/peers/packages first: ${missing[0]} is missing.`);
