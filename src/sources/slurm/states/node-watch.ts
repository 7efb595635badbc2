// What Slurm says of this node: that it was drained, by whom and why. A drain is not a fault: it follows one, or is a plan.

import type { EventInput } from '../../../model/record.ts';
import type { Interval } from '../../../model/time.ts';
import { hasWork, isDrained, type SlurmNode } from '../read/node.ts';
import { type EventContext, SOURCE } from './job-events.ts';

/** A drain that was there when the daemon started is not news after this time. */
const NEWS_MS = 600_000;
const MAX_REASON = 200;

export class NodeWatch {
  #node: SlurmNode | null = null;
  #lookedMs: number | null = null;
  /** Its drain was seen to be over before work was: null while it is not drained. */
  #isEmpty: boolean | null = null;

  /** As it was at the last look. */
  get node(): SlurmNode | null {
    return this.#node;
  }

  /** It is drained and work is still on it: that it is gone is news. */
  get isDraining(): boolean {
    return this.#isEmpty === false;
  }

  /** What happened since the look before: a drain, its last work, the end of the drain. */
  looked(node: SlurmNode, context: EventContext): EventInput[] {
    const before = this.#node;
    const earliestMs = this.#lookedMs ?? context.nowMs;
    this.#node = node;
    this.#lookedMs = context.nowMs;
    const polled = { earliestMs, latestMs: context.nowMs };
    const drain = this.#drain(before, node, context, polled);
    const wasEmpty = this.#isEmpty;
    this.#isEmpty = isDrained(node) ? !hasWork(node) : null;
    const events = drain === null ? [] : [drain];
    const isKnown = drain !== null || wasEmpty === false;
    if (this.#isEmpty === true && isKnown)
      events.push(nodeEvent('host.emptied', node, polled, drain === null ? null : drain.timeMs, context));
    if (before !== null && isDrained(before) && !isDrained(node))
      events.push(nodeEvent('host.resumed', node, polled, null, context));
    return events;
  }

  #drain(before: SlurmNode | null, node: SlurmNode, context: EventContext, polled: Interval): EventInput | null {
    const { host, nowMs, steady } = context;
    if (!isDrained(node) || (before !== null && isDrained(before) && before.reason === node.reason)) return null;
    const saidMs = node.reasonMs === null ? null : Math.min(nowMs, steady(node.reasonMs));
    if (before === null && (saidMs === null || nowMs - saidMs > NEWS_MS)) return null;
    const timeMs = saidMs ?? nowMs;
    const reason = node.reason?.slice(0, MAX_REASON) ?? 'no reason given';
    return {
      kind: 'host.drained',
      component: { type: 'host', id: host },
      timeMs,
      interval: saidMs === null ? polled : { earliestMs: timeMs, latestMs: timeMs },
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

/** `atMs`: where it was so from a known moment on. */
function nodeEvent(
  kind: 'host.emptied' | 'host.resumed',
  node: SlurmNode,
  polled: Interval,
  atMs: number | null,
  { host, nowMs }: EventContext,
): EventInput {
  const timeMs = atMs ?? polled.latestMs;
  const states = node.states.join('+');
  return {
    kind,
    component: { type: 'host', id: host },
    timeMs,
    interval: atMs === null ? polled : { earliestMs: atMs, latestMs: atMs },
    observedMs: nowMs,
    trust: 'system',
    state: 'point',
    source: SOURCE,
    attributes: { node: node.name, states },
    evidence: [{ source: SOURCE, timeMs, text: `node ${node.name} is ${states}` }],
    discriminator: `${node.name}/${kind}/${timeMs}`,
  };
}
