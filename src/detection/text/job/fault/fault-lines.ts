// FaultLines: what one line says by itself, in the words of catalog/job; keeps what it needs of the lines before it.

import type { RankLabel } from '../../../../model/rank-label.ts';
import type { Fault } from './fault.ts';
import { type FaultEntry, type Groups, LINES, WHOLE_LINES } from './fault-entry.ts';

const BROKEN = /^[+-]?(?:nan|inf)$/i;

export class FaultLines {
  /** Of a first line, until its second. */
  #kept: Groups | null = null;
  /** The entries whose numbers were none when they were last there. */
  readonly #broken = new Set<FaultEntry>();
  /** The entries of which a number was none once that counts from the second time on. */
  readonly #once = new Set<FaultEntry>();

  line(body: string, label: RankLabel | null): Fault | null {
    return this.#first(LINES, body, label);
  }

  /** Of a line that no other entry takes, with the level that its logger gave it. */
  whole(text: string, label: RankLabel | null): Fault | null {
    return this.#first(WHOLE_LINES, text, label);
  }

  #first(entries: readonly FaultEntry[], text: string, label: RankLabel | null): Fault | null {
    for (const entry of entries) {
      const groups = entry.read(text);
      const fault = groups === null ? null : this.#of(entry, groups, text, label);
      if (fault !== null) return fault;
    }
    return null;
  }

  #of(entry: FaultEntry, groups: Groups, text: string, label: RankLabel | null): Fault | null {
    const said = { text, name: '', message: messageOf(text), label };
    if (entry.words.kept === 'first') {
      this.#kept = groups;
      return null;
    }
    if (entry.words.kept === 'second') {
      const kept = this.#kept;
      this.#kept = null;
      return kept === null ? null : entry.fault({ ...kept, ...groups }, said);
    }
    const fault = entry.fault(groups, said);
    const { not_finite: numbers } = entry.words;
    return numbers === undefined || fault === null ? fault : this.#change(entry, numbers, groups, fault);
  }

  /** The first line with a number that is none, and the first without one. */
  #change(entry: FaultEntry, numbers: readonly string[], groups: Groups, fault: Fault): Fault | null {
    const what = numbers.find((name) => BROKEN.test(groups[name] ?? ''));
    if ((what !== undefined) === this.#broken.has(entry)) {
      this.#once.delete(entry);
      return null;
    }
    if (what !== undefined && entry.words.twice?.includes(what) === true && !this.#once.has(entry)) {
      this.#once.add(entry);
      return null;
    }
    this.#once.delete(entry);
    if (what === undefined) this.#broken.delete(entry);
    else this.#broken.add(entry);
    const attributes = what === undefined ? {} : { what, value: groups[what] ?? null };
    return {
      ...fault,
      state: what === undefined ? 'clear' : 'onset',
      attributes: { ...fault.attributes, ...attributes },
    };
  }
}

/** NCCL puts host, process and file before its warnings. */
function messageOf(body: string): string {
  return body.slice(Math.max(0, body.indexOf('NCCL WARN ')));
}
