import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSocket } from "node:net";
import { join } from "node:path";

/** What servers talk to, on this machine's loopback. Each has an address and an end; null where it cannot be had here. */
export const SERVICES = { postgres: openPostgres, context7: openContext7 };

const PROGRAMS = "/usr/lib/postgresql/15/bin";

async function openPostgres(base) {
  if (!existsSync(PROGRAMS)) return null;
  const port = await freePort();
  const folder = join(base, "postgres");
  mkdirSync(folder);
  // The database refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const [uid, gid] = isRoot ? idsOf("postgres") : [];
  if (isRoot) for (const path of [base, folder]) chmodSync(path, 0o755);
  if (isRoot) chownSync(folder, uid, gid);
  const run = (program, ...args) => execFileSync(join(PROGRAMS, program), args, { cwd: "/", stdio: "pipe", ...(isRoot && { uid, gid }) });
  run("initdb", "-D", join(folder, "data"), "-A", "trust", "-U", "tester");
  run("pg_ctl", "-D", join(folder, "data"), "-w", "-l", join(folder, "log"), "-o", `-p ${port} -k ${folder} -h 127.0.0.1`, "start");
  execFileSync("psql", [
    "-h",
    "127.0.0.1",
    "-p",
    String(port),
    "-U",
    "tester",
    "-c",
    "create table numbers as select unnest(array[41,1]) n",
    "postgres",
  ]);
  return {
    address: `postgresql://tester@127.0.0.1:${port}/postgres`,
    close: () => run("pg_ctl", "-D", join(folder, "data"), "-m", "immediate", "stop"),
  };
}

const idsOf = (user) => ["-u", "-g"].map((what) => Number(execFileSync("id", [what, user], { encoding: "utf8" })));

const freePort = () =>
  new Promise((resolve) => {
    const server = createSocket().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Knows one library. */
async function openContext7() {
  const library = {
    id: "/acme/teapot",
    title: "Teapot",
    description: "Brews tea",
    totalSnippets: 3,
    trustScore: 9,
    benchmarkScore: 90,
    versions: [],
  };
  const server = createServer((request, response) => {
    const isSearch = request.url.includes("search");
    response.writeHead(200, { "content-type": isSearch ? "application/json" : "text/plain" });
    response.end(isSearch ? JSON.stringify({ results: [library] }) : "brew(pot)");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
