// Cleaner: everything that goes into a bundle goes through it once: secrets out, and names where that is asked for.

import { REDACTED } from '../../model/redact.ts';
import type { Names } from './names.ts';
import { isSecretName, withoutSecrets } from './secrets.ts';

/** A shorter one would take ordinary words out of the text. */
const SHORTEST_SECRET = 6;

export class Cleaner {
  readonly #names: Names | null;
  readonly #secrets: readonly string[];
  #removed = 0;

  /** `secrets`: values that the configuration keeps secret. `names`: null where names stay. */
  constructor(secrets: readonly string[], names: Names | null) {
    this.#names = names;
    this.#secrets = [...new Set(secrets)]
      .filter((each) => each.length >= SHORTEST_SECRET)
      .sort((a, b) => b.length - a.length);
  }

  /** How many secrets were taken out. */
  get removed(): number {
    return this.#removed;
  }

  text(text: string): string {
    const known = this.#secrets.reduce((left, secret) => left.replaceAll(secret, REDACTED), text);
    const bare = withoutSecrets(known);
    if (bare !== text) this.#removed += Math.max(1, occurrences(bare) - occurrences(text));
    return this.#names === null ? bare : this.#names.replace(bare);
  }

  /** Each text in it; one whose name says that it is a secret goes as a whole. */
  value<T>(value: T): T {
    return this.#deep(value, '') as T; // the same shape with other texts
  }

  #deep(value: unknown, name: string): unknown {
    if (typeof value === 'string') {
      if (value === '' || value === REDACTED || !isSecretName(name)) return this.text(value);
      this.#removed += 1;
      return REDACTED;
    }
    if (Array.isArray(value)) return value.map((each) => this.#deep(each, name));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [this.text(key), this.#deep(inner, key)]));
  }
}

function occurrences(text: string): number {
  return text.split(REDACTED).length - 1;
}
