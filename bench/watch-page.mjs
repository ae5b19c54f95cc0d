// The real `zeph watch` over a log: how soon it is ready, how fast its pages come, and what it holds. For bench/watch.mjs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { timed } from "./measure.mjs";

const zeph = fileURLToPath(new URL("../bin/zeph.cjs", import.meta.url));

/** The pages whose speed is promised: the whole log, filters, words, and a page far behind. */
const LOG = [
  "/log",
  "/log?tool=read",
  "/log?outcome=denied&gate=permissions",
  "/log?q=module-777.",
  "/log?q=npm",
  "/log?q=src&tool=edit",
  "/log?session=session-7",
  "/log?caller=caller-3&outcome=failed",
  "/log?q=00000abc",
  "/log?from=83000",
];
const PAGES = ["/", "/kept", "/conversations"];
const ROUNDS = 10;

/** Starts it, opens every page, and ends it. Times in milliseconds, sizes in MB. */
export async function measurePage(cwd, env) {
  const began = performance.now();
  const child = spawn(process.execPath, [zeph, "watch", "--no-open", "--json"], { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  try {
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    const ready = performance.now() - began;
    const sizes = { ready: sizeOf(child.pid) };
    const { address, link } = JSON.parse(line);
    const body = `token=${link.split("#t=")[1]}`;
    const headers = { origin: address, "content-type": "application/x-www-form-urlencoded", accept: "text/html" };
    const { cookie } = await ask(address, { method: "POST", path: "/enter", headers, body });
    const see = (path) => ask(address, { path, headers: { cookie } });
    const first = await timed(() => see("/"));
    sizes.first = sizeOf(child.pid);
    for (const path of PAGES) await see(path);
    const log = [];
    for (let n = 0; n < ROUNDS; n++) for (const path of LOG) log.push(await timed(() => see(path)));
    sizes.log = sizeOf(child.pid);
    const [, mark] = /name="mark" value="([^"]+)"/.exec((await see("/log")).text);
    const verify = await timed(() =>
      ask(address, { method: "POST", path: "/verify", headers: { ...headers, cookie }, body: `${new URLSearchParams({ mark })}` }),
    );
    sizes.verify = sizeOf(child.pid);
    const one = () => see("/log/00000abc-0000-4000-8000-000000000000");
    const [call, callAgain] = [await timed(one), await timed(one)];
    sizes.judged = sizeOf(child.pid);
    await see("/rules");
    sizes.rules = sizeOf(child.pid);
    return { ready, first, log, verify, call, callAgain, sizes, most: sizeOf(child.pid, "VmHWM") };
  } finally {
    child.kill("SIGINT");
    await ended;
  }
}

function sizeOf(pid, what = "VmRSS") {
  const [, kilobytes] = new RegExp(`^${what}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(kilobytes) / 1024;
}

function ask(address, { method = "GET", path, headers, body }) {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address);
    const asked = request({ hostname, port, path, method, headers, agent: false }, async (answer) => {
      let text = "";
      for await (const piece of answer.setEncoding("utf8")) text += piece;
      if (answer.statusCode >= 400) reject(new Error(`${path}: ${answer.statusCode}`));
      else resolve({ text, cookie: answer.headers["set-cookie"]?.[0]?.split(";")[0] });
    });
    asked.on("error", reject).end(body);
  });
}
