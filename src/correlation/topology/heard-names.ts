// Heard names: by what names the kernel's log calls network cards, whose events come in any order.

import type { Aliases } from '../../identity/aliases.ts';
import type { FaultEvent } from '../../model/event.ts';

/** A host has fewer; beyond them names of cards are made up. */
const MOST_CARDS = 256;

export class HeardNames {
  readonly #aliases: Aliases;
  /** Addresses of cards that have no names but these. */
  readonly #cards = new Set<string>();

  constructor(aliases: Aliases) {
    this.#aliases = aliases;
  }

  /**
   * A line of the kernel's names a card by its address and its interface: what was reported of the interface is the card's, unless
   * that is another card's name. A card is shown under the names that its host gives it; where that gives none, under all that
   * were heard, so that it does not matter which came first. `leads`: to the card and no more; `shown`: the card is called so.
   */
  take({ trust, component }: FaultEvent): 'nothing' | 'leads' | 'shown' {
    if (trust !== 'kernel' || component?.type !== 'nic' || component.aliases === undefined) return 'nothing';
    const { aliases: heard, ...card } = component;
    const known = this.#aliases.resolve(card).component;
    const names = known.aliases ?? [];
    const isFree = (name: string): boolean => this.#aliases.resolve({ ...card, id: name }).component.id === name;
    const fresh = heard.filter((name) => !names.includes(name) && isFree(name));
    if (known.id !== card.id || fresh.length === 0) return 'nothing';
    if (names.length > 0 && !this.#cards.has(card.id))
      return this.#aliases.answersTo(known, fresh) ? 'leads' : 'nothing';
    if (this.#cards.size >= MOST_CARDS && !this.#cards.has(card.id)) return 'nothing';
    this.#cards.add(card.id);
    return this.#aliases.learn({ ...known, aliases: [...names, ...fresh].sort() }) ? 'shown' : 'nothing';
  }
}
