import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildSync } from "esbuild";
import { expect, it, onTestFinished } from "vitest";
import { watchFiles } from "./watch.ts";

function place() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-watch-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return (name: string) => join(root, name);
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** As editors do. */
function replace(file: string, text: string): void {
  write(`${file}~`, text);
  renameSync(`${file}~`, file);
}

async function watching(files: () => readonly string[]) {
  let told = 0;
  let waiting: (() => void) | null = null;
  const watch = watchFiles({
    files,
    async changed() {
      told += 1;
      waiting?.();
    },
  });
  onTestFinished(watch.close);
  return {
    ...watch,
    told: () => told,
    /** Does it, and waits until it was told. */
    async after(act: () => void) {
      // After each change it looks once more by itself.
      await sleep(250);
      const next = new Promise<void>((resolve) => {
        waiting = resolve;
      });
      act();
      await next;
    },
  };
}

it("a watch tells of a file that is written, replaced, removed and there again", async () => {
  const at = place();
  const file = at("a/config.toml");
  write(file, "1");
  const { after } = await watching(() => [file]);
  await after(() => writeFileSync(file, "22"));
  await after(() => replace(file, "33"));
  await after(() => replace(file, "44"));
  await after(() => unlinkSync(file));
  await after(() => write(file, "55"));
});

it("a watch waits for a file whose folders do not exist", async () => {
  const at = place();
  const file = at("a/b/c/config.toml");
  const { after } = await watching(() => [file]);
  mkdirSync(at("a"));
  await sleep(300);
  mkdirSync(at("a/b/c"), { recursive: true });
  await after(() => write(file, "1"));
  await after(() => replace(file, "2"));
});

it("a watch follows a folder that is put in the place of another", async () => {
  const at = place();
  const file = at("a/config.toml");
  write(file, "1");
  const { after } = await watching(() => [file]);
  write(at("b/config.toml"), "2");
  await after(() => {
    renameSync(at("a"), at("old"));
    renameSync(at("b"), at("a"));
  });
  await after(() => replace(file, "3"));
});

it("a watch tells of a link that leads elsewhere, and of what it leads to", async () => {
  const at = place();
  const file = at("etc/config.toml");
  write(at("store/one.toml"), "1");
  write(at("store2/two.toml"), "2");
  mkdirSync(at("etc"));
  symlinkSync(at("store/one.toml"), file);
  const { after } = await watching(() => [file]);
  await after(() => replace(at("store/one.toml"), "11"));
  await after(() => {
    symlinkSync(at("store2/two.toml"), `${file}~`);
    renameSync(`${file}~`, file);
  });
  await after(() => replace(at("store2/two.toml"), "22"));
  await after(() => unlinkSync(at("store2/two.toml")));
});

it("a watch tells of a folder that a link puts in place of another", async () => {
  const at = place();
  write(at("mount/one/config.toml"), "1");
  write(at("mount/two/config.toml"), "2");
  symlinkSync("one", at("mount/data"));
  symlinkSync("data/config.toml", at("mount/config.toml"));
  const { after } = await watching(() => [at("mount/config.toml")]);
  await after(() => {
    symlinkSync("two", at("mount/data~"));
    renameSync(at("mount/data~"), at("mount/data"));
  });
});

it("watches other files as soon as others count", async () => {
  const at = place();
  write(at("a/one"), "1");
  write(at("b/two"), "2");
  let files = [at("a/one")];
  const { after } = await watching(() => files);
  await after(() => {
    files = [at("a/one"), at("b/two")];
    writeFileSync(at("a/one"), "11");
  });
  await after(() => replace(at("b/two"), "22"));
});

it("a watch tells once of many changes, and not of its neighbours", async () => {
  const at = place();
  const file = at("a/config.toml");
  write(file, "1");
  const { after, told } = await watching(() => [file]);
  for (let n = 0; n < 50; n++) write(at(`a/other-${n}`), "x");
  await after(() => {
    for (let n = 0; n < 50; n++) replace(file, `${n}`);
  });
  await sleep(500);
  expect(told()).toBe(1);
});

it("a watch does not wait for ever for an end of changes", async () => {
  const at = place();
  const file = at("a/config.toml");
  write(file, "1");
  const { after } = await watching(() => [file]);
  let n = 0;
  const busy = setInterval(() => writeFileSync(file, `${n++}`), 20);
  onTestFinished(() => clearInterval(busy));
  await after(() => {});
});

it("a watch looks itself where there are too many folders to watch", async () => {
  const at = place();
  const files = Array.from({ length: 30 }, (_, n) => at(`f${n}/config.toml`));
  for (const file of files) write(file, "1");
  const { after } = await watching(() => files);
  await after(() => replace(files[29]!, "2"));
  await after(() => replace(files[0]!, "2"));
});

it("a watch tells of a change of time alone, and of nothing after it was closed", async () => {
  const at = place();
  const file = at("a/config.toml");
  write(file, "1");
  const { after, close, told } = await watching(() => [file]);
  await after(() => utimesSync(file, new Date(), new Date(Date.now() - 10_000)));
  close();
  replace(file, "2");
  await sleep(400);
  expect(told()).toBe(1);
});

it("a watch keeps no process alive", async () => {
  const at = place();
  write(at("a/config.toml"), "1");
  const files = [at("a/config.toml"), ...Array.from({ length: 30 }, (_, n) => at(`f${n}/x/config.toml`))];
  for (const file of files) mkdirSync(dirname(file), { recursive: true });
  const entry = join(import.meta.dirname, "watch.ts");
  buildSync({ entryPoints: [entry], bundle: true, platform: "node", format: "esm", outfile: at("watch.mjs"), logLevel: "silent" });
  write(
    at("run.mjs"),
    `import { watchFiles } from "./watch.mjs";\nwatchFiles({ files: () => ${JSON.stringify(files)}, changed: async () => {} });\n`,
  );
  const child = spawn(process.execPath, [at("run.mjs")], { stdio: ["ignore", "inherit", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
});
