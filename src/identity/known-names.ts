// Known names: which components this host has shown or had in its configuration, for what operators say about others.

import { forgetOldest } from '../helpers/remember.ts';
import { type Component, componentText, isWorkText } from '../model/component.ts';

/** As many as the resolver knows; a source that invents more is broken or hostile. */
const MOST = 20_000;
/** Jobs and ranks that make room, at once. */
const FORGOTTEN = 1000;

export class KnownNames {
  readonly #names = new Set<string>();
  readonly #host: string;

  constructor(host: string) {
    this.#host = host;
    this.#names.add(`host/${host}`);
  }

  saw(component: Component | null): void {
    if (component === null) return;
    const text = componentText(component);
    if (this.#names.size >= MOST && !this.#names.has(text)) {
      if (forgetOldest(this.#names, isWorkText, FORGOTTEN).length === 0) return;
    }
    // A job that is named again is young again.
    if (isWorkText(text)) this.#names.delete(text);
    this.#names.add(text);
  }

  list(): readonly string[] {
    return [...this.#names];
  }

  /** Also what parts of it were seen of: `pdu/pdu-b` where `pdu_phase/pdu-b/1` was, `job/llama` where one of its ranks was. */
  has(component: Component): boolean {
    const text = componentText(component);
    if (this.#names.has(text) || component.id === this.#host) return true;
    const part = `/${component.id}/`;
    return this.list().some((name) => name.slice(name.indexOf('/')).startsWith(part));
  }
}
