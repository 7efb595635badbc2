// Strongly connected components of a small directed graph: which kinds lie on one cycle (Tarjan's algorithm).

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
  const stack: Node[] = [];
  let components = 0;

  // Recursion is as deep as there are kinds, about 130.
  function visit(node: Node): number {
    const own = order.size;
    order.set(node, own);
    stack.push(node);
    let low = own;
    for (const target of next.get(node) ?? []) {
      if (component.has(target)) continue;
      low = Math.min(low, order.get(target) ?? visit(target));
    }
    if (low === own) {
      for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
        component.set(member, components);
        if (member === node) break;
      }
      components += 1;
    }
    return low;
  }
  for (const node of next.keys()) if (!order.has(node)) visit(node);
  return component;
}
