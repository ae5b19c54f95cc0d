import { describe, expect, it } from "vitest";
import { available } from "../sandbox/support.ts";
import { box } from "./zeph.ts";

interface Wish {
  readonly program?: readonly [name: string, option: string];
  readonly env?: Readonly<Record<string, string>>;
}

/** What `zeph mcp test` says of a server that is this program. */
async function said(script: string, { program = ["node", "-e"], env = {} }: Wish = {}): Promise<string> {
  const here = box();
  const variables = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  here.config(
    `[[mcp.servers]]\nname = "one"\ncommand = "${program[0]}"\nargs = ["${program[1]}", ${JSON.stringify(script)}]\nenv = { ${variables.join(", ")} }\n`,
  );
  const { code, stdout, stderr } = await here.run(["mcp", "test", "one"]);
  expect(code).toBe(5);
  return stdout + stderr;
}

/** Answers the first question, and ends at the second with these words. */
const ENDS_LATER = `let n = 0; require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  if (method !== "initialize" && method !== "tools/list") return console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }));
  if (method === "tools/list") { console.error("the list broke\\nrun setup first"); process.exit(3); }
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "a", version: "1" } } }));
})`;

describe.runIf(available)("a server that ends says its last words", () => {
  it("when it ends before it is sent anything", async () => {
    const script = "echo first >&2; echo no database here >&2; exit 1";
    expect(await said(script, { program: ["sh", "-c"] })).toContain("ended (exit 1): first / no database here");
  });

  it("when it was connected, and ends while its tools are listed", async () => {
    expect(await said(ENDS_LATER)).toContain("ended (exit 3): the list broke / run setup first");
  });

  it("where they are on its standard output, and nothing else was said", async () => {
    expect(await said('console.log("Missing key. Set A_KEY."); process.exit(1)')).toMatch(
      /ended \(exit 1\): it wrote what is not the protocol: \\?"Missing key\. Set A_KEY\.\\?"/,
    );
  });

  it("of which no more than a few lines, nothing that a terminal obeys, and no secret of its own", async () => {
    const text = await said('console.error("x".repeat(9000) + "\\n\\u001b[2J\\u001b]0;t\\u0007 " + process.env.A_KEY); process.exit(1)', {
      env: { A_KEY: "hunter2-hunter2-hunter2" },
    });
    expect(text).toMatch(/ended \(exit 1\): /);
    expect(text.length).toBeLessThan(1500);
    expect(await said(`console.error("ghp_" + "0123456789abcdefABCDEF0123456789abcd" + " is bad"); process.exit(1)`)).not.toContain(
      "ghp_0123",
    );
    for (const part of ["hunter2", "\u001b", "\u0007"]) expect(text).not.toContain(part);
  });
});
