import type { ApprovedCall } from "../../core/door.ts";
import type { ZephEvent } from "../../core/event.ts";
import type { Serve } from "../../core/ports/served.ts";
import { missingWalls, type Walls } from "../../core/ports/walls.ts";

/** Says so each time something runs without walls: no setting and no answer makes that silent. */
export interface WallsWarning {
  /** Once for each call, however many programs it starts. */
  command(permit: ApprovedCall, walls: Walls): void;
  /** Before a program is served: others must be able to see by then that it has no walls. */
  serving(walls: Walls): void;
  /** The same as for a command for programs that are served. */
  served(serve: Serve): Serve;
}

/** `note` is called before anything is told. */
export function createWallsWarning(emit: (event: ZephEvent) => void, note: () => void): WallsWarning {
  const known = new WeakSet<ApprovedCall>();
  const tell = (tool: string, walls: Walls, callId?: string) => {
    const reason = missingWalls(walls);
    if (reason === undefined) return;
    note();
    emit({ type: "without_walls", ...(callId !== undefined && { callId }), tool, reason });
    emit({ type: "warning", message: `${tool} runs without walls, with all your rights and the network open: ${reason}` });
  };
  return {
    command(permit, walls) {
      if (known.has(permit)) return;
      known.add(permit);
      tell(permit.call.tool.name, walls, permit.call.id);
    },
    serving(walls) {
      if (missingWalls(walls) !== undefined) note();
    },
    served: (serve) => async (program) => {
      const running = await serve(program);
      tell(program.argv[0], running.walls);
      return running;
    },
  };
}
