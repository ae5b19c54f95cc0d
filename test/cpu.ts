/** CPU time of this process in milliseconds: how much work something is, whatever else the machine does meanwhile. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
