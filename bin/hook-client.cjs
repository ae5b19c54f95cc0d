"use strict";
// The client of `zeph hookd` where native/zeph-hook.c does not run: the same wire, the same refusals. It reads two modules of Node's, for every call
// of an agent waits for it; what starts hookd is read when that is needed. Whatever goes wrong is told on stderr and ends with 2, which denies.
// process.stdin and process.stdout are not touched on the way of a hook: Node makes a stream of each, which takes longer than the answer.
const { closeSync, lstatSync, openSync, readlinkSync, readSync, writeSync } = require("node:fs");

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
    const socket = require("node:net").connect(path);
    socket.once("connect", () => resolve(socket.off("error", resolve)));
    socket.once("error", () => resolve(null));
  });

function startHookd() {
  const { spawn } = require("node:child_process");
  // Code that the project names for other programs is not loaded into it.
  const { NODE_OPTIONS: _options, NODE_PATH: _path, NODE_REPL_EXTERNAL_MODULE: _module, ...env } = process.env;
  spawn(process.execPath, [`${__dirname}/zeph.cjs`, "hookd"], { detached: true, stdio: "ignore", cwd: "/", env })
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

const CLOCK = new Int32Array(new SharedArrayBuffer(4));

/** A command ends with the reader of its output, as a shell would say it. */
let endsWithReader = false;

/** All of it, also into a pipe that is full for now. A reader who is gone gets no more. */
function print(fd, bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if (error.code !== "EAGAIN" && endsWithReader) process.exit(error.code === "EPIPE" ? 128 + 13 : FAILED);
      if (error.code !== "EAGAIN") return;
      Atomics.wait(CLOCK, 0, 0, 5);
    }
  }
}

