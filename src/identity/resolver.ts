// Resolver: what the host showed about its components, so that events carry names that people and topology know.

import { forgetOldest } from '../helpers/remember.ts';
import { type Component, componentText, isWorkText } from '../model/component.ts';

/** More components than any host has; a source that invents more is broken or hostile. */
const MAX_COMPONENTS = 20_000;
/** Jobs and ranks that make room, at once. */
const FORGOTTEN = 1000;

const INDEX = /^[a-z]+ \d+$/;
const isIndex = (alias: string): boolean => INDEX.test(alias);

export class Resolver {
  readonly #known = new Map<string, Component>();

  learn(component: Component): void {
    const key = componentText(component);
    const before = this.#known.get(key);
    if (this.#known.size >= MAX_COMPONENTS && before === undefined) {
      if (forgetOldest(this.#known, isWorkText, FORGOTTEN).length === 0) return;
    }
    this.#known.delete(key); // what is named again is young again
    // "gpu 0" is a place in a list, and only the last word on it counts: other names stay.
    const lasting = (before?.aliases ?? []).filter((alias) => !(isIndex(alias) && component.aliases?.some(isIndex)));
    const aliases = new Set([...lasting, ...(component.aliases ?? [])]);
    this.#known.set(key, { ...before, ...component, ...(aliases.size > 0 ? { aliases: [...aliases] } : {}) });
  }

  /** The same component with host, parent and aliases as far as they are known; what is not known stays as it is. */
  resolve(component: Component | null): Component | null {
    if (component === null) return null;
    const known = this.#known.get(componentText(component));
    return known === undefined ? component : { ...known, ...component };
  }
}
