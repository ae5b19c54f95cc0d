import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createPreparedEtc } from "./prepared-etc.ts";

const NAMES = ["passwd", "localtime", "alternatives", "ssl/certs", "missing"];

/** An /etc with a link on the list, links below, and files that are nobody's business. */
function furnished(): string {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-some-etc-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  mkdirSync(join(base, "etc/ssl/certs/deep"), { recursive: true });
  mkdirSync(join(base, "etc/ssl/private"));
  mkdirSync(join(base, "etc/alternatives"));
  writeFileSync(join(base, "zone"), "UTC\n");
  for (const [name, text] of Object.entries({
    passwd: "root\n",
    shadow: "secret\n",
    "ssl/private/key": "secret\n",
    "ssl/certs/deep/a.pem": "a\n",
  }))
    writeFileSync(join(base, "etc", name), text);
  symlinkSync("../zone", join(base, "etc/localtime"));
  symlinkSync("/usr/bin/vi", join(base, "etc/alternatives/editor"));
  return join(base, "etc");
}

describe.runIf(process.platform === "linux")("A prepared /etc", () => {
  test("holds what is on the list and nothing else, with links on the list followed and links below kept", async () => {
    const etc = createPreparedEtc(NAMES, furnished());
    await etc.make([]);
    const path = etc.look([])!.path;
    expect(readdirSync(path, { recursive: true }).sort()).toEqual(
      ["alternatives", "alternatives/editor", "localtime", "passwd", "ssl", "ssl/certs", "ssl/certs/deep", "ssl/certs/deep/a.pem"].sort(),
    );
    expect(readFileSync(join(path, "localtime"), "utf8")).toBe("UTC\n");
    expect(readlinkSync(join(path, "alternatives/editor"))).toBe("/usr/bin/vi");
    expect(statSync(path).mode & 0o7777).toBe(0o755);
    expect(statSync(join(path, "..")).mode & 0o7777).toBe(0o711);
  });

  test("is not there before somebody made it, and planning it makes nobody wait", () => {
    expect(createPreparedEtc(NAMES, furnished()).look([])).toBeNull();
  });

  test.each([
    ["a file on the list", (etc: string) => writeFileSync(join(etc, "passwd"), "ROOT\n")],
    ["a file deep below", (etc: string) => writeFileSync(join(etc, "ssl/certs/deep/a.pem"), "b\n")],
    ["a link below", (etc: string) => symlinkSync("/usr/bin/ed", join(etc, "alternatives/ed"))],
    ["where a link on the list leads", (etc: string) => writeFileSync(join(etc, "../zone"), "CET\n")],
    ["an entry that is gone", (etc: string) => rmSync(join(etc, "passwd"))],
  ])("is not used any more when there is a change of %s, and the next one has it", async (_what, change) => {
    const source = furnished();
    const etc = createPreparedEtc(NAMES, source);
    await etc.make([]);
    expect(etc.look([])).not.toBeNull();
    change(source);
    expect(etc.look([])).toBeNull();
    await etc.make([]);
    expect(etc.look([])).not.toBeNull();
  });

  test("is not used when something of the copy itself is gone", async () => {
    const etc = createPreparedEtc(NAMES, furnished());
    await etc.make([]);
    rmSync(join(etc.look([])!.path, "alternatives/editor"));
    expect(etc.look([])).toBeNull();
  });

  test("is not used by a command that can write where it lies", async () => {
    const etc = createPreparedEtc(NAMES, furnished());
    await etc.make([]);
    const path = etc.look([])!.path;
    expect(etc.look(["/nowhere", join(path, "../..")])).toBeNull();
    expect(etc.look(["/"])).toBeNull();
    expect(etc.look(["/nowhere"])!.path).toBe(path);
  });

  test("is made in no folder that commands can write", async () => {
    const etc = createPreparedEtc(NAMES, furnished());
    await etc.make(["/"]);
    expect(etc.look([])).toBeNull();
  });
});
