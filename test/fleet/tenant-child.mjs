// What a tenant's process is started with, and what it is told: written to its folder.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const words = process.argv.slice(2);
const file = join(words[words.indexOf("--workspaces") + 1], "child.json");
const told = [];
const write = () => {
  const { pid, env } = process;
  writeFileSync(`${file}.new`, JSON.stringify({ pid, uid: process.getuid(), groups: process.getgroups(), words, env, told }));
  renameSync(`${file}.new`, file);
};
process.on("message", ({ slots }) => {
  told.push(slots);
  write();
});
process.on("disconnect", () => process.exit(0));
write();
process.send({ busy: words.includes("--busy") ? 1 : 0 });
setInterval(() => {}, 1000);
