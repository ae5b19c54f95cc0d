import { homedir } from "node:os";
import { loadConfig } from "../../../config/load.ts";
import type { Config } from "../../../config/schema.ts";
import { defaultConfig } from "../../../config/settings.ts";
import { attempt } from "../../../text/attempt.ts";
import { isWithoutModel } from "../chat/chat-words.ts";
import type { Invocation } from "../program/invocation.ts";
import { wishOf } from "../run/run-options.ts";
import type { GlobalSettings } from "../runtime.ts";
import { type ChatScreen, openChatScreen } from "./chat-screen.ts";

/** A chat on the screen. `in lines`: the person's settings want it line by line. `no model`: one has to be chosen first, line by line. */
export async function chatOnScreen(given: Invocation, early: ChatScreen | null): Promise<number | "in lines" | "no model"> {
  const ui = readUi(given.settings);
  if (ui.screen === "plain") {
    early?.close();
    return "in lines";
  }
  const screen = early ?? openChatScreen(given.terminal);
  screen.useTheme(ui.theme);
  try {
    const { converseOnScreen } = await import("./converse-on-screen.ts");
    return await converseOnScreen(given, screen, ui);
  } catch (error) {
    if (Object.keys(wishOf(given.flags)).length > 0 || !isWithoutModel(error)) throw error;
    return "no model";
  } finally {
    screen.close();
  }
}

/** What is wrong with the configuration is told by whoever reads all of it. */
function readUi({ set, config }: GlobalSettings): Config["ui"] {
  const where = { cwd: process.cwd(), home: homedir(), env: process.env };
  const load = () => loadConfig({ ...where, flags: set, ...(config !== undefined && { userFile: config }), trusted: () => false });
  return attempt(() => load().config.ui, defaultConfig().ui);
}
