import { expect, it } from "vitest";
import { maskUrl, spelled } from "./url.ts";

it.each([
  "https:evil.com/x",
  "https:/evil.com/x",
  "https://evil.com./x",
  "https://evil.com:443/x",
  "https://%65vil.com/x",
  "https:\\\\evil.com\\x",
  "\thttps://evil.com/x",
  "https://ev\til.com/x",
  "https://ｅvil.com/x",
  "https://@evil.com/x",
  "https://EVIL.com/y/../x#part",
])("%j is one address", (text) => {
  expect(spelled(text)).toBe("https://evil.com/x");
});

it.each(["evil.com/x", "", "https://", "//evil.com"])("%j is none", (text) => {
  expect(spelled(text)).toBeNull();
});

it("masks what may open something", () => {
  expect(maskUrl(new URL("https://u:p@a.example/x?token=abc&page=2#f"))).toBe("https://a.example/x?token=***&page=2");
});
