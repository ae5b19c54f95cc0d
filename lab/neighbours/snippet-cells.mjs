// Zeph as the MCP server of a client: what `zeph mcp snippet` prints is written where it says, the client starts, and its model calls a tool of Zeph's.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

const NONE = { pi: "it has no MCP servers of its own" };
const NAMES = { claude: "claude-code" };
/** What a client's own shell and its own changes to files are called. */
const OWN_NAMES = {
  claude: ["Bash", "Edit", "Write", "NotebookEdit"],
  codex: ["exec_command", "write_stdin", "shell", "apply_patch"],
  gemini: ["run_shell_command", "write_file", "replace"],
  qwen: ["run_shell_command", "edit", "write_file", "notebook_edit"],
  opencode: ["bash", "edit", "write", "patch", "apply_patch"],
  copilot: ["bash", "write_bash", "create", "edit", "apply_patch"],
};
/** A call of its own shell. */
const OWN = {
  claude: { tool: "Bash", args: { command: "touch own", description: "x" } },
  codex: { tool: "exec_command", args: { cmd: "touch own" } },
  gemini: { tool: "run_shell_command", args: { command: "touch own" } },
  qwen: { tool: "run_shell_command", args: { command: "touch own", is_background: false } },
  opencode: { tool: "bash", args: { command: "touch own", description: "x" } },
  copilot: { tool: "bash", args: { command: "touch own", description: "x" } },
};

export const SNIPPET_CELL = {
  about: "`zeph mcp snippet`: Zeph's tools in the first request of the model, and a command through them; its own shell is there, too",
  good: "offered at once, ran, output read, audit ok; own tools offered",
  not: NONE,
  run: async (open, client) =>
    told(await open.alone({ hooks: false, after: (place) => write(place), steps: [zephs(client, "bash", TOUCH)] })),
};

export const SNIPPET_HTTP_CELL = {
  about: "the same with `--http`, for a server that runs already",
  good: "offered at once, ran, output read, audit ok; own tools offered",
  not: NONE,
  run: async (open, client) => told(await open.alone({ hooks: false, after: writeHttp, steps: [zephs(client, "bash", TOUCH)] })),
};

export const SNIPPET_SLOW_CELL = {
  about: "the same, with a server behind Zeph that does not answer for five seconds; for Codex without `required`",
  good: "offered at once, ran, output read, audit ok; own tools offered",
  not: NONE,
  async run(open, client) {
    const rules = '[[mcp.servers]]\nname = "slow"\ncommand = "/bin/sh"\nargs = ["-c", "sleep 5"]\n';
    const after = (place) => {
      write(place);
      const file = join(place.home, ".codex/config.toml");
      if (existsSync(file)) writeFileSync(file, readFileSync(file, "utf8").replace("required = true\n", ""));
    };
    return told(await open.alone({ hooks: false, rules, after, steps: [zephs(client, "bash", TOUCH)] }));
  },
};

export const SNIPPET_OFF_CELL = {
  about: "with `--own-tools-off` and `--asked-by-client`: a file written through Zeph; its own shell is called and does nothing",
  good: "offered at once, ran, output read, audit ok, asked by the client; own tools not offered, own shell not run",
  not: NONE,
  async run(open, client) {
    const argv = [...client.alone];
    const after = (place) => {
      write(place, "--asked-by-client");
      argv.push(...write(place, "--own-tools-off"));
    };
    const steps = [zephs(client, "write", { path: "ran", content: "x" }), OWN[client.client]];
    const ended = await open.alone({ hooks: false, after, argv, steps });
    return `${told(ended)}, ${existsSync(join(ended.place.work, "own")) ? "own shell run" : "own shell not run"}`;
  },
};

const TOUCH = { command: "touch ran" };

/** A tool of Zeph's, under the name that this client gives to a tool of a server. */
const zephs = ({ mcpTool: { tool, namespace } }, name, args) => ({
  tool: tool.replace("near", "zeph").replace("mark", name),
  ...(namespace && { namespace: namespace.replace("near", "zeph") }),
  args,
});

