// Lasting stalls: those that were reported and last as long as the job makes no step, which a dump alone cannot tell.

import { componentText } from '../../../model/component.ts';
import type { Kind } from '../../../model/kind.ts';
import type { EventInput } from '../../../model/record.ts';

const LAST: ReadonlySet<Kind> = new Set(['job.collective_desync', 'job.collective_mismatch', 'job.collective_timeout']);
/** As many ranks as a host may have, for a few jobs. */
const MAX_STALLS = 4096;

interface Stall {
  readonly event: EventInput;
  readonly job: string;
  /** Processes of the job on this host when it was reported. */
  readonly pids: readonly number[];
}

export class LastingStalls {
  readonly #stalls = new Map<string, Stall>();

  /**
   * The event as it is to be reported. While processes of its job are there, a stall begins and has no end yet; where none is
   * known, and for every other event, it is what was seen at one time.
   */
  begun(event: EventInput, job: string, pids: readonly number[]): EventInput {
    if (!LAST.has(event.kind) || event.component === null || pids.length === 0) return event;
    const key = `${event.kind} ${componentText(event.component)}`;
    if (this.#stalls.size >= MAX_STALLS && !this.#stalls.has(key)) return event;
    this.#stalls.set(key, { event, job, pids });
    return { ...event, state: 'onset' };
  }

  /** Ends of those of whose processes none is left. */
  gone(alive: ReadonlySet<number>, nowMs: number): EventInput[] {
    return this.#end(nowMs, 'its processes are gone', ({ pids }) => !pids.some((pid) => alive.has(pid)));
  }

  /** Ends of a job's stalls: it was seen to make steps again. */
  continues(isJob: (name: string) => boolean, nowMs: number): EventInput[] {
    return this.#end(nowMs, 'the job makes steps again', (stall) => isJob(stall.job));
  }

  #end(nowMs: number, why: string, isOver: (stall: Stall) => boolean): EventInput[] {
    const ends: EventInput[] = [];
    for (const [key, stall] of this.#stalls) {
      if (!isOver(stall)) continue;
      this.#stalls.delete(key);
      const { kind, component, trust, source } = stall.event;
      const evidence = [{ source, timeMs: nowMs, text: `${stall.job}: ${why}` }];
      ends.push({ kind, component, trust, source, state: 'clear', timeMs: nowMs, observedMs: nowMs, attributes: { job: stall.job }, evidence }); // biome-ignore format: one line
    }
    return ends;
  }
}
