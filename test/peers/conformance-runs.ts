import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { passedIn, type Run } from "./conformance.ts";
import { runScenario, type Task } from "./conformance-client.ts";
import { conformance, node24 } from "./peers.ts";

/** The suite starts all scenarios at once. So many of them are worked on at a time. */
const TOGETHER = 4;

/** One run of many scenarios against our client, with the suite in a process of its own. `folder` is for what it leaves behind. */
export async function runClients(args: readonly string[], folder: string): Promise<Run> {
  const socket = join(folder, "socket");
  const ready = atMost(TOGETHER);
  const server = createServer({ allowHalfOpen: true }, (asking) => {
    let task = "";
    asking.setEncoding("utf8");
    asking.on("error", () => {});
    asking.on("data", (text) => {
      task += text;
    });
    asking.on("end", () => {
      void ready(() => runScenario(JSON.parse(task) as Task)).then(
        () => asking.end("ok"),
        (error: Error) => asking.end(error.stack ?? String(error)),
      );
    });
  });
  await new Promise<void>((done) => server.listen(socket, done));
  const ask = fileURLToPath(new URL("./conformance-ask.mjs", import.meta.url));
  const command = [node24(), ask, socket].map((part) => JSON.stringify(part)).join(" ");
  const all = [conformance(), "client", "--command", command, "--timeout", "90000", "-o", folder, ...args];
  try {
    // It ends with 1 when anything failed. What failed is in what it says.
    return await new Promise((resolve) => {
      execFile(node24(), all, { encoding: "utf8", maxBuffer: 50_000_000, timeout: 120_000 }, (_, out, err) =>
        resolve({ passed: passedIn(out), said: `${out}\n${err}` }),
      );
    });
  } finally {
    await new Promise((done) => server.close(done));
  }
}

function atMost(limit: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= limit) await new Promise<void>((turn) => waiting.push(turn));
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
}
