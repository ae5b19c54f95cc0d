import type { Line } from "../line.ts";
import { isStamped as hasStampOrLevel, stampOf } from "./stamps.ts";

const SAMPLE = 500;
const FEWEST = 4;
const SHARE = 0.6;
/** Frames and other lines that belong to the one above say nothing about the form. */
const CONTINUES = /^\s|^(?:Caused by|Traceback )/;

/** Whether most lines carry a time or a level. In a file that is not named as a log, a level alone proves nothing: notes and sources speak of errors too. */
export function isLog(lines: readonly Line[], kind: "output" | "file"): boolean {
  const isStamped = kind === "file" ? (text: string) => stampOf(text) !== null : hasStampOrLevel;
  const step = Math.max(1, Math.floor(lines.length / SAMPLE));
  let looked = 0;
  let stamped = 0;
  for (let at = 0; at < lines.length; at += step) {
    const { text } = lines[at]!;
    if (text === "" || (CONTINUES.test(text) && !isStamped(text))) continue;
    looked++;
    if (isStamped(text)) stamped++;
  }
  return looked >= FEWEST && stamped >= looked * SHARE;
}

const READERS = /^(?:z?cat|head|tail|z?less|more|bat|batcat|tac)$/;
const LOG_FILE = /\.log(?:[.-][\w.-]+)?$|^\/var\/log\/|(?:^|\/)(?:syslog|messages|dmesg|auth|kern|catalina\.out|nohup\.out)(?:\.\d+)?$/;
const LOG_COMMAND = /^(?:journalctl|dmesg|docker (?:compose )?(?:container )?logs|kubectl logs|stern|heroku logs|pm2 logs|adb logcat)\b/;
/** Their lines are data, with or without a time. */
const LISTS =
  /^(?:ls|ll|dir|exa|eza|lsd|find|fd|locate|du|df|ps|top|stat|tar|unzip|zipinfo|aws|gsutil|gcloud|az|rclone|s3cmd|mc|last|who|w|crontab|at|atq|git|gh|glab|hg|svn|[efz]?grep|rg|ag|ack|kubectl (?:get|describe|top|explain)|docker (?:ps|images|stats|volume|network|inspect)|systemctl list|helm|terraform|squeue|qstat|lsof|netstat|ss)\b/;

/** Whether a command is known to show a log, known not to, or its lines must tell. */
export function showsLog({
  words,
  verbatim,
}: {
  readonly words: readonly string[];
  readonly verbatim: string | null;
}): "yes" | "no" | "perhaps" {
  const command = words.join(" ");
  const isReader = READERS.test(words[0] ?? "");
  if (LOG_COMMAND.test(command) || (isReader && words.slice(1).some((word) => LOG_FILE.test(word)))) return "yes";
  return LISTS.test(command) || (verbatim !== null && !isReader) ? "no" : "perhaps";
}
