"use strict";
// The client of `zeph hookd` where native/zeph-hook.c does not run: the same wire, the same refusals. It reads two modules of Node's, for every call
// of an agent waits for it; what starts hookd is read when that is needed. Whatever goes wrong is told on stderr and ends with 2, which denies.
const { lstatSync, readFileSync } = require("node:fs");
const { connect } = require("node:net");

const REFUSED = 2;
const FAILED = 1;
/** A person chose that a failure lets calls run. A command has nothing that could follow. */
const isLenient = (words) => words[0] !== "exec" && process.env.ZEPH_HOOK_ON_FAILURE === "allow";
const START_MS = 2000;
const STEP_MS = 10;
const ANSWER_MS = 5000;
const LONGER_MS = 25_000;
const ROUNDS = 3;
const MOST = 8 * 1024 * 1024;
const LONGEST_FRAME = 64 * 1024 * 1024;
const HANDED_VARIABLES = ["TZ", "COLUMNS", "LINES", "NO_COLOR", "CI", "SOURCE_DATE_EPOCH", "NODE_ENV"];
const HANDED_ON = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGUSR1: 10, SIGUSR2: 12, SIGTERM: 15 };

class Refusal extends Error {
  /** A command has begun, and how it ended is not known. */
  isUnderWay = false;
}

const isOwnFolder = (path) => {
  try {
    const found = lstatSync(path);
    return found.isDirectory() && found.uid === process.getuid();
  } catch {
    return false;
  }
};

/** As src/front/hookd/socket-place.ts finds it. */
function folderOf({ XDG_RUNTIME_DIR: runtime, XDG_STATE_HOME: state, HOME: home }) {
  if (runtime?.startsWith("/") && isOwnFolder(runtime)) return `${runtime}/zeph`;
  if (state?.startsWith("/")) return `${state}/zeph/hook`;
  if (home?.startsWith("/")) return `${home}/.local/state/zeph/hook`;
  throw new Refusal("there is no home folder");
}

/** Where the socket is; null where there is none. Somebody else's is refused. */
function findSocket(folder) {
  const look = (path) => {
    try {
      return lstatSync(path);
    } catch {
      return null;
    }
  };
  const around = look(folder);
  if (!around) return null;
  if (!around.isDirectory() || around.uid !== process.getuid() || (around.mode & 0o077) !== 0)
    throw new Refusal("the folder of its socket is not private");
  const socket = look(`${folder}/hook.sock`);
  if (socket && (!socket.isSocket() || socket.uid !== process.getuid())) throw new Refusal("its socket belongs to somebody else");
  return socket && `${folder}/hook.sock`;
}

const tryConnect = (folder) =>
  new Promise((resolve, reject) => {
    let path;
    try {
      path = findSocket(folder);
    } catch (error) {
      return reject(error);
    }
    if (path === null) return resolve(null);
    const socket = connect(path);
    socket.once("connect", () => resolve(socket.off("error", resolve)));
    socket.once("error", () => resolve(null));
  });

function startHookd() {
  const { spawn } = require("node:child_process");
  spawn(process.execPath, [`${__dirname}/zeph.cjs`, "hookd"], { detached: true, stdio: "ignore", cwd: "/" })
    .on("error", () => {})
    .unref();
}

