// Before the tests: the sandbox they try. Installed where that is possible without asking anyone; otherwise the suites that need it say so.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const found = () => ["/usr/bin/bwrap", "/usr/local/bin/bwrap"].some((path) => existsSync(path));
const run = (command, args) => spawnSync(command, args, { stdio: ["ignore", "ignore", "inherit"], timeout: 300_000 }).status === 0;

if (process.platform === "linux" && !found()) {
  const canInstall = process.getuid() === 0 && existsSync("/usr/bin/apt-get");
  if (canInstall) {
    process.stderr.write("Installing bubblewrap, which the sandbox tests need.\n");
    const install = () => run("apt-get", ["install", "-y", "--no-install-recommends", "bubblewrap"]);
    if (!install()) run("apt-get", ["update"]) && install();
  }
  if (!found()) {
    const how = canInstall ? "It could not be installed." : "Install it with: apt-get install bubblewrap (or dnf, pacman).";
    process.stderr.write(`bubblewrap is missing, so the tests of the sandbox and of commands are skipped. ${how}\n`);
    if (process.env.REQUIRE_SANDBOX === "1") process.exit(1);
  }
}
