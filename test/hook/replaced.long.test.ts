import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claudeBash, type HookdBox, openHookdBox, untilGone } from "./hookd-box.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

let box: HookdBox;
beforeEach(() => {
  box = openHookdBox();
});
afterEach(() => box.remove());

/** Two copies of the package are made, and each of their hookds started. */
describe.runIf(process.platform === "linux")("hookd makes room for another package", { timeout: 180_000 }, () => {
  /** A copy of this package as of another version. */
  function copyPackage(name: string, version: string): string {
    const folder = join(box.work, "..", name);
    mkdirSync(folder);
    for (const part of ["bin", "dist", "vendor", "config.schema.json"]) cpSync(join(root, part), join(folder, part), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    setVersion(folder, version);
    return folder;
  }
  const setVersion = (folder: string, version: string) =>
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({ ...JSON.parse(readFileSync(join(root, "package.json"), "utf8")), version }),
    );
  const ask = (folder: string) =>
    box.run([join(folder, `vendor/zeph-hook-linux-${process.arch}`), "claude", "pre"], { stdin: claudeBash("ls", box.work) });
  const start = async (folder: string) => {
    spawn(process.execPath, [join(folder, "bin/zeph.cjs"), "hookd"], { cwd: "/", env: box.env, stdio: "ignore", detached: true }).unref();
    while (!(await box.hello())) await new Promise((resolve) => setTimeout(resolve, 20));
    return (await box.hello())!;
  };

  it("that was put into its own folder", async () => {
    const folder = copyPackage("package", "1.0.0");
    const first = await start(folder);
    expect(first.version).toBe("1.0.0");
    setVersion(folder, "2.0.0");
    await ask(folder);
    await untilGone(first.pid);
    let next = await box.hello();
    for (; next === null; next = await box.hello()) await ask(folder);
    expect(next.version).toBe("2.0.0");
  });

  it("that a person's hooks name, and for no other", async () => {
    const [own, other] = [copyPackage("own", "1.0.0"), copyPackage("other", "2.0.0")];
    const first = await start(own);
    expect(await ask(other)).toMatchObject({ code: 0 });
    expect((await box.hello())?.pid).toBe(first.pid);
    await box.run([process.execPath, join(other, "bin/zeph.cjs"), "hook", "install", "claude", "--yes"]);
    await ask(other);
    await untilGone(first.pid);
    let next = await box.hello();
    for (; next === null; next = await box.hello()) await ask(other);
    expect(next.version).toBe("2.0.0");
  });
});
