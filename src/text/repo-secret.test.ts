import { expect, it } from "vitest";
import { holdsRepoSecret } from "./repo-secret.ts";

it.each([
  "https://kim:word@host/app.git",
  "https://ghp_token@host/app.git",
  "HTTPS://:word@host/app.git",
  "https:kim:word@host/app.git",
  "https://a@b:word@host/app.git",
  "ssh://git:word@host/app.git",
])("an address with something in it to come in with holds a secret: %s", (address) => {
  expect(holdsRepoSecret(address)).toBe(true);
});

it.each(["https://host/app.git", "https://host/app.git@main", "ssh://git@host/app.git", "git@host:owner/app.git", "file:///srv/app@2"])(
  "an address without one holds none: %s",
  (address) => {
    expect(holdsRepoSecret(address)).toBe(false);
  },
);
