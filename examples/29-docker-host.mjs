// Tools that act in a container: one function runs programs there, and files are judged and looked up there. Where no docker runs, a shell plays the container.
import assert from "node:assert";
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { createExecHost, createRuntime } from "zeph";
import { scratchFolder } from "./scratch/folder.mjs";

const container = process.env.ZEPH_EXAMPLE_CONTAINER; // docker run -d --network none --name box debian sleep infinity
const isReal = container !== undefined && spawnSync("docker", ["exec", container, "true"]).status === 0;
const prefix = isReal ? ["docker", "exec", "-i", container] : ["env"];

const host = createExecHost({
  name: isReal ? `docker ${container}` : "a container that is played",
  // Your own words: Zeph cannot try these walls. contained: no folder of the container is shared with a machine that somebody works on.
  walls: { name: "container without network", network: "closed", contained: true },
  exec: (argv, { stdin, signal, output }) =>
    new Promise((resolve, reject) => {
      const [program, ...args] = [...prefix, ...argv];
      const child = spawn(program, args, { signal });
      child.on("error", reject).on("close", (code) => resolve(code ?? 137));
      child.stdout.on("data", (chunk) => output(chunk, "stdout"));
      child.stderr.on("data", (chunk) => output(chunk, "stderr"));
      child.stdin.end(stdin);
    }),
});
const cwd = isReal ? "/tmp" : scratchFolder();
const log = scratchFolder();
const permissions = { write: [{ pattern: "*", action: "allow" }] };
const zeph = await createRuntime({
  cwd,
  host,
  store: "memory",
  config: { audit: { path: join(log, "audit.jsonl") }, tools: { permissions } },
});

assert((await zeph.call("write", { path: "hello.txt", content: "hello\n" })).ok);
const { output } = await zeph.call("bash", { command: "cat hello.txt" });
console.log(output.text, output.walls);
assert(output.text.includes("hello"));
assert(!(await zeph.call("read", { path: "/etc/passwd" })).ok); // outside the workspace there
await zeph.close();
