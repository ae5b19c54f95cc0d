// A client of a live socket, written without Zeph's own: it says what it is told on stdin, one JSON line each, and prints what it hears.
// node client.mjs <socket> <folder> <how>   how: honest, reading, not-held, lent, <pid>
import { spawn } from "node:child_process";
import { closeSync, constants, openSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [path, folder, how = "honest"] = process.argv.slice(2);
console.log(JSON.stringify({ type: "client", pid: process.pid }));
const socket = connect({ path });
/** Another program holds the file, and its number is told. */
const lend = (held) => {
  const other = spawn("sleep", ["600"], { stdio: ["ignore", held, "ignore"], detached: true });
  process.on("exit", () => other.kill());
  return other.pid;
};
const prove = ({ file }) => {
  const held = openSync(join(folder, file), how === "reading" ? constants.O_RDONLY : constants.O_RDWR);
  const text = readFileSync(join(folder, file), "utf8");
  if (how === "not-held") closeSync(held);
  const pid = /^\d+$/.test(how) ? Number(how) : how === "lent" ? lend(held) : process.pid;
  socket.write(`${JSON.stringify({ pid, text: how === "wrong-text" ? "x" : text })}\n`);
};
const parsed = (line) => {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
};
createInterface({ input: socket }).on("line", (line) => {
  // The last line of a connection that was cut has no end.
  const said = parsed(line);
  if (said === null) return;
  if (said.type === "prove" && how !== "silent") prove(said);
  console.log(line);
});
createInterface({ input: process.stdin })
  .on("line", (line) => socket.write(`${line}\n`))
  .on("close", () => process.exit(0));
socket.on("error", () => {});
socket.on("close", () => {
  console.log(JSON.stringify({ type: "closed" }));
  process.exit(0);
});
