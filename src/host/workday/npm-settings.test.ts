import { expect, test } from "vitest";
import { keptNpmSettings } from "./npm-settings.ts";

test("npm settings that say how and from where are kept", () => {
  const text =
    "registry=https://registry.example/npm/\n@team:registry = https://npm.example/\nsave-exact=true\ncafile=/etc/ssl/certs/ca.pem\n";
  expect(keptNpmSettings(text)).toBe(
    "registry=https://registry.example/npm/\n@team:registry=https://npm.example/\nsave-exact=true\ncafile=/etc/ssl/certs/ca.pem\n",
  );
});

test.each([
  "//registry.example/:_authToken=SECRET",
  "//registry.example/:username=SECRET",
  "_auth=SECRET",
  "_authToken = SECRET",
  "registry=https://me:SECRET@registry.example/",
  "registry=https://registry.example/?token=SECRET",
  'registry="https://SECRET@registry.example/"',
  "@team:registry=https://SECRET@registry.example/",
  "@team:_authToken=SECRET",
  "proxy=http://me:SECRET@proxy.example",
  "https-proxy=SECRET",
  "cafile=/home/dev/.ssh/SECRET",
  "cafile=/etc/ssl/certs/../../../home/dev/SECRET",
  "cert=SECRET",
  "key=SECRET",
  "otp=SECRET",
  "script-shell=SECRET",
  "node-options=--require SECRET",
  "prefix=SECRET",
  "email=SECRET",
  "init-module=SECRET",
  "init-license=${SECRET}",
])("the npm setting %s is left out", (line) => {
  expect(keptNpmSettings(`save-exact=true\n${line}\n`)).toBe("save-exact=true\n");
});
