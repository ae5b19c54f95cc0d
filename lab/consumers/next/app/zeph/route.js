import { runProgram } from "../../main.mjs";

export const dynamic = "force-dynamic";

export async function GET() {
  return Response.json(await runProgram());
}
