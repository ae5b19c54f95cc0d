import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../../../../test/any-character.ts";
import type { Question } from "../../../../core/event.ts";
import { choicesFor } from "../../../../question/answers.ts";
import { chooseTheme } from "../theme.ts";
import { questionLines } from "./question.ts";
import { answerKeys, questionKeys } from "./question-keys.ts";
import { shownText } from "./shown-text.ts";

const theme = chooseTheme({ LANG: "C.UTF-8" }, "none");
const asked = (more: Partial<Question>): Question => ({ call_id: "1", tool: "bash", args: {}, why: [], touches: [], ...more });
const lines = (more: Partial<Question>, width = 60) => questionLines({ question: asked(more), waiting: 0 }, width, theme);
/** What is left when the edges, marks and blanks that we draw are taken away. */
const bare = (text: string): string => text.replace(/[\s▌│…]/g, "");

describe("A question", () => {
  it("leaves out nothing of what the caller wrote, whatever the width", () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: anyCharacter, maxLength: 400 }), fc.constant("長い文 word ".repeat(40)));
    fc.assert(
      fc.property(text, text, fc.integer({ min: 20, max: 110 }), (command, other, width) => {
        const shown = bare(lines({ args: { command, other }, preview: `@@ -1 +1 @@\n+${other}`, touches: [] }, width).join("\n"));
        for (const given of [command, other]) expect(shown).toContain(bare(shownText(given)));
      }),
    );
  });

  it("shows three hundred lines whole", () => {
    const command = Array.from({ length: 300 }, (_, n) => `echo ${n}`).join("\n");
    const shown = lines({ args: { command } });
    for (const line of command.split("\n")) expect(shown).toContain(`▌   ${line}`);
  });

  it("says word for word what a yes for longer would allow", () => {
    const shown = lines({ args: {}, always_rule: "allow bash on npm test", all_edits: true }, 200).join("\n");
    expect(shown).toContain("session   allows this call for the same places until you leave");
    expect(shown).toContain("edits     allows every edit of a file in this workspace until you leave");
    expect(shown).toContain("always    writes the rule: allow bash on npm test");
    expect(lines({}, 200).join("\n")).not.toMatch(/always|edits/);
    expect(lines({ whole_repository: "/src/all" }, 200).join("\n")).toContain("lets commands change all of /src/all");
  });

  it("does not mistake an argument for a part of its own", () => {
    const shown = lines({ args: { touches: "mine", always: "mine too" }, touches: [{ kind: "url", url: "https://a.example" }] });
    expect(shown).toContain("▌ touches   mine");
    expect(shown).toContain("▌ always    mine too");
    expect(shown).toContain("▌ touches   reach https://a.example");
  });
});

describe("The keys of a question", () => {
  const keys = (question: Parameters<typeof choicesFor>[0]) =>
    answerKeys(choicesFor(question)).map(({ key, answer }) => `${key} ${answer}`);

  it("are those of the answers that are offered, and no others", () => {
    expect(keys({})).toEqual(["y once", "s session", "n no"]);
    expect(keys({ always_rule: "x", all_edits: true })).toEqual(["y once", "s session", "f edits", "a always", "n no"]);
    expect(keys({ whole_repository: "/x" })).toEqual(["y session", "n no"]);
  });

  it("are not shown while they do not count", () => {
    const shown = (state: Parameters<typeof questionKeys>[0]) => questionKeys(state, 80, theme).join("\n");
    expect(shown({ kind: "typing", left: 0 })).not.toMatch(/\[[ysan]\]/);
    expect(shown({ kind: "unread", left: 3 })).not.toMatch(/\[[ysa]\]/);
    expect(shown({ kind: "confirming" })).toContain("[Enter] writes it");
  });
});
