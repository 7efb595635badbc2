// Edges: those that lead to a node, or from it, in the order in which they came. Gone through at every event, looked up seldom.

/** Up to here going through them finds one faster than an index does. */
const FEW = 64;

export class Edges<Node, Edge> {
  /** The nodes at the other ends, each once. */
  readonly near: Node[] = [];
  /** The edge to each of `near`, at the same place. */
  readonly all: Edge[] = [];
  /** Null as long as they are few. */
  #index: Map<Node, Edge> | null = null;

  get size(): number {
    return this.all.length;
  }

  /** The edge between it and the other one; undefined for none. */
  get(other: Node): Edge | undefined {
    if (this.#index !== null) return this.#index.get(other);
    const at = this.near.indexOf(other);
    return at < 0 ? undefined : this.all[at];
  }

  has(other: Node): boolean {
    return this.#index === null ? this.near.includes(other) : this.#index.has(other);
  }

  /** Puts the edge in the place of the one to the same node, or at the end. */
  set(other: Node, edge: Edge): void {
    if (this.has(other)) this.all[this.near.indexOf(other)] = edge;
    else {
      this.near.push(other);
      this.all.push(edge);
    }
    if (this.#index !== null) this.#index.set(other, edge);
    else if (this.near.length > FEW) this.#index = new Map(this.near.map((one, i) => [one, this.all[i] ?? edge]));
  }

  /** Takes the edge to it away, where there is one. */
  delete(other: Node): void {
    const at = this.near.indexOf(other);
    if (at < 0) return;
    remove(this.near, at);
    remove(this.all, at);
    this.#index?.delete(other);
    if (this.near.length === 0) this.#index = null;
  }

  /** Takes all away. */
  clear(): void {
    this.near.length = 0;
    this.all.length = 0;
    this.#index = null;
  }
}

/** As splice does, which makes an array of what it takes out. */
function remove<Item>(list: Item[], at: number): void {
  let to = at;
  for (let next = list[to + 1]; next !== undefined; next = list[to + 1]) {
    list[to] = next;
    to += 1;
  }
  list.pop();
}
