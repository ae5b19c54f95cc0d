import { describe, expect, it } from "vitest";
import { explainPg, isTransient } from "./error.ts";

const failure = (code: string) => Object.assign(new Error("so it is"), { code });

describe("a server that is waited for", () => {
  it.each([
    ["08000", "a connection that failed"],
    ["08006", "a connection that broke"],
    ["08P01", "a pooler that refuses"],
    ["25006", "a server that takes no writes"],
    ["25P03", "a transaction whose connection was ended"],
    ["25P04", "a transaction that took too long"],
    ["40001", "a transaction that lost"],
    ["40P01", "a deadlock"],
    ["53100", "a full disk"],
    ["53200", "no memory"],
    ["53300", "too many connections"],
    ["57P01", "a server that shuts down"],
    ["57P02", "a server that crashed"],
    ["57P03", "a server that starts"],
    ["57P05", "an idle connection that was ended"],
    ["ECONNREFUSED", "nobody there"],
    ["ECONNRESET", "a broken connection"],
    ["EPIPE", "a closed connection"],
    ["EHOSTUNREACH", "no way"],
    ["ENETUNREACH", "no network"],
    ["ETIMEDOUT", "no answer"],
    ["EAI_AGAIN", "no name server"],
    ["ENOTFOUND", "a service in which no server runs"],
  ])("says %s: %s", (code) => {
    expect(isTransient(failure(code))).toBe(true);
    // Also where it was put into words.
    expect(isTransient(explainPg("db", failure(code)))).toBe(true);
  });

  it.each([
    ["23505", "a key that is there already"],
    ["25P02", "a transaction that failed before"],
    ["28P01", "a wrong password"],
    ["3D000", "a missing database"],
    ["42501", "a missing right"],
    ["53400", "a limit that was set"],
    ["57014", "a statement that was cancelled"],
    ["ZQ001", "a full queue"],
  ])("does not say %s: %s", (code) => {
    expect(isTransient(failure(code))).toBe(false);
  });

  it("has words for one that takes no writes and one that is full", () => {
    const words = (code: string) => (explainPg("db", failure(code)) as Error).message;
    expect(words("25006")).toContain("takes no writes now");
    expect(words("53100")).toContain("no room left");
    expect(words("57P03")).toContain("cannot be reached");
  });
});