async function connectHookd(folder) {
  const first = await tryConnect(folder);
  if (first) return first;
  startHookd();
  for (const until = Date.now() + START_MS; Date.now() < until; ) {
    const socket = await tryConnect(folder);
    if (socket) return socket;
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
  throw new Refusal("zeph hookd did not start");
}

function frame(letter, bytes) {
  const head = Buffer.alloc(5);
  head.write(letter, 0, "latin1");
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/** One round with one hookd: the exit code, or "again" where another one is wanted. */
function ask(socket, line, stdin) {
  return new Promise((resolve, reject) => {
    let held = Buffer.alloc(0);
    let isTaken = false;
    let timer;
    const end = (settle) => {
      clearTimeout(timer);
      socket
        .removeAllListeners()
        .on("error", () => {})
        .destroy();
      for (const name of Object.keys(HANDED_ON)) process.removeAllListeners(name);
      settle();
    };
    const refuse = (why) => end(() => reject(Object.assign(new Refusal(why), { isUnderWay: isTaken })));
    const wait = (ms) => {
      clearTimeout(timer);
      timer = setTimeout(() => refuse("no answer in time"), ms);
    };
    const takes = {
      o: (bytes) => process.stdout.write(bytes),
      e: (bytes) => process.stderr.write(bytes),
      x: (bytes) => (bytes.length === 1 ? end(() => resolve(bytes[0])) : refuse("it said something that is no answer")),
      w: () => wait(LONGER_MS),
      a: () => (isTaken ? refuse("it said something that is no answer") : end(() => resolve("again"))),
      g() {
        clearTimeout(timer);
        if (isTaken) return;
        isTaken = true;
        if (!stdin) return;
        process.stdin.on("data", (bytes) => void (socket.write(frame("i", bytes)) || process.stdin.pause()));
        socket.on("drain", () => process.stdin.resume());
        process.stdin.once("end", () => socket.write(frame("i", Buffer.alloc(0))));
      },
    };
    socket.on("data", (chunk) => {
      held = Buffer.concat([held, chunk]);
      while (held.length >= 5 && !socket.destroyed) {
        const length = held.readUInt32BE(1);
        const take = takes[held.toString("latin1", 0, 1)];
        if (!take || length > LONGEST_FRAME) return refuse("it said something that is no answer");
        if (held.length < 5 + length) return;
        const bytes = held.subarray(5, 5 + length);
        held = held.subarray(5 + length);
        take(bytes);
      }
    });
    socket.on("error", () => {});
    socket.on("close", () =>
      refuse(isTaken ? "it ended while the command ran, and how far that came is not known" : "it ended without an answer"),
    );
    for (const [name, number] of Object.entries(HANDED_ON))
      process.on(name, () => (isTaken ? socket.write(frame("s", Buffer.from([number]))) : process.exit(128 + number)));
    wait(ANSWER_MS);
    socket.write(line);
  });
}

/** Nobody reads what is printed: the command ends with its reader, as a shell would say it. A hook that cannot answer has denied. */
function endWithReader(isExec) {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", ({ code }) => process.exit(isExec ? (code === "EPIPE" ? 128 + 13 : FAILED) : REFUSED));
}

/** How a failure ends in words. What is told of after a call was made. */
const unfinished = (words, lenient, error) => {
  if (words[0] === "exec") return error.isUnderWay ? "" : "; the command is not run";
  if (lenient) return "; on failure calls are let through";
  return words[1] === "post" ? "; the output of the call was not looked at" : "; the call is not made";
};

function readStdin() {
  const bytes = readFileSync(0);
  if (bytes.length > MOST) throw new Refusal("the call is longer than 8 MiB");
  return bytes.toString("utf8");
}

function execRequest(words) {
  const usage = () => new Refusal("usage: zeph-hook exec [--ticket t] -- <command>");
  let rest = words;
  let ticket;
  if (rest[0] === "--ticket" && rest.length > 1) [, ticket, ...rest] = rest;
  else if (rest.length === 1 && rest[0] !== "--") [ticket, ...rest] = rest;
  if (rest.length > 0 && rest[0] !== "--") throw usage();
  if (rest.length === 0 && ticket === undefined) throw usage();
  const env = Object.fromEntries(HANDED_VARIABLES.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  return { exec: rest.slice(1), ...(ticket !== undefined && { ticket }), env, stdin: true };
}

/** Whether somebody sits in front of whoever calls. */
function hasPerson() {
  try {
    require("node:fs").closeSync(require("node:fs").openSync("/dev/tty", "r+"));
    return require("node:tty").isatty(0) || /^\/dev\/(?:pts\/|tty)/.test(require("node:fs").readlinkSync(`/proc/${process.ppid}/fd/0`));
  } catch {
    return false;
  }
}

/** Returns the exit code. */
async function run(words) {
  const isExec = words[0] === "exec";
  if (!isExec && words.length !== 2) throw new Refusal("usage: zeph-hook <client> <event>");
  const { version } = JSON.parse(readFileSync(`${__dirname}/../package.json`, "utf8"));
  const head = {
    v: 1,
    frames: true,
    zeph: version,
    cwd: process.cwd(),
    tty: hasPerson(),
    pid: process.pid,
    ...(isLenient(words) && { lenient: true }),
  };
  const request = isExec ? execRequest(words.slice(1)) : { client: words[0], event: words[1], input: readStdin() };
  const line = `${JSON.stringify({ ...head, ...request })}\n`;
  if (Buffer.byteLength(line) > MOST) throw new Refusal("the call is longer than 8 MiB");
  const folder = folderOf(process.env);
  for (let round = 0; round < ROUNDS; round++) {
    const code = await ask(await connectHookd(folder), line, request.stdin);
    if (code !== "again") return code;
  }
  throw new Refusal("every hookd that answered is of another version");
}

/** `zeph exec`: the exit code, or null where no hookd can be had and nothing was run. */
async function runExec(words) {
  endWithReader(true);
  try {
    const code = await run(["exec", ...words]);
    process.stdin.destroy();
    return code;
  } catch (error) {
    if (error instanceof Refusal && error.message === "zeph hookd did not start") return null;
    process.stdin.destroy();
    process.stderr.write(`zeph did not answer (${error.message})${unfinished(["exec"], false, error)}\n`);
    return REFUSED;
  }
}

module.exports = { runExec };

if (require.main === module) {
  const words = process.argv.slice(2);
  const lenient = isLenient(words);
  endWithReader(words[0] === "exec");
  run(words).then(
    (code) => {
      process.exitCode = code;
      process.stdin.destroy();
    },
    (error) => {
      process.exitCode = lenient ? FAILED : REFUSED;
      process.stderr.write(`zeph did not answer (${error.message})${unfinished(words, lenient, error)}\n`);
      process.stdin.destroy();
    },
  );
}
