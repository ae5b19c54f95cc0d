// A process that listens where agents do, and starts a client: node listener.mjs <node> <client> <socket> <folder> <how>
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";

const [program, ...args] = process.argv.slice(2);
const server = createServer();
server.listen(join(args[2], `${process.pid}.sock`), () => {
  spawn(program, args, { stdio: "inherit" }).on("exit", () => server.close());
});
