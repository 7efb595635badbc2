// Aliases: one component under several names (PCI address, UUID, serial) becomes one, whichever name came first.

import { forgetOldest, remember } from '../helpers/remember.ts';
import { type Component, type ComponentType, componentText, isWorkText } from '../model/component.ts';
import { PartSpelling } from './part-spelling.ts';

const MAX_ALIASES = 8192;
/** Jobs and ranks that make room, at once. */
const FORGOTTEN = 512;
/** "gpu 0" and the like name a place in a list that differs between tools: shown to people, never resolved by. */
const INDEX = /^[a-z]+ ?\d+$/i;
/** "ens6" and "ib0" look alike, but the kernel gives each to one interface. */
const NIC_INDEX = /^nic ?\d+$/i;
const isIndex = (type: ComponentType, alias: string): boolean => (type === 'nic' ? NIC_INDEX : INDEX).test(alias);

const placeOf = ({ type, aliases }: Component): string | null => aliases?.find((alias) => isIndex(type, alias)) ?? null;
const withPlace = ({ type, aliases = [] }: Component, place: string | null): string[] =>
  [place, ...aliases.filter((alias) => !isIndex(type, alias))].filter((alias) => alias !== null);

/** Kinds of devices that the bus names by nothing but their address: what it reports of the address is of the device. */
const ON_BUS: ReadonlySet<ComponentType> = new Set(['gpu', 'nic', 'nvswitch']);

/** A component under its canonical name, with that name as text. */
export interface Place {
  readonly component: Component;
  readonly text: string;
}

export class Aliases {
  /** `type/alias` → the component. */
  readonly #known = new Map<string, Component>();
  /** Component text → the fullest form seen, with its aliases. */
  readonly #full = new Map<string, Component>();
  readonly #parts = new PartSpelling();
  /** Answers for what has one, by type and id, until something new is learned: this is asked at every event. */
  readonly #resolved = new Map<ComponentType, Map<string, Place>>();

  /** Takes the names of a component; true when something new was learned. */
  learn(component: Component): boolean {
    const text = componentText(component);
    const before = this.#full.get(text);
    const more = (component.aliases?.length ?? 0) > (before?.aliases?.length ?? 0);
    const moved =
      before !== undefined && !more && placeOf(component) !== null && placeOf(component) !== placeOf(before);
    if (before !== undefined && !more && !moved) {
      // A job that is named again is young again.
      if (isWorkText(text)) remember(this.#full, text, before, MAX_ALIASES);
      return false;
    }
    if (this.#full.size >= MAX_ALIASES && before === undefined && !this.#forget()) return false;
    this.#full.set(text, moved ? { ...before, aliases: withPlace(before, placeOf(component)) } : component);
    this.#resolved.clear();
    for (const alias of component.aliases ?? []) {
      const key = `${component.type}/${alias}`;
      if (!isIndex(component.type, alias) && key !== text && this.#known.size < MAX_ALIASES)
        this.#known.set(key, component);
    }
    const bus = `pcie/${component.id}`;
    const onBus = ON_BUS.has(component.type) && !this.#known.has(bus) && this.#known.size < MAX_ALIASES;
    if (onBus) this.#known.set(bus, component);
    // One name alone changes what no other name means.
    return onBus || (component.aliases?.length ?? 0) > 0;
  }

  /** Further names that lead to a component, and are not shown as its own; true when one is new. */
  answersTo(component: Component, names: readonly string[]): boolean {
    let fresh = false;
    for (const name of names) {
      const key = `${component.type}/${name}`;
      if (isIndex(component.type, name) || this.#known.has(key) || this.#known.size >= MAX_ALIASES) continue;
      this.#known.set(key, component);
      fresh = true;
    }
    if (fresh) this.#resolved.clear();
    return fresh;
  }

  /** Jobs and ranks of long ago make room. */
  #forget(): boolean {
    const gone = new Set(forgetOldest(this.#full, isWorkText, FORGOTTEN));
    for (const [key, component] of this.#known) if (gone.has(componentText(component))) this.#known.delete(key);
    return gone.size > 0;
  }

  /** The component under its canonical name, in the fullest form known. */
  resolve(component: Component): Place {
    const before = this.#resolved.get(component.type)?.get(component.id);
    if (before !== undefined) return before;
    const part = this.#parts.resolve(component);
    const text = componentText(part);
    const canonical = this.#known.get(text);
    const full = this.#full.get(canonical === undefined ? text : componentText(canonical)) ?? canonical;
    if (full === undefined) return { component: part, text };
    const place = { component: full, text: componentText(full) };
    const ofType = this.#resolved.get(component.type);
    if (ofType === undefined) this.#resolved.set(component.type, new Map([[component.id, place]]));
    else ofType.set(component.id, place);
    return place;
  }
}
