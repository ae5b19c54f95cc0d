import { describe, expect, it } from "vitest";
import { foundText } from "./turn-words.ts";

const QUIET = { isInterrupted: false, isKnown: false, folder: "new", fates: [] } as const;

describe("what a model is told of where its session was", () => {
  it("is nothing where nothing is lost", () => {
    expect(foundText(QUIET)).toBeNull();
    expect(foundText({ ...QUIET, isKnown: true, folder: "kept" })).toBeNull();
  });

  it("is what came after the last snapshot, when the folder was made anew", () => {
    expect(foundText({ ...QUIET, isKnown: true, folder: "restored" })).toMatch(
      /^\[fleet\] The folder was made anew from the last snapshot.*is gone.*The shell begins anew/,
    );
    expect(foundText({ ...QUIET, isKnown: true })).toContain("there is no snapshot of what was in it");
  });

  it("is that it goes on, and of how many calls nobody knows", () => {
    const told = foundText({ isInterrupted: true, isKnown: true, folder: "kept", fates: ["unknown", "ended", "unknown", "not made"] });
    expect(told).toContain("another one goes on");
    expect(told).toContain("Of 2 calls nobody knows");
    expect(told).toMatch(/Go on with the task; do nothing a second time that was done\.$/);
    expect(told).not.toContain("The folder was made anew");
    expect(foundText({ isInterrupted: true, isKnown: true, folder: "kept", fates: ["not made"] })).not.toContain("nobody knows");
  });

  it("is that the setup command failed", () => {
    expect(foundText({ ...QUIET, failedSetup: "npm ci" })).toBe(
      "[fleet] The setup command of the repository failed (npm ci): dependencies may be missing.",
    );
  });
});