function told({ place, model }) {
  const [call] = model.calls;
  const isOffered = model.offered.some(({ name, namespace }) => name === call?.name && namespace === call?.namespace);
  const read =
    model.read[0] === undefined ? "nothing read" : /tool_error|not found|denied/i.test(model.read[0]) ? "refusal read" : "output read";
  const line = place.audit().find(({ kind }) => kind === "call");
  const isOwn = (name) => OWN_NAMES[place.client].includes(name);
  const own = model.offered.some(({ name, namespace }) => namespace === undefined && isOwn(name)) || [...model.beside].some(isOwn);
  const ran = existsSync(join(place.work, "ran")) ? "ran" : "not run";
  const audit = `audit ${line?.outcome ?? "none"}${line?.grant === "client" ? ", asked by the client" : ""}`;
  return `${isOffered ? "offered at once" : "not offered at once"}, ${ran}, ${read}, ${audit}; own tools ${own ? "offered" : "not offered"}`;
}

/** As a person would who reads what is printed. Returns the words that the client is to be started with besides. */
function write(place, ...words) {
  withZeph(place);
  const { status, stdout, stderr } = place.zeph("mcp", "snippet", NAMES[place.client] ?? place.client, ...words);
  if (status !== 0) throw new Error(`zeph mcp snippet ended with ${status}: ${stderr.trim()}`);
  return put(place, stderr.split("\n")[0].replace(/^[^:]*: /, ""), stdout.trim());
}

function put(place, where, text) {
  if (where.startsWith("a command")) {
    const [program, ...words] = text.split(" ");
    if (program === place.client && words[0].startsWith("-")) return words;
    const { status, stdout, stderr } = spawnSync("sh", ["-c", text], {
      cwd: place.work,
      env: place.env,
      encoding: "utf8",
      timeout: 60_000,
    });
    if (status !== 0) throw new Error(`${text} ended with ${status}: ${stderr.trim() || stdout.trim()}`);
    return [];
  }
  const [path] = where.split(/,| in the project/);
  const file = path.startsWith("~/") ? join(place.home, path.slice(2)) : join(place.work, path);
  mkdirSync(dirname(file), { recursive: true });
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  const isJson = text.startsWith("{");
  writeFileSync(file, isJson ? JSON.stringify(merged(before === "" ? {} : JSON.parse(before), JSON.parse(text))) : `${before}\n${text}\n`);
  return [];
}

async function writeHttp(place) {
  withZeph(place);
  const token = "a-token-for-this-test-only";
  place.env.ZEPH_MCP_TOKEN = token;
  const url = await new Promise((resolve, reject) => {
    const { env, work: cwd } = place;
    const zeph = join(place.package, "bin/zeph.cjs");
    const server = spawn(process.execPath, [zeph, "mcp", "--http", "--port", "0"], { env, cwd, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    server.stderr.on("data", (piece) => {
      said += piece;
      const [found] = /http:\S+/.exec(said) ?? [];
      if (found) resolve(found);
    });
    server.once("error", reject);
    server.once("exit", () => reject(new Error(said)));
  });
  const { stdout, stderr } = place.zeph("mcp", "snippet", NAMES[place.client] ?? place.client, "--http");
  const text = stdout.trim().replace("http://127.0.0.1:7344/mcp", url).replace("<token>", token);
  put(place, stderr.split("\n")[0].replace(/^[^:]*: /, ""), text);
}

/** `zeph` is found by its name, as after an installation. */
function withZeph(place) {
  const bin = join(place.home, "bin");
  if (existsSync(bin)) return;
  mkdirSync(bin);
  symlinkSync(join(place.package, "bin/zeph.cjs"), join(bin, "zeph"));
  place.env.PATH = `${bin}${delimiter}${place.env.PATH}`;
}

function merged(one, other) {
  for (const [name, value] of Object.entries(other)) one[name] = isTable(value) && isTable(one[name]) ? merged(one[name], value) : value;
  return one;
}
const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
