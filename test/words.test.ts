import { expect, it } from "vitest";
import { KNOW_TOOLS, namedTools, toolNames } from "./tool-names.ts";
import { exportsOf, factoryProblems, isSentence, readTree, riddleFiles, sharedNames, testNames } from "./words.ts";
import { FACTORIES, ODD_TEST_NAMES, RIDDLE_FILES, SHARED } from "./words-exceptions.ts";

const ROOT = `${import.meta.dirname}/..`;
const code = readTree(ROOT, "src", "code");
const tests = [...readTree(ROOT, "src", "tests"), ...readTree(ROOT, "test", "tests")];
const exported = code.flatMap(exportsOf);

it("an exported name means one thing: two files do not share it, apart from those listed with a reason", () => {
  const shared = [...sharedNames(exported)].filter(([name]) => !SHARED.has(name)).map(([name, files]) => `${name}: ${files.join(", ")}`);
  expect(shared).toEqual([]);
});

it("a function that hands out functions is called createX, openX where there is a close, or by another verb", () => {
  expect(factoryProblems(exported).filter((name) => !FACTORIES.has(name))).toEqual([]);
});

it("no file has a riddle for a name", () => {
  const files = [...code, ...readTree(ROOT, "test", "code"), ...tests].map(({ file }) => file);
  expect(riddleFiles(files).filter((file) => !RIDDLE_FILES.has(file.slice(file.lastIndexOf("/") + 1)))).toEqual([]);
});

it("the name of a test is a sentence with its subject", () => {
  const odd = tests.flatMap((one) => testNames(one).filter((name) => !isSentence(name)));
  expect(odd.slice(ODD_TEST_NAMES), `${odd.length} names are no sentences: ${odd.join(" | ")}`).toEqual([]);
});

it("a sentence needs three words, a subject first and a verb after it", () => {
  for (const name of ["a file that is gone is refused", "grep finds nothing", "rules of a person stand alone", "%s: %s"])
    expect(isSentence(name)).toBe(true);
  for (const name of ["unknown key", "refuses to store a link", "the same in a stream"]) expect(isSentence(name)).toBe(false);
});

it("exports, factories and riddles are recognised", () => {
  const [made, opened, doing] = [
    "export function shelf() { const get = () => 1; return { get }; }",
    "export const openDoor = () => ({ close() {} });",
    "export const doing = () => () => 1;\nexport interface Shelf {}",
  ].map((text) => exportsOf({ file: "src/x/y.ts", text }));
  expect(factoryProblems([...made!, ...opened!, ...doing!])).toEqual(["shelf", "doing"]);
  expect([...sharedNames([...made!, ...exportsOf({ file: "src/z.ts", text: "export const shelf = 1;" })]).keys()]).toEqual(["shelf"]);
  expect(riddleFiles(["src/a/goals-desk.ts", "src/a/goals.ts", "test/told.test.ts"])).toEqual(["src/a/goals-desk.ts", "test/told.test.ts"]);
});

it("what a tool is, is asked of the tool: outside tools/ its name is compared to no literal, apart from the files listed with a reason", () => {
  const names = toolNames(code);
  expect(names.size).toBeGreaterThan(20);
  const found = code.filter(({ file }) => !file.startsWith("src/tools/")).map((one) => ({ file: one.file, uses: namedTools(one, names) }));
  const naming = found.filter(({ uses }) => uses.length > 0);
  expect(naming.filter(({ file }) => !(file in KNOW_TOOLS))).toEqual([]);
  expect(Object.keys(KNOW_TOOLS).filter((file) => !naming.some((one) => one.file === file))).toEqual([]);
  const text = 'if (call.tool.name === "bash" || name.startsWith("mcp__")) ["read", "write"].includes(tool); touch.access === "read";';
  expect(namedTools({ file: "x.ts", text }, names)).toEqual(['call.tool.name === "bash"', '"mcp__"', '["read", "write"]']);
});
