// Resolver: what the host showed about its components, so that events carry names that people and topology know.

import type { Component } from '../model/component.ts';
import { componentText } from '../model/component.ts';

/** More components than any host has; a source that invents more is broken or hostile. */
const MAX_COMPONENTS = 20_000;

const INDEX = /^[a-z]+ \d+$/;
const isIndex = (alias: string): boolean => INDEX.test(alias);

export class Resolver {
  readonly #known = new Map<string, Component>();

  learn(component: Component): void {
    const key = componentText(component);
    if (this.#known.size >= MAX_COMPONENTS && !this.#known.has(key)) return;
    const before = this.#known.get(key);
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
