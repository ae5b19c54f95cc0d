import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { imagesIn } from "./message-images.ts";

const folder = mkdtempSync(join(tmpdir(), "zeph-images-"));
writeFileSync(join(folder, "a.png"), "");
writeFileSync(join(folder, "my shot.PNG"), "");
afterAll(() => rmSync(folder, { recursive: true }));

const paths = (text: string) => imagesIn(text).map((image) => ("path" in image ? image.path : ""));

describe("the images of a message", () => {
  it("are those named with @, whether they are there or not", () =>
    expect(paths("see @docs/a.png and @b.jpeg, not mail@c.png or d.png")).toEqual(["docs/a.png", "b.jpeg"]));

  it("are paths of files that are there, also in quotes and with blanks as windows write them", () => {
    const blank = join(folder, "my shot.PNG");
    expect(paths(`${folder}/a.png`)).toEqual([`${folder}/a.png`]);
    expect(paths(`compare '${blank}' with "${folder}/a.png"`)).toEqual([blank, `${folder}/a.png`]);
    expect(paths(`see ${blank.replace(" ", "\\ ")} there`)).toEqual([blank]);
  });

  it("are no paths that are only spoken of", () =>
    expect(paths("the link to /assets/logo.png and ./img/x.webp is broken, and '/my pics/a.gif', too")).toEqual([]));
});
