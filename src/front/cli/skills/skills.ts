import { ownSkillFolders } from "../../../runtime/features/skill-folders.ts";
import { actionFor, withStores } from "../command.ts";
import { EXIT } from "../exit.ts";
import { assertPersonDecides } from "../hook/client-above.ts";
import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine } from "../run/print.ts";
import { forgetSkill, grantSkill, openSkillsFor, revokeSkill, type SkillRequest, skillCalled } from "../settings/trust-skill.ts";
import { headJson, listText, showJson, showText } from "./skills-text.ts";

/** `zeph skills`: what skills there are, how far each is believed, and a word of the person about one. */
export async function skills({ words, flags, settings, terminal }: Invocation): Promise<number> {
  const [action = "list", ...rest] = words;
  const run = actionFor("skills", action, ACTIONS);
  return withStores(settings, terminal, async ({ trust, loaded, at }) => {
    // Whoever works for the person does not vouch in their place.
    if (VOUCHING.includes(action)) assertPersonDecides(at, `zeph skills ${action}`);
    const io = { stdout: terminal.stdout, stderr: terminal.stderr, cwd: process.cwd(), home: at.home, env: process.env };
    const { name, folder } = action === "list" ? noName(rest) : oneName(action, rest);
    const print = (value: object, text: string) => void terminal.stdout.write(flags.json ? jsonLine(value) : text);
    await run({ name, folder, io, trust, config: loaded.config }, print, terminal);
    return EXIT.ok;
  });
}

type Print = (value: object, text: string) => void;
type Action = (wish: SkillRequest, print: Print, terminal: Invocation["terminal"]) => Promise<void>;

const ACTIONS: Readonly<Record<string, Action>> = {
  async list(wish, print, terminal) {
    const found = openSkillsFor(wish);
    const list = await found.list();
    const broken = await found.broken();
    const leftOut = broken.map(({ folder, why }) => ({ folder, why }));
    const places = ownSkillFolders({ home: wish.io.home, env: wish.io.env });
    print(
      { skills: list.map(headJson), left_out: leftOut },
      wish.config.skills.enabled ? listText(list, leftOut, { terminal, home: wish.io.home, cwd: wish.folder, places }) : SWITCHED_OFF,
    );
  },
  async show(wish, print) {
    const skill = await skillCalled(wish);
    print(showJson(skill), showText(skill));
  },
  trust: grantSkill,
  untrust: revokeSkill,
  forget: forgetSkill,
};

const VOUCHING = ["trust", "untrust", "forget"];
const SWITCHED_OFF = 'Skills are switched off: "skills.enabled" is false.\n';

function noName(words: readonly string[]): { name: string; folder: string } {
  if (words.length > 0) throw new UsageError("`zeph skills list` takes no words. To see one: zeph skills show <name>.");
  return { name: "", folder: process.cwd() };
}

function oneName(action: string, [name, ...more]: readonly string[]): { name: string; folder: string } {
  if (name === undefined || more.length > 0)
    throw new UsageError(`Say which one: zeph skills ${action} <name>. \`zeph skills\` lists them.`);
  return { name: name.trim().toLowerCase(), folder: process.cwd() };
}
