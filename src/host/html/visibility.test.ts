import { expect, it } from "vitest";
import { cpuMs } from "../../../test/cpu.ts";
import type { HtmlElement } from "./tree.ts";
import { isHidden } from "./visibility.ts";

const hidden = (attribs: Record<string, string>) => isHidden({ type: "tag", name: "p", attribs, children: [] } satisfies HtmlElement);

it.each([{ hidden: "" }, { hidden: "hidden" }, { "aria-hidden": "true" }])("%j hides", (attribs) => expect(hidden(attribs)).toBe(true));
it.each<Record<string, string>>([{}, { hidden: "until-found" }, { "aria-hidden": "false" }])("%j shows", (attribs) =>
  expect(hidden(attribs)).toBe(false),
);

it.each([
  "display:none",
  "color:red; DISPLAY : None !important",
  "dis/* x */play:/**/no/**/ne",
  `/*${"x".repeat(3000)}*/display:none`,
  `${"a:b;".repeat(1000)}display:none`,
  "visibility:hidden",
  "visibility: collapse",
  "opacity:0",
  "opacity: 0.0",
  "opacity:0%",
  "font-size:0",
  "font-size: 0px",
  "position:absolute;left:-9999px",
  "top:-100em",
  "text-indent:-999px",
  "height:0;overflow:hidden",
  "overflow:hidden;width:0px",
  "clip:rect(0,0,0,0)",
  "clip: rect(0 0 0 0)",
  "clip:rect(1px, 1px, 1px, 1px)",
])("style %s hides", (style) => expect(hidden({ style })).toBe(true));

it.each([
  "",
  "display:block",
  "opacity:0.5",
  "opacity:1",
  "font-size:0.8em",
  "left:-10px",
  "margin-left:-15px",
  "height:0",
  "overflow:hidden",
  "height:100px;overflow:hidden",
  "clip:rect(0px,60px,200px,0px)",
  "clip:auto",
  "constructor:none",
  "/* display:none */color:red",
  "color:red;/* display:none",
  "none",
])("style %j shows", (style) => expect(hidden({ style })).toBe(false));

it.each(["/*", "display:", " ", ";", "rect("])("a style of many %j is looked at once", (piece) => {
  const started = cpuMs();
  hidden({ style: piece.repeat(500_000) });
  expect(cpuMs() - started).toBeLessThan(2000);
});
