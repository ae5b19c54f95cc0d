import * as z from "zod";
import { setting } from "../core/setting.ts";
import { makeOnce } from "../text/make-once.ts";

export const uiConfig = makeOnce(() =>
  z
    .strictObject({
      screen: setting(
        z.enum(["auto", "plain"]).default("auto"),
        "How the chat is drawn. `auto`: with a status line, an editor and questions answered by a key, where there is a terminal for it. `plain`: line by line, for a screen reader.",
      ),
      theme: setting(
        z.enum(["auto", "dark", "light", "none"]).default("auto"),
        "Colours of the chat, for a dark or a light background. `auto` asks the variable COLORFGBG, else takes dark; NO_COLOR switches them off.",
      ),
      notify: setting(
        z.enum(["auto", "bell", "off"]).default("auto"),
        "What tells you that the chat waits for you while its window is not in front. `auto`: the bell, and a notification of the terminal where it knows them. `bell`: the bell alone.",
      ),
      title: setting(
        z.boolean().default(true),
        "Whether the window's title says what the chat is doing. It is put back when the chat ends.",
      ),
    })
    .prefault({}),
);
