import { describe, expect, it } from "vitest";
import { readRepository } from "./repository.ts";

const ANY = ["https://", "ssh://", "file:///"];

describe("the repository of a task", () => {
  it.each([
    ["https://git.example/acme/shop.git", "git.example/acme/shop"],
    ["https://git.example/acme/shop/", "git.example/acme/shop"],
    ["ssh://git@git.example:2222/acme/shop.git", "git.example:2222/acme/shop"],
    ["git@git.example:acme/shop.git", "git.example/acme/shop"],
    ["file:///srv/shop.git", "srv/shop"],
  ])("is called by its place: %s", (url, name) => {
    expect(readRepository({ url }, ANY)).toMatchObject({ name, ref: null });
  });

  it.each([
    ["--upload-pack=touch", "named by an address"],
    ["ext::sh -c touch% /tmp/x", "named by an address"],
    ["http://git.example/a/b", "named by an address"],
    ["git://git.example/a/b", "named by an address"],
    ["/srv/shop.git", "named by an address"],
    ["https://user@git.example/a/b", "belong to the workers"],
    ["https://user:hunter2@git.example/a/b", "belong to the workers"],
    ["ssh://git:hunter2@git.example/a/b", "belong to the workers"],
    ["ssh://-oProxyCommand=touch/a", "is no address"],
    ["ssh://-oProxyCommand=touch@git.example/a", "is no address"],
    ["https://git.example/a/-b", "names no repository"],
    ["https://git.example/", "names no repository"],
    ["https://git.example/a/b?x=1", "has no ?"],
    ["https://git.example/%ff", "not written as addresses"],
    ["https://git.example/a/..%2fb/c", "not written as addresses"],
    ["https://git.example/a/..%5Cb/c", "not written as addresses"],
    [`https://git.example/${"a".repeat(1000)}`, "named by an address"],
  ])("is refused: %s", (url, why) => {
    expect(() => readRepository({ url }, ANY)).toThrow(why);
    expect(() => readRepository({ url }, ANY)).not.toThrow("hunter2");
  });

  it("is one that the operator allows", () => {
    const allowed = ["https://git.example/acme/"];
    expect(readRepository({ url: "https://git.example/acme/shop" }, allowed).name).toBe("git.example/acme/shop");
    expect(() => readRepository({ url: "https://git.example/other/shop" }, allowed)).toThrow("Workers may not fetch");
    expect(() => readRepository({ url: "https://git.example/acme/../other/shop" }, allowed)).toThrow("Workers may not fetch");
    expect(() => readRepository({ url: "https://git.example/acme/shop" }, [])).toThrow("Workers may not fetch");
  });

  it.each(["main", "v1.2.3", "feature/a_b", "0".repeat(40)])("takes the ref %s", (ref) => {
    expect(readRepository({ url: "https://git.example/a/b", ref }, ANY).ref).toBe(ref);
  });

  it.each(["", "--exec=x", "-", "a..b", "a b", "a:b", "^main", "main~1", "a/.b", "a.lock", "a/", "x@{1}", "a\n", "a\\b"])(
    "takes no ref %j",
    (ref) => {
      expect(() => readRepository({ url: "https://git.example/a/b", ref }, ANY)).toThrow("no name of a branch");
    },
  );
});
