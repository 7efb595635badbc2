// Killed container: one that `describe pod` shows as OOMKilled, with what is said of it up to the next container: when, its limit, its restarts.

import { evidenceText } from '../evidence.ts';
import type { ReportedFinding } from './report.ts';

const KILLED = /^\s{2,12}Reason:\s{1,16}OOMKilled\s*$/;
/** "      Finished:     Sun, 29 Nov 2026 02:30:00 +0000" */
const FINISHED = /^\s{2,12}Finished:\s{1,16}([A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4})\s*$/;
const RESTARTS = /^\s{2,12}Restart Count:\s{1,16}(\d{1,9})\s*$/;
const LIMITS = /^\s{2,12}(Limits|Requests):\s*$/;
/** "64Gi", "68719476736", "512M" */
const MEMORY = /^\s{2,16}memory:\s{1,40}(\d{1,15}(?:\.\d{1,6})?)([KMGTPE]i?|k|m|)\s*$/;
/** "  vllm:" above what is said of a container, and "Conditions:" behind the last. */
const CONTAINER = /^ {2}([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?):\s*$/;
const SECTION = /^[A-Z][\w -]{2,40}:/;
const POWERS = ['', 'K', 'M', 'G', 'T', 'P', 'E'];

type Killed = Pick<ReportedFinding, 'attributes' | 'timeMs' | 'lines'>;

export class KilledContainer {
  #container: string | null = null;
  #section = '';
  #isOver = false;
  #limit: string | null = null;
  #restarts: number | null = null;
  #killed: { readonly line: string; readonly finished: string | null } | null = null;

  /** `taken`: the line is of a container that was killed. `done`: all that is known of one; null where none is complete. */
  take(line: string): { readonly taken: boolean; readonly done: Killed | null } {
    const container = CONTAINER.exec(line)?.[1];
    if (container !== undefined) {
      const done = this.end();
      this.#container = container;
      return { taken: false, done };
    }
    // Other readers need the head of a section, so that what is complete waits for the next container or the end.
    this.#isOver ||= this.#killed !== null && SECTION.test(line);
    if (this.#isOver) return { taken: false, done: null };
    this.#section = LIMITS.exec(line)?.[1] ?? this.#section;
    const [, size = '', unit = ''] = MEMORY.exec(line) ?? [];
    if (size !== '' && this.#section === 'Limits') this.#limit = `${size}${unit}`;
    this.#restarts = Number(RESTARTS.exec(line)?.[1] ?? this.#restarts ?? Number.NaN);
    // Its present state comes before its last one: both may say so.
    if (KILLED.test(line)) {
      this.#killed = { line, finished: this.#killed?.finished ?? null };
      return { taken: true, done: null };
    }
    if (this.#killed !== null && this.#killed.finished === null && FINISHED.test(line)) {
      this.#killed = { ...this.#killed, finished: line };
      return { taken: true, done: null };
    }
    return { taken: this.#killed !== null && (MEMORY.test(line) || RESTARTS.test(line)), done: null };
  }

  end(): Killed | null {
    const [killed, limit, restarts, container] = [this.#killed, this.#limit, this.#restarts, this.#container];
    this.#killed = null;
    this.#limit = null;
    this.#restarts = null;
    this.#section = '';
    this.#isOver = false;
    this.#container = null;
    if (killed === null) return null;
    const { line, finished } = killed;
    const timeMs = Date.parse(FINISHED.exec(finished ?? '')?.[1] ?? '');
    const kib = limit === null ? null : kibOf(limit);
    return {
      attributes: {
        ...(container === null ? {} : { container: evidenceText(container) }),
        ...(limit === null || kib === null ? {} : { limit_kib: kib, limit_said: limit }),
        ...(restarts === null || Number.isNaN(restarts) ? {} : { restarts }),
      },
      ...(Number.isNaN(timeMs) ? {} : { timeMs }),
      lines: finished === null ? [line] : [line, finished],
    };
  }
}

/** Of a quantity as Kubernetes writes it: `Gi` is of 1024, `G` of 1000. */
function kibOf(text: string): number | null {
  const [, digits = '', unit = ''] = /^([\d.]{1,24})([A-Za-z]{0,2})$/.exec(text) ?? [];
  const power = POWERS.indexOf(unit.slice(0, 1).toUpperCase());
  if (unit === 'm' || power < 0) return null;
  const kib = (Number(digits) * (unit.endsWith('i') ? 1024 : 1000) ** power) / 1024;
  return kib > 0 && kib < 2 ** 50 ? Math.round(kib) : null;
}
