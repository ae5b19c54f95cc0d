import type { Zeph } from "../../runtime/create.ts";

/** SIGHUP means here that the terminal is gone, and SIGUSR1 opens Node's debugger. */
const SIGNAL = "SIGUSR2";

/** `kill -USR2`: whoever is served reads its rules again. Made before there is anybody to serve, because the signal would end the process. */
export function listenForReload() {
  let served: Zeph | null = null;
  let isAsked = false;
  const reload = () => {
    isAsked = served === null;
    void served?.governance.reload(undefined, "a signal");
  };
  process.on(SIGNAL, reload);
  return {
    serve(zeph: Zeph) {
      served = zeph;
      if (isAsked) reload();
    },
    close: () => void process.off(SIGNAL, reload),
  };
}
