/** Says what a gate did on its own, and writes it into the audit log. */
export const createAlarm = (say: (message: string) => void, note: (text: string) => void) => (message: string) => {
  say(message);
  try {
    note(message);
  } catch (error) {
    say(`That could not be written into the audit log: ${(error as Error).message}`);
  }
};
