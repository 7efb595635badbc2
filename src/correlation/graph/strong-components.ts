// Strongly connected components of a directed graph: which nodes lie on one cycle (Tarjan's algorithm, without recursion).

/** A node whose targets are gone through at the moment. */
interface Visit<Node> {
  readonly node: Node;
  readonly targets: Iterator<Node>;
  readonly own: number;
  /** The earliest node that it reaches. */
  low: number;
}

/** Number of the component of every node; nodes with the same number reach each other. */
export function componentsOf<Node>(edges: readonly (readonly [Node, Node])[]): ReadonlyMap<Node, number> {
  const next = new Map<Node, Set<Node>>();
  for (const [from, to] of edges) {
    if (!next.has(to)) next.set(to, new Set());
    const targets = next.get(from);
    if (targets === undefined) next.set(from, new Set([to]));
    else targets.add(to);
  }
  const order = new Map<Node, number>();
  const component = new Map<Node, number>();
  const open: Node[] = [];
  let components = 0;

  function enter(node: Node): Visit<Node> {
    const own = order.size;
    order.set(node, own);
    open.push(node);
    return { node, targets: (next.get(node) ?? new Set<Node>()).values(), own, low: own };
  }

  function close(node: Node): void {
    for (let member = open.pop(); member !== undefined; member = open.pop()) {
      component.set(member, components);
      if (member === node) break;
    }
    components += 1;
  }

  for (const start of next.keys()) {
    if (order.has(start)) continue;
    const way = [enter(start)];
    for (let at = way.at(-1); at !== undefined; at = way.at(-1)) {
      const target = at.targets.next();
      if (target.done !== true) {
        const known = order.get(target.value);
        if (known === undefined) way.push(enter(target.value));
        else if (!component.has(target.value)) at.low = Math.min(at.low, known);
        continue;
      }
      way.pop();
      if (at.low === at.own) close(at.node);
      const before = way.at(-1);
      if (before !== undefined) before.low = Math.min(before.low, at.low);
    }
  }
  return component;
}
