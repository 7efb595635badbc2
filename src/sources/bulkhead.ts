// Bulkhead: a mistake of our own stays where it happened. It ends no process, stops no other source, and is never a device's fault.

import { errorText } from '../helpers/error-text.ts';
import type { Emit, EventInput } from '../model/record.ts';
import type { Source, SourceCounts, SourceHealth } from './source.ts';

/** A mistake that comes with every sample is one event in this time. */
const REPORT_EVERY_MS = 300_000;
/** Of what is caught, this much of its stack is logged. */
const STACK_LINES = 8;

export interface BulkheadOptions {
  readonly host: string;
  readonly now: () => number;
  readonly log: (fields: object, text: string) => void;
  /** Takes `agent.source_failed`; may throw as well. */
  readonly event: (event: EventInput) => void;
}

interface Trouble {
  count: number;
  last: string;
  reportedMs: number;
}

export class Bulkhead {
  readonly #options: BulkheadOptions;
  readonly #troubles = new Map<string, Trouble>();

  constructor(options: BulkheadOptions) {
    this.#options = options;
  }

  /** How often `where` failed by a mistake of ours. */
  failures(where: string): number {
    return this.#troubles.get(where)?.count ?? 0;
  }

  /** Does `work` for `where`; what it throws goes no further. */
  run(where: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.caught(where, error);
    }
  }

  /** Counted always; logged and reported once in five minutes for each `where`. */
  caught(where: string, error: unknown): void {
    const text = errorText(error);
    const trouble = this.#troubles.get(where) ?? { count: 0, last: '', reportedMs: Number.NEGATIVE_INFINITY };
    this.#troubles.set(where, trouble);
    trouble.count += 1;
    trouble.last = text;
    const nowMs = this.#options.now();
    if (nowMs - trouble.reportedMs < REPORT_EVERY_MS) return;
    trouble.reportedMs = nowMs;
    const message = `FL2610 ${where}: a mistake of Faultline: ${text}`;
    const stack = error instanceof Error ? error.stack?.split('\n').slice(0, STACK_LINES).join('\n') : undefined;
    this.#options.log({ code: 'FL2610', source: where, failures: trouble.count, stack }, message);
    try {
      this.#options.event({
        kind: 'agent.source_failed',
        component: { type: 'host', id: this.#options.host },
        severity: 'warning',
        timeMs: nowMs,
        observedMs: nowMs,
        trust: 'system',
        state: 'point',
        source: where,
        attributes: { failed_source: where, code: 'FL2610', error: text, failures: trouble.count },
        discriminator: trouble.count,
      });
    } catch (again) {
      // What takes events is what is broken: the log and the count are all that is left.
      this.#options.log(
        { code: 'FL2610', source: where },
        `FL2610 ${where}: not reported as an event: ${String(again)}`,
      );
    }
  }

  /** The same `emit` for `where`, which never throws. */
  emit(where: string, emit: Emit): Emit {
    return {
      samples: (batch) => this.run(where, () => emit.samples(batch)),
      text: (record) => this.run(where, () => emit.text(record)),
      event: (event) => this.run(where, () => emit.event(event)),
      discovery: (discovery) => this.run(where, () => emit.discovery(discovery)),
      failed: (error) => this.caught(where, error),
    };
  }

  /** The same source behind the bulkhead: what it throws shows in its health and counts. */
  source(inner: Source): Source {
    const { name } = inner;
    const or = <T>(work: () => T, otherwise: T): T => {
      try {
        return work();
      } catch (error) {
        this.caught(name, error);
        return otherwise;
      }
    };
    const withTrouble = (look: () => readonly SourceHealth[]) => this.#withTrouble(name, or(look, [broken(name)]));
    const counts = (): readonly SourceCounts[] => {
      const failures = this.failures(name);
      const own = or(() => inner.counts?.() ?? [], []);
      return failures === 0 ? own : [...own, { source: `${name}/own`, failures }];
    };
    return {
      name,
      start: (emit, signal) => this.run(name, () => inner.start(this.emit(name, emit), signal)),
      health: () => withTrouble(() => inner.health()),
      judgedHealth: () => withTrouble(() => inner.judgedHealth?.() ?? inner.health()),
      counts,
      childPid: () => or(() => inner.childPid?.() ?? null, null),
      stop: async () => {
        try {
          await inner.stop();
        } catch (error) {
          this.caught(name, error);
        }
      },
    };
  }

  #withTrouble(name: string, health: readonly SourceHealth[]): readonly SourceHealth[] {
    const trouble = this.#troubles.get(name);
    if (trouble === undefined) return health;
    const note = `FL2610 ${trouble.count} readings were lost to a mistake of Faultline, the last: ${trouble.last}`;
    return health.map((one, i) => (i === 0 ? { ...one, notes: [...(one.notes ?? []), note] } : one));
  }
}

function broken(name: string): SourceHealth {
  const remedy = "report the line with FL2610 in the daemon's log";
  return { source: name, status: 'failed', detail: 'FL2610 it cannot say how it is', remedy };
}
