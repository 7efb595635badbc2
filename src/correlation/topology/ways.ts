// Ways: the paths between components that revisions name, each found and drawn once as long as nothing that is known changes.

import { type Component, componentText } from '../../model/component.ts';

interface Way {
  readonly path: readonly string[];
  text: string | null;
}

const MAX_WAYS = 4096;

export class Ways {
  readonly #known = new Map<string, Way>();
  readonly #find: (from: Component, to: Component) => readonly string[];

  /** `find`: component texts, first and last included; empty for no way. */
  constructor(find: (from: Component, to: Component) => readonly string[]) {
    this.#find = find;
  }

  path(from: Component, to: Component): readonly string[] {
    return this.#between(from, to).path;
  }

  text(from: Component, to: Component, draw: (path: readonly string[]) => string): string {
    const way = this.#between(from, to);
    way.text ??= draw(way.path);
    return way.text;
  }

  /** A component or link came or went. */
  clear(): void {
    this.#known.clear();
  }

  #between(from: Component, to: Component): Way {
    const key = `${componentText(from)} ${componentText(to)}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= MAX_WAYS) this.#known.clear();
    const way = { path: this.#find(from, to), text: null };
    this.#known.set(key, way);
    return way;
  }
}
