import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { PathTouch } from "../../core/touch.ts";
import type { PathRules } from "./paths.ts";
import {
  actOnPath,
  canPin,
  descriptorPath,
  judgePath,
  Moved,
  openFile,
  openFileInside,
  pinDirectory,
  pinInside,
  pinOrMake,
  whereIs,
  withPinned,
  withPinnedAsync,
} from "./pin.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-pin-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "a", "b"), { recursive: true });
  writeFileSync(join(root, "a", "file"), "text");
  symlinkSync("a", join(root, "link"));
  symlinkSync("file", join(root, "a", "linked"));
});
const at = (...names: string[]) => join(root, ...names);
const isOpen = (fd: number) => {
  try {
    return Boolean(fstatSync(fd));
  } catch {
    return false;
  }
};

describe("an act on a path", () => {
  const touch: PathTouch = { kind: "path", path: "a", access: "read" } as PathTouch;
  const rulesThat = (judge: () => { why: string } | null, resolved: string[] = []) =>
    ({ cwd: "/w", resolve: () => `/w/a${resolved.push("")}`, judge }) as unknown as PathRules;

  it("is done on the path that was judged, and a refusal is told", async () => {
    expect(
      judgePath(
        rulesThat(() => null),
        touch,
      ),
    ).toBe("/w/a1");
    expect(
      await actOnPath(
        rulesThat(() => null),
        touch,
        async (canonical) => canonical,
      ),
    ).toBe("/w/a1");
    const refused = actOnPath(
      rulesThat(() => ({ why: "not yours" })),
      touch,
      async () => expect.fail(),
    );
    await expect(refused).rejects.toMatchObject({ category: "policy_blocked", message: "not yours" });
  });

  it("is judged anew when the path moved, five times at most", async () => {
    const acted: string[] = [];
    const moving = (times: number) => async (canonical: string) => {
      acted.push(canonical);
      if (acted.length <= times) throw new Moved();
      return "done";
    };
    expect(
      await actOnPath(
        rulesThat(() => null),
        touch,
        moving(4),
      ),
    ).toBe("done");
    expect(acted).toEqual(["/w/a1", "/w/a2", "/w/a3", "/w/a4", "/w/a5"]);
    acted.length = 0;
    await expect(
      actOnPath(
        rulesThat(() => null),
        touch,
        moving(5),
      ),
    ).rejects.toMatchObject({
      category: "policy_blocked",
      message: "a keeps being moved or replaced by a link while it is opened. Nothing was done.",
    });
    expect(acted).toHaveLength(5);
  });

  it("is not tried again after another failure, which is told in the words of the table or as it is", async () => {
    let tries = 0;
    const failing = (error: Error) =>
      actOnPath(
        rulesThat(() => null),
        touch,
        async () => {
          tries += 1;
          throw error;
        },
      );
    await expect(failing(Object.assign(new Error("x"), { code: "ENOENT" }))).rejects.toMatchObject({
      message: expect.stringContaining("a1"),
    });
    const odd = new Error("odd");
    await expect(failing(odd)).rejects.toBe(odd);
    expect(tries).toBe(2);
  });
});

it.runIf(process.platform === "linux")("Linux can pin, so nothing below is left out there", () => expect(canPin).toBe(true));

describe.runIf(process.platform === "linux")("a pinned directory", () => {
  it("names its entries wherever it is by now, as text and as bytes", () => {
    const dir = pinDirectory(at("a"));
    onTestFinished(() => dir.close());
    renameSync(at("a"), at("moved"));
    expect(readFileSync(dir.at("file"), "utf8")).toBe("text");
    expect(readFileSync(dir.at(Buffer.from("file")), "utf8")).toBe("text");
    expect(whereIs(dir)).toBe(at("moved"));
    expect(realpathSync(dir.here)).toBe(at("moved"));
  });

  it.each([
    ["a link", ["link"]],
    ["a folder behind a link", ["link", "b"]],
  ])("is none of %s: the path moved", (_name, names) => {
    expect(() => pinDirectory(at(...names))).toThrow(Moved);
  });

  it("is no file and nothing that is missing, which is another failure", () => {
    expect(() => pinDirectory(at("a", "file"))).toThrow(expect.objectContaining({ code: "ENOTDIR" }));
    expect(() => pinDirectory(at("none"))).toThrow(expect.objectContaining({ code: "ENOENT" }));
  });

  it("holds directories, and no link to one", () => {
    const dir = pinDirectory(root);
    onTestFinished(() => dir.close());
    const inside = pinInside(dir, "a");
    expect(existsSync(inside.at("file"))).toBe(true);
    inside.close();
    expect(() => pinInside(dir, "link")).toThrow(Moved);
    expect(() => pinInside(dir, "none")).toThrow(expect.objectContaining({ code: "ENOENT" }));
  });

  it("is made with its parents where it is missing, and not through a link", () => {
    for (const path of [at("a", "b"), at("new", "deep", "er")]) {
      const dir = pinOrMake(path);
      expect(whereIs(dir)).toBe(path);
      dir.close();
    }
    expect(() => pinOrMake(at("link", "new"))).toThrow(Moved);
    expect(existsSync(at("a", "new"))).toBe(false);
    expect(() => pinOrMake(at("a", "file", "new"))).toThrow(expect.objectContaining({ code: "ENOTDIR" }));
  });

  it("is closed after the act, also after one that failed", async () => {
    const fds: number[] = [];
    expect(withPinned(pinDirectory(root), ({ fd }) => fds.push(fd))).toBe(1);
    expect(() =>
      withPinned(pinDirectory(root), ({ fd }) => {
        fds.push(fd);
        throw new Error("failed");
      }),
    ).toThrow("failed");
    expect(await withPinnedAsync(pinDirectory(root), async ({ fd }) => [isOpen(fd), fds.push(fd)])).toEqual([true, 3]);
    await expect(withPinnedAsync(pinDirectory(root), () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    expect(fds.map(isOpen)).toEqual([false, false, false]);
  });
});

describe.runIf(process.platform === "linux")("a file", () => {
  it("is opened where it was judged, and inside a pinned directory", () => {
    const judged = openFile(at("a", "file"));
    expect(judged.stats.size).toBe(4);
    expect(readFileSync(descriptorPath(judged.fd, "otherwise"), "utf8")).toBe("text");
    closeSync(judged.fd);
    withPinned(pinDirectory(at("a")), (dir) => {
      const inside = openFileInside(dir, "file");
      expect(inside.stats.isFile()).toBe(true);
      closeSync(inside.fd);
      expect(() => openFileInside(dir, "linked")).toThrow(Moved);
      expect(() => openFileInside(dir, "b")).toThrow("b is a directory, not a regular file. Use list_directory.");
    });
  });

  it.each([
    ["a link", ["a", "linked"]],
    ["a file behind a link", ["link", "file"]],
  ])("is none of %s: the path moved", (_name, names) => {
    expect(() => openFile(at(...names))).toThrow(Moved);
  });

  it("is no directory, no device and nothing that is missing, and each is said", () => {
    expect(() => openFile(at("a"))).toThrow(`${at("a")} is a directory, not a regular file. Use list_directory.`);
    expect(() => openFile("/dev/null")).toThrow("/dev/null is a device, not a regular file. It is not opened.");
    expect(() => openFile(at("none"))).toThrow(expect.objectContaining({ code: "ENOENT" }));
  });
});
