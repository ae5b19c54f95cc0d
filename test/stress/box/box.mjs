// A developer's machine in small, where attacks and ordinary commands are tried. As root: namespaces of its own and an ordinary user made for it.
// Otherwise: the user one is, in a made-up home.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const repository = resolve(here, "../../..");
const USER = 1500;
const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Whether this process may make a machine of its own. */
const canEnter = () => {
  if (process.getuid?.() !== 0) return false;
  if (["ip", "nsenter", "setpriv"].some((name) => spawnSync("sh", ["-c", `command -v ${name}`]).status !== 0)) return false;
  return (
    spawnSync("unshare", ["-m", "-i", "-p", "-f", "-n", "--propagation", "private", "--mount-proc", "ip", "link", "set", "lo", "up"])
      .status === 0
  );
};

export const quote = (text) => `'${String(text).replaceAll("'", `'\\''`)}'`;

/** `template` is a script that fills a home; it is run once. */
export async function openBox({ template, extra = [] }) {
  const canary = `canary-${randomBytes(6).toString("hex")}`;
  const box = canEnter() ? await enterNamespaces(canary, extra) : await makeHome(canary);
  await box.serve();
  await box.asUser(fill(template, box.places), { home: "empty" });
  box.keep();
  return box;
}

/** `{{name}}` in a script stands for a place of the box. */
export const fill = (text, places) =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name) => {
    if (!(name in places)) throw new Error(`{{${name}}} is no place of the box.`);
    return places[name];
  });

const variables = ({ places: { home, run, agent, docker, canary, path } }, user = "dev") => ({
  HOME: home,
  USER: user,
  LOGNAME: user,
  SHELL: "/bin/bash",
  TERM: "xterm",
  LANG: "C.UTF-8",
  XDG_RUNTIME_DIR: run,
  SSH_AUTH_SOCK: agent,
  DOCKER_HOST: `unix://${docker}`,
  DBUS_SESSION_BUS_ADDRESS: `unix:path=${run}/bus`,
  DISPLAY: ":0",
  GITHUB_TOKEN: canary,
  AWS_SECRET_ACCESS_KEY: canary,
  PATH: path,
});

const pathOf = (home, node) =>
  [".local/bin", ".nvm/versions/node/v20.0.0/bin", ".cargo/bin", "sdk/go/bin", "go/bin", ".pyenv/shims", ".local/share/mise/shims"]
    .map((folder) => join(home, folder))
    .concat(node, SYSTEM_PATH)
    .join(":");

