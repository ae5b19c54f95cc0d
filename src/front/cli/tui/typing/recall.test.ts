import { expect, it } from "vitest";
import { createDraftEditor } from "./draft-editor.ts";
import { createRecall } from "./recall.ts";

it("after what was called back is cleared, Up begins with the newest again", () => {
  const draft = createDraftEditor();
  const recall = createRecall(draft, ["newest", "older", "oldest"]);
  const press = (name: string) => {
    recall.key({ name });
    return draft.text();
  };
  expect([press("up"), press("up"), press("down"), press("up")]).toEqual(["newest", "older", "newest", "older"]);
  draft.set("");
  expect(press("up")).toBe("newest");
  expect(press("down")).toBe("");
});