function frame(letter, bytes) {
  const head = Buffer.alloc(5);
  head.write(letter, 0, "latin1");
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/**
 * One round of a hook, without Node's event loop, which takes longer to begin than hookd to answer. A local socket is connected as soon as it is told
 * to; its descriptor is read and written as a file is. Null where nobody listens: then it is asked the long way.
 */
function askAtOnce(fd, line) {
  let until = Date.now() + ANSWER_MS;
  let rounds = 0;
  const wait = () => {
    if (Date.now() > until) throw new Refusal("no answer in time");
    // Most answers take a millisecond or two.
    Atomics.wait(CLOCK, 0, 0, rounds++ < 50 ? 0.2 : 5);
  };
  const patiently = (work) => {
    for (;;) {
      try {
        return work();
      } catch (error) {
        if (error.code !== "EAGAIN") throw new Refusal("it ended without an answer");
        wait();
      }
    }
  };
  let at = 0;
  try {
    at = writeSync(fd, line);
  } catch (error) {
    // A socket that nobody listens at any more.
    if (error.code !== "EAGAIN") return null;
  }
  while (at < line.length) at += patiently(() => writeSync(fd, line, at));
  let held = Buffer.alloc(0);
  for (const chunk = Buffer.allocUnsafe(65_536); ; ) {
    const read = patiently(() => readSync(fd, chunk));
    if (read === 0) throw new Refusal("it ended without an answer");
    held = Buffer.concat([held, chunk.subarray(0, read)]);
    while (held.length >= 5) {
      const [letter, length] = [held.toString("latin1", 0, 1), held.readUInt32BE(1)];
      if (!"oexwa".includes(letter) || length > LONGEST_FRAME) throw new Refusal("it said something that is no answer");
      if (held.length < 5 + length) break;
      const bytes = held.subarray(5, 5 + length);
      held = held.subarray(5 + length);
      if (letter === "a") return "again";
      if (letter === "w") until = Date.now() + LONGER_MS;
      if (letter === "x" && length !== 1) throw new Refusal("it said something that is no answer");
      if (letter === "x") return bytes[0];
      if (letter !== "w") print(letter === "o" ? 1 : 2, bytes);
    }
  }
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
      o: (bytes) => print(1, bytes),
      e: (bytes) => print(2, bytes),
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

/** How a failure ends in words. What is told of after a call was made. */
const unfinished = (words, lenient, error) => {
  if (words[0] === "exec") return error.isUnderWay ? "" : "; the command is not run";
  if (lenient) return "; on failure calls are let through";
  return words[1] === "post" ? "; the output of the call was not looked at" : "; the call is not made";
};

function readStdin() {
  const chunks = [];
  for (let length = 0; ; ) {
    const chunk = Buffer.allocUnsafe(65_536);
    let read = 0;
    try {
      read = readSync(0, chunk);
    } catch (error) {
      if (error.code === "EOF") break;
      if (error.code !== "EAGAIN") throw new Refusal("its input cannot be read");
      Atomics.wait(CLOCK, 0, 0, 5);
      continue;
    }
    if (read === 0) break;
    length += read;
    if (length > MOST) throw new Refusal("the call is longer than 8 MiB");
    chunks.push(chunk.subarray(0, read));
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Of the package: npm writes the name and the version first. */
function ownVersion() {
  const text = Buffer.allocUnsafe(2048);
  const fd = openSync(`${__dirname}/../package.json`, "r");
  const length = readSync(fd, text, 0, 2048, 0);
  closeSync(fd);
  const found = /"version"\s*:\s*"([^"]+)"/.exec(text.toString("latin1", 0, length));
  if (!found) throw new Refusal("package.json has no version");
  return found[1];
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
    closeSync(openSync("/dev/tty", "r+"));
    return require("node:tty").isatty(0) || /^\/dev\/(?:pts\/|tty)/.test(readlinkSync(`/proc/${process.ppid}/fd/0`));
  } catch {
    return false;
  }
}

/** Returns the exit code. */
async function run(words) {
  const isExec = words[0] === "exec";
  endsWithReader = isExec;
  if (!isExec && words.length !== 2) throw new Refusal("usage: zeph-hook <client> <event>");
  const head = {
    v: 1,
    frames: true,
    zeph: ownVersion(),
    cwd: process.cwd(),
    tty: hasPerson(),
    pid: process.pid,
    ...(isLenient(words) && { lenient: true }),
  };
  const request = isExec ? execRequest(words.slice(1)) : { client: words[0], event: words[1], input: readStdin() };
  const line = `${JSON.stringify({ ...head, ...request })}\n`;
  if (Buffer.byteLength(line) > MOST) throw new Refusal("the call is longer than 8 MiB");
  const folder = folderOf(process.env);
  if (!isExec) {
    const code = answeredAtOnce(folder, Buffer.from(line));
    if (typeof code === "number") return code;
  }
  for (let round = 0; round < ROUNDS; round++) {
    const code = await ask(await connectHookd(folder), line, request.stdin);
    if (code !== "again") return code;
  }
  throw new Refusal("every hookd that answered is of another version");
}

/** The descriptor of a socket that is connected already, by what Node's own `net` is made of: `net` itself takes longer to load than hookd to answer. */
function connectedAtOnce(path) {
  try {
    const { Pipe, PipeConnectWrap, constants } = process.binding("pipe_wrap");
    const pipe = new Pipe(constants.SOCKET);
    pipe.connect(new PipeConnectWrap(), path);
    return pipe.fd;
  } catch {
    return null;
  }
}

/** The exit code where somebody listens already; null where hookd has to be started, or another one is wanted. */
function answeredAtOnce(folder, line) {
  const path = findSocket(folder);
  if (path === null) return null;
  const fd = connectedAtOnce(path);
  if (!(fd > 2)) return null;
  const code = askAtOnce(fd, line);
  return code === "again" ? null : code;
}

/** `zeph exec`: the exit code, or null where no hookd can be had and nothing was run. */
async function runExec(words) {
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
  run(words).then(
    // At once: everything is printed, and what Node would still close is closed by the system.
    (code) => process.exit(code),
    (error) => {
      print(2, Buffer.from(`zeph did not answer (${error.message})${unfinished(words, lenient, error)}\n`));
      process.exit(lenient ? FAILED : REFUSED);
    },
  );
}
