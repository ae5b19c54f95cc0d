import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { findShipped, SHIPPED_HASHES, type ShippedQuery } from "./shipped.ts";

const VENDOR = join(import.meta.dirname, "../../../vendor");
const sha256 = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");
const query: ShippedQuery = { name: "bwrap", arch: "x64", writable: ["/home/somebody/work"] };

/** An installation of its own. */
function installed(): string {
  const vendor = mkdtempSync(join(tmpdir(), "zeph-vendor-"));
  onTestFinished(() => rmSync(vendor, { recursive: true, force: true }));
  for (const name of Object.keys(SHIPPED_HASHES)) {
    copyFileSync(join(VENDOR, name), join(vendor, name));
    chmodSync(join(vendor, name), 0o755);
  }
  return vendor;
}

describe("The programs in vendor/", () => {
  test("are those whose hashes are compiled in, all of them, and no others", () => {
    const files = readdirSync(VENDOR).filter((name) => name.includes("-linux-"));
    expect(Object.fromEntries(files.map((name) => [name, sha256(join(VENDOR, name))]))).toEqual(SHIPPED_HASHES);
  });
  test("are static programs for the machine their name says, and not setuid", () => {
    for (const name of Object.keys(SHIPPED_HASHES)) {
      const bytes = readFileSync(join(VENDOR, name));
      expect([bytes.subarray(0, 4).toString("latin1"), bytes.readUInt16LE(18)]).toEqual(["\x7fELF", name.endsWith("arm64") ? 183 : 62]);
      // An interpreter would be a program of the machine.
      expect(bytes.includes("/ld-")).toBe(false);
      expect(statSync(join(VENDOR, name)).mode & 0o7111).toBe(0o111);
    }
  });
  test("come with the licences of what they are made of, and the hashes of its sources", () => {
    expect(readdirSync(join(VENDOR, "LICENSES")).sort()).toEqual(["bubblewrap.txt", "libcap.txt", "musl.txt"]);
    const readme = readFileSync(join(VENDOR, "README.md"), "utf8");
    const sources = readFileSync(join(VENDOR, "../native/sources.sha256"), "utf8");
    for (const [, name, version] of sources.matchAll(/ {2}(\w+)_([^_]+)\.debian\.tar/g)) expect(readme).toContain(`${name} ${version}`);
  });
});

describe.runIf(process.platform === "linux")("A shipped program", () => {
  test("is started where it lies when nobody but its owner can write it", () => {
    const vendor = installed();
    expect(findShipped({ ...query, vendor })).toEqual({ path: join(vendor, "bwrap-linux-x64") });
  });
  test("is never started when a byte of it differs, or it is not there", () => {
    const vendor = installed();
    const file = join(vendor, "bwrap-linux-x64");
    const bytes = readFileSync(file);
    bytes[bytes.length - 1] = bytes[bytes.length - 1]! ^ 1;
    writeFileSync(file, bytes);
    expect(findShipped({ ...query, vendor })).toEqual({ why: expect.stringMatching(/not the file that Zeph was released with/) });
    rmSync(file);
    expect(findShipped({ ...query, vendor })).toEqual({ why: expect.stringMatching(/cannot be read/) });
    expect(findShipped({ ...query, vendor: null })).toEqual({ why: expect.stringMatching(/no bwrap-linux-x64 in this installation/) });
  });
  test.each([
    ["commands can write its folder", (vendor: string) => ({ writable: [dirname(vendor) === tmpdir() ? vendor : dirname(vendor)] }), 0o755],
    ["its group can write it", () => ({}), 0o775],
    ["everybody can write it", () => ({}), 0o757],
    ["another user starts it", () => ({ user: { name: "b", uid: 61_235, gid: 61_235, home: "/" } }), 0o755],
  ])("is copied to a private place when %s", (_when, change, mode) => {
    const vendor = installed();
    const file = join(vendor, "bwrap-linux-x64");
    chmodSync(file, mode);
    const found = findShipped({ ...query, ...change(vendor), vendor });
    if ("why" in found) throw new Error(found.why);
    onTestFinished(() => rmSync(dirname(found.path), { recursive: true, force: true }));
    expect(found.path).not.toBe(file);
    expect(sha256(found.path)).toBe(SHIPPED_HASHES["bwrap-linux-x64"]);
    expect([statSync(found.path).mode & 0o777, statSync(dirname(found.path)).mode & 0o066]).toEqual([0o555, 0]);
  });
  test("is not started from a folder that commands can write, wherever a copy would go", () => {
    const vendor = installed();
    const places = ["/tmp", "/var/tmp", "/dev/shm", tmpdir(), "/"];
    expect(findShipped({ ...query, writable: places, vendor })).toEqual({ why: expect.stringMatching(/no place for bwrap-linux-x64/) });
  });
});
