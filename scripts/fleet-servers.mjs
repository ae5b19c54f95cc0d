// Starts PostgreSQL and NATS for tests, benchmarks and `npm run fleet:try`: in a folder of their own, on free ports of the loopback, ended by whoever started them.
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PG_BASE = "/usr/lib/postgresql";
const OLDEST = 15;

/** Where the programs of PostgreSQL are; null where it is missing or too old. */
export function findPostgres() {
  const versions = existsSync(PG_BASE)
    ? readdirSync(PG_BASE)
        .map(Number)
        .filter((n) => n >= OLDEST)
    : [];
  return (
    versions
      .sort((a, b) => a - b)
      .map((n) => `${PG_BASE}/${n}/bin`)
      .find((bin) => existsSync(`${bin}/initdb`)) ?? null
  );
}
export const findNats = () =>
  ["/usr/sbin/nats-server", "/usr/local/bin/nats-server", "/usr/bin/nats-server"].find((path) => existsSync(path)) ?? null;

/** PostgreSQL does not run as root. Its package brings a user. */
const USER = process.getuid?.() === 0 ? idOf("postgres") : null;
function idOf(name) {
  const ask = (what) => Number(spawnSync("id", [what, name], { encoding: "utf8" }).stdout.trim());
  return { uid: ask("-u"), gid: ask("-g") };
}
const asUser = USER ? { uid: USER.uid, gid: USER.gid } : {};

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function makeFolder(path) {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (USER) chownSync(path, USER.uid, USER.gid);
  return path;
}

function run(program, args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      ...asUser,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env, LC_ALL: "C.UTF-8" },
      cwd: "/",
    });
    let said = "";
    child.stdout.on("data", (d) => (said += d));
    child.stderr.on("data", (d) => (said += d));
    child.on("error", reject);
    // A daemon may keep the pipes: its starter's end is what counts.
    child.on("exit", (code) => (code === 0 ? resolve(said) : reject(new Error(`${program} ${args.join(" ")}: ${said}`))));
  });
}

/** Does `then` when this process is gone, however it ended, and what there was to end is still there. */
function whenGone(still, then) {
  const loop = `while [ -e /proc/${process.pid} ] && [ -e '${still}' ]; do sleep 2; done; [ -e '${still}' ] && { ${then}; }`;
  spawn("/bin/sh", ["-c", loop], { ...asUser, detached: true, stdio: "ignore", cwd: "/" }).unref();
}

/** A server of its own. `settings` are lines of postgresql.conf. With `standbyOf` it begins as a copy of that server and follows it. */
export async function startPostgres({ settings = [], standbyOf } = {}) {
  const bin = findPostgres();
  if (!bin) throw new Error(`PostgreSQL ${OLDEST} or newer is missing. Install it with: apt-get install postgresql-15`);
  const folder = makeFolder(mkdtempSync(join(tmpdir(), "zeph-pg-")));
  const data = join(folder, "data");
  const port = await freePort();
  const password = standbyOf?.password ?? randomBytes(12).toString("hex");
  if (standbyOf)
    await run(`${bin}/pg_basebackup`, ["-h", "127.0.0.1", "-p", String(standbyOf.port), "-U", "zeph", "-D", data, "-R", "-c", "fast"], {
      PGPASSWORD: password,
    });
  else {
    const secret = join(folder, "password");
    writeFileSync(secret, password, { mode: 0o600 });
    if (USER) chownSync(secret, USER.uid, USER.gid);
    await run(`${bin}/initdb`, [
      "-D",
      data,
      "-U",
      "zeph",
      "-A",
      "scram-sha-256",
      "--pwfile",
      secret,
      "-E",
      "UTF8",
      "--locale=C.UTF-8",
      "-N",
    ]);
  }
  writeFileSync(
    join(data, "postgresql.auto.conf"),
    [
      `port = ${port}`,
      "listen_addresses = '127.0.0.1'",
      "unix_socket_directories = ''",
      "max_connections = 200",
      "shared_buffers = '64MB'",
      "max_wal_size = '256MB'",
      ...(standbyOf ? [`primary_conninfo = 'host=127.0.0.1 port=${standbyOf.port} user=zeph password=${password}'`] : []),
      ...settings,
      "",
    ].join("\n"),
  );
  const ctl = (...args) => run(`${bin}/pg_ctl`, ["-D", data, "-l", join(folder, "log"), "-w", "-t", "120", ...args]);
  await ctl("start");
  whenGone(folder, `'${bin}/pg_ctl' -D '${data}' -m immediate stop; rm -rf '${folder}'`);
  const server = {
    port,
    password,
    folder,
    url: `postgres://zeph:${password}@127.0.0.1:${port}/postgres`,
    /** As after a crash: nothing is finished, and the next start recovers. */
    crash: () => ctl("stop", "-m", "immediate"),
    start: () => ctl("start"),
    /** It stands still, as a machine does that is paused: connections stay, and nothing is answered until `thaw`. */
    freeze: () => signalAll(data, "SIGSTOP"),
    thaw: () => signalAll(data, "SIGCONT"),
    promote: () => ctl("promote"),
    async stop() {
      signalAll(data, "SIGCONT");
      await ctl("stop", "-m", "immediate").catch(() => {});
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return server;
}

/** The server's first process, and all that it has started. */
function signalAll(data, signal) {
  const file = join(data, "postmaster.pid");
  if (!existsSync(file)) return;
  const first = Number(readFileSync(file, "utf8").split("\n")[0]);
  const parentOf = (pid) => Number(/^PPid:\s*(\d+)/m.exec(statusOf(pid))?.[1]);
  for (const pid of readdirSync("/proc").map(Number))
    if (pid === first || parentOf(pid) === first)
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended meanwhile.
      }
}
function statusOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}

/** `nodes` servers that know each other. `args` are further options of nats-server. */
export async function startNats({ nodes = 1, args = [] } = {}) {
  const program = findNats();
  if (!program) throw new Error("nats-server is missing. Install it with: apt-get install nats-server");
  const ports = [];
  for (let n = 0; n < nodes * 2; n++) ports.push(await freePort());
  const [clients, routes] = [ports.slice(0, nodes), ports.slice(nodes)];
  const others = routes.map((port) => `nats://127.0.0.1:${port}`).join(",");
  const all = clients.map((port, n) => {
    let child = null;
    return {
      port,
      async start() {
        const cluster = nodes > 1 ? ["--cluster_name", "zeph", "--cluster", `nats://127.0.0.1:${routes[n]}`, "--routes", others] : [];
        child = spawn(program, ["-n", `n${n + 1}`, "-a", "127.0.0.1", "-p", String(port), ...cluster, ...args], {
          ...asUser,
          stdio: ["ignore", "ignore", "pipe"],
          cwd: "/",
        });
        whenGone(`/proc/${child.pid}`, `kill ${child.pid}`);
        await new Promise((resolve, reject) => {
          let said = "";
          child.stderr.on("data", (d) => {
            said = (said + d).slice(-4000);
            if (said.includes("Server is ready")) resolve();
          });
          child.on("error", reject);
          child.on("exit", () => reject(new Error(`nats-server: ${said}`)));
        });
      },
      async stop() {
        const ended = child;
        child = null;
        if (!ended || ended.exitCode !== null) return;
        const over = new Promise((resolve) => ended.on("exit", resolve));
        ended.kill("SIGKILL");
        await over;
      },
    };
  });
  for (const node of all) await node.start();
  return {
    nodes: all,
    url: clients.map((port) => `nats://127.0.0.1:${port}`).join(","),
    stop: async () => void (await Promise.all(all.map((node) => node.stop()))),
  };
}
