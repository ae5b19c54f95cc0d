/** The circles of a graph: groups whose members all lead back to themselves. Nodes that only lead into a circle are in none. */
export function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = finishingOrder(graph);
  const backwards = new Map<string, string[]>();
  for (const [from, targets] of graph)
    for (const to of targets) {
      const known = backwards.get(to);
      if (known) known.push(from);
      else backwards.set(to, [from]);
    }
  const seen = new Set<string>();
  const circles: string[][] = [];
  for (const start of order.reverse()) {
    if (seen.has(start)) continue;
    const group = reach(start, backwards, seen);
    if (group.length > 1 || graph.get(start)?.includes(start)) circles.push(group.sort());
  }
  return circles;
}

/** One way round a circle, ending where it began. */
export function wayRound(circle: readonly string[], graph: ReadonlyMap<string, readonly string[]>): string[] {
  const inside = new Set(circle);
  const path: string[] = [circle[0]!];
  const at = new Map([[circle[0]!, 0]]);
  for (;;) {
    const next = graph.get(path.at(-1)!)!.find((one) => inside.has(one))!;
    const before = at.get(next);
    if (before !== undefined) return [...path.slice(before), next];
    at.set(next, path.length);
    path.push(next);
  }
}

/** Depth first, without calling itself: a chain of rules may be long. */
function finishingOrder(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const order: string[] = [];
  const seen = new Set<string>();
  for (const start of graph.keys()) {
    if (seen.has(start)) continue;
    seen.add(start);
    const open = [{ node: start, next: 0 }];
    while (open.length > 0) {
      const top = open.at(-1)!;
      const target = graph.get(top.node)?.[top.next++];
      if (target === undefined) {
        order.push(top.node);
        open.pop();
      } else if (!seen.has(target)) {
        seen.add(target);
        open.push({ node: target, next: 0 });
      }
    }
  }
  return order;
}

function reach(start: string, graph: ReadonlyMap<string, readonly string[]>, seen: Set<string>): string[] {
  seen.add(start);
  const group = [start];
  for (const node of group)
    for (const next of graph.get(node) ?? [])
      if (!seen.has(next)) {
        seen.add(next);
        group.push(next);
      }
  return group;
}
