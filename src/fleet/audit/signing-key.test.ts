import { generateKeyPairSync } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeKeyFiles, readPublicKeys, readSigningKey } from "./signing-key.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "zeph-keys-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a key for checkpoints", () => {
  it("signs, and its public half says so of nothing else", () => {
    const path = join(folder, "key");
    const { id, publicPath } = makeKeyFiles(path);
    const key = readSigningKey(path);
    const signature = key.sign("root");
    expect(key.id).toBe(id);
    for (const one of [key, readPublicKeys(publicPath)]) {
      expect(one.made("root", signature)).toBe(true);
      expect(one.made("another root", signature)).toBe(false);
      expect(one.made("root", "")).toBe(false);
      expect(one.made("root", "no base64 at all")).toBe(false);
    }
  });

  it("may be one of several in a file, so that an old one is still known", () => {
    makeKeyFiles(join(folder, "old"));
    makeKeyFiles(join(folder, "new"));
    makeKeyFiles(join(folder, "stranger"));
    const both = join(folder, "both.pub");
    writeFileSync(both, ["old.pub", "new.pub"].map((name) => readFileSync(join(folder, name), "utf8")).join("\n"));
    const made = (name: string) => readPublicKeys(both).made("root", readSigningKey(join(folder, name)).sign("root"));
    expect([made("old"), made("new"), made("stranger")]).toEqual([true, true, false]);
  });

  it("is never written over another", () => {
    makeKeyFiles(join(folder, "key"));
    const before = readFileSync(join(folder, "key"), "utf8");
    expect(() => makeKeyFiles(join(folder, "key"))).toThrow("no key is ever overwritten");
    expect(readFileSync(join(folder, "key"), "utf8")).toBe(before);
  });

  it.skipIf(process.platform === "win32")("is refused where everybody may read it", () => {
    makeKeyFiles(join(folder, "key"));
    chmodSync(join(folder, "key"), 0o644);
    expect(() => readSigningKey(join(folder, "key"))).toThrow("chmod 600");
  });

  it.each(["rubbish", "another kind", "nothing"])("is refused when it is %s, without a word of what is in the file", (what) => {
    const path = join(folder, "key");
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" });
    if (what !== "nothing") writeFileSync(path, what === "rubbish" ? "my secret words" : rsa, { mode: 0o600 });
    for (const read of [readSigningKey, readPublicKeys]) {
      expect(() => read(path)).toThrow(path);
      expect(() => read(path)).not.toThrow("secret");
    }
  });
});