/** Namespaces of its own: the home is /home/dev, and the sockets lie where they do on a real machine. */
async function enterNamespaces(canary, extra) {
  const outer = spawn(
    "unshare",
    [
      ..."-m -i -p -f -n --propagation private --mount-proc --kill-child".split(" "),
      "/bin/bash",
      join(here, "enter.sh"),
      repository,
      realpathSync(process.execPath),
      String(USER),
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  await said(outer, "ready");
  const [pid] = readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, "utf8").trim().split(" ");
  const inside = ["-t", pid, "-m", "-i", "-p", "-n", "--"];
  const places = {
    home: "/home/dev",
    run: `/run/user/${USER}`,
    agent: "/tmp/ssh-agent/agent.1",
    docker: "/run/docker.sock",
    systemBus: "/run/dbus/system_bus_socket",
    x11: "/tmp/.X11-unix/X0",
    abstract: "zeph-box",
    port: "4711",
    zeph: "/mnt/node/bin/node /mnt/zeph/bin/zeph.cjs",
    path: pathOf("/home/dev", "/mnt/node/bin"),
    canary,
  };
  const asRoot = (script) => execFileSync("nsenter", [...inside, "/bin/bash", "-c", script], { stdio: ["ignore", "pipe", "inherit"] });
  const becoming = (who) => {
    const id = who === "eve" ? USER + 1 : USER;
    const env = variables({ places: who === "eve" ? { ...places, home: "/home/eve", run: `/run/user/${id}` } : places }, who);
    const given = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    return ["nsenter", ...inside, "setpriv", `--reuid=${id}`, `--regid=${id}`, "--clear-groups", "env", "-i", ...given];
  };
  asRoot(`mkdir -m 755 /tmp/ssh-agent; ${extra.join("\n")}`);
  return {
    kind: "namespaces",
    places,
    becoming,
    listening: [
      "127.0.0.1:80",
      "127.0.0.1:4711",
      "9.9.9.2:80",
      "9.9.9.2:443",
      "169.254.169.254:80",
      "192.168.7.7:4711",
      "172.17.0.1:4711",
      "udp:127.0.0.1:4712",
      "udp:9.9.9.2:53",
      "open:9.9.9.1:80",
    ],
    serve() {
      return serve(this, ["nsenter", ...inside, "/mnt/node/bin/node", "/mnt/zeph/test/stress/box/services.mjs"]);
    },
    asUser: (script) => runScript(becoming("dev"), script),
    keep: () => asRoot("rm -rf /mnt/kept && mkdir /mnt/kept && cp -a /home/dev/. /mnt/kept/"),
    /** Ends what the last row left running, and puts home and /tmp back. */
    reset: () =>
      asRoot(`for p in /proc/[0-9]*; do [ "$(stat -c %u $p 2>/dev/null)" -ge ${USER} ] 2>/dev/null && [ "$(stat -c %u $p)" -le ${USER + 1} ] && kill -9 \${p#/proc/}; done 2>/dev/null
find /home/dev /home/eve /dev/shm /run/user/${USER} /run/user/${USER + 1} -mindepth 1 -maxdepth 1 ! -name bus -exec rm -rf {} +
find /tmp -mindepth 1 -maxdepth 1 ! -name .X11-unix ! -name ssh-agent -exec rm -rf {} +
ipcrm -a 2>/dev/null; cp -a /mnt/kept/. /home/dev/`),
    close() {
      outer.stdin.end();
      outer.kill("SIGKILL");
    },
  };
}

/** No rights to make a machine: a home, and sockets in it. */
async function makeHome(canary) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-box-")));
  const [home, kept, run] = ["home", "kept", "run"].map((name) => join(root, name));
  for (const folder of [home, kept, run]) mkdirSync(folder, { mode: 0o700 });
  const places = {
    home,
    run,
    agent: join(run, "agent.1"),
    docker: join(run, "docker.sock"),
    systemBus: join(run, "system_bus_socket"),
    x11: join(run, "X0"),
    abstract: `zeph-box-${process.pid}`,
    port: String(20_000 + (process.pid % 20_000)),
    zeph: `${process.execPath} ${join(repository, "bin/zeph.cjs")}`,
    path: pathOf(home, dirname(process.execPath)),
    canary,
  };
  const becoming = () => ["env", "-i", ...Object.entries(variables({ places })).map(([name, value]) => `${name}=${value}`)];
  const empty = (folder) => {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
  };
  return {
    kind: "home",
    places,
    becoming,
    listening: [`127.0.0.1:${places.port}`],
    serve() {
      return serve(this, [process.execPath, join(here, "services.mjs")]);
    },
    asUser: (script) => runScript(becoming(), script),
    keep: () => cpSync(home, kept, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true }),
    reset() {
      spawnSync("chmod", ["-R", "u+rwX", home]);
      empty(home);
      cpSync(kept, home, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
      chmodSync(home, 0o700);
    },
    close() {
      spawnSync("chmod", ["-R", "u+rwX", root]);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function serve(box, [file, ...args]) {
  const { agent, docker, systemBus, x11, run, abstract, canary } = box.places;
  const sockets = [agent, docker, systemBus, x11, `${run}/bus`, `@${abstract}`, ...box.listening];
  const services = spawn(file, [...args, canary, ...sockets], { stdio: ["pipe", "pipe", "inherit"] });
  await said(services, "listening");
  const { close } = box;
  box.close = () => {
    services.stdin.end();
    services.kill();
    close.call(box);
  };
}

/** Runs a script to its end, both streams together, killed when it takes too long. Never throws. */
export function runScript([file, ...args], script, { seconds = 20 } = {}) {
  return new Promise((done) => {
    const child = spawn(file, [...args, "timeout", "-k", "2", String(seconds), "/bin/bash", "-c", script], {
      stdio: ["ignore", "pipe", "pipe"],
      cwd: "/",
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text = (text + chunk).slice(-200_000)));
    // What it left in the background may hold the streams open.
    child.on("exit", (code) => setTimeout(() => done({ code, text }), 30));
  });
}

/** Resolves when a child has printed a word. */
export function said(child, word) {
  return new Promise((resolve, reject) => {
    let seen = "";
    child.stdout.on("data", (chunk) => {
      seen += chunk;
      if (seen.includes(word)) resolve();
    });
    child.once("exit", (code) => reject(new Error(`It ended with ${code} before it said ${word}: ${seen}`)));
  });
}
