// What Slurm says of this node: that it was drained, by whom and why. A drain is not a fault: it follows one, or is a plan.

import type { EventInput } from '../../../model/record.ts';
import { isDrained, type SlurmNode } from '../read/node.ts';
import { type EventContext, SOURCE } from './job-events.ts';

/** A drain that was there when the daemon started is not news after this time. */
const NEWS_MS = 600_000;
const MAX_REASON = 200;

export class NodeWatch {
  #node: SlurmNode | null = null;
  #lookedMs: number | null = null;

  /** As it was at the last look. */
  get node(): SlurmNode | null {
    return this.#node;
  }

  /** The event of a drain that was not there before. */
  looked(node: SlurmNode, { host, nowMs, steady }: EventContext): EventInput | null {
    const before = this.#node;
    const earliestMs = this.#lookedMs ?? nowMs;
    this.#node = node;
    this.#lookedMs = nowMs;
    if (!isDrained(node) || (before !== null && isDrained(before) && before.reason === node.reason)) return null;
    const saidMs = node.reasonMs === null ? null : Math.min(nowMs, steady(node.reasonMs));
    if (before === null && (saidMs === null || nowMs - saidMs > NEWS_MS)) return null;
    const timeMs = saidMs ?? nowMs;
    const reason = node.reason?.slice(0, MAX_REASON) ?? 'no reason given';
    return {
      kind: 'host.drained',
      component: { type: 'host', id: host },
      timeMs,
      interval: saidMs === null ? { earliestMs, latestMs: nowMs } : { earliestMs: timeMs, latestMs: timeMs },
      observedMs: nowMs,
      trust: 'system',
      state: 'point',
      source: SOURCE,
      attributes: { reason, set_by: node.reasonBy, node: node.name, states: node.states.join('+') },
      evidence: [
        {
          source: SOURCE,
          timeMs,
          text: `node ${node.name} is ${node.states.join('+')}: ${reason} [${node.reasonBy ?? '?'}]`,
        },
      ],
      discriminator: `${node.name}/${timeMs}`,
    };
  }
}
