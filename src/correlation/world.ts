// World: what every explanation is drawn from besides its own conditions, as a number that grows with each change of it.

import type { Kind } from '../model/kind.ts';
import type { Condition } from './belief/condition.ts';

const MAX_SOURCES = 256;
const FAILED: readonly Kind[] = ['agent.source_failed', 'power.feed_unreachable'];
const NONE: readonly Condition[] = [];
/** Whatever their place, these go into the explanation of any cluster. */
const EVERYWHERE: ReadonlySet<Kind> = new Set<Kind>([...FAILED, 'job.started']);

export class World {
  readonly #heard = new Set<string>();
  #changes = 0;

  /** Sources, links and starts of jobs: two explanations of one number were drawn from the same. */
  get changes(): number {
    return this.#changes;
  }

  changed(): void {
    this.#changes += 1;
  }

  /** A condition of this kind came, ended or went. */
  changedBy(kind: Kind): void {
    if (EVERYWHERE.has(kind)) this.#changes += 1;
  }

  hear(source: string): void {
    if (this.#heard.size >= MAX_SOURCES || this.#heard.has(source)) return;
    this.#heard.add(source);
    this.#changes += 1;
  }

  hasHeard(source: string): boolean {
    return this.#heard.has(source);
  }
}

/** Our own sources that do not answer now. */
export function failedSources(ofKind: (kind: Kind) => readonly Condition[]): readonly Condition[] {
  let failed = NONE;
  for (const kind of FAILED) {
    const all = ofKind(kind);
    if (all.length > 0) failed = [...failed, ...all.filter(({ endMs }) => endMs === null)];
  }
  return failed;
}
