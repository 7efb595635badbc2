// Streams: the events and links of a scenario of the corpus as the line took them, and what a correlator settles on.

import { Correlator } from '../../src/correlation/correlator.ts';
import type { FaultEvent } from '../../src/model/event.ts';
import type { Explanation } from '../../src/model/explanation.ts';
import type { Link } from '../../src/model/topology.ts';
import { harder } from '../../src/simulator/corpus/hardship.ts';
import { isHard } from '../../src/simulator/corpus/measure.ts';
import { play } from '../../src/simulator/corpus/play.ts';
import type { CorpusScenario } from '../../src/simulator/corpus/scenario-family.ts';

export interface Stream {
  readonly name: string;
  readonly host: string;
  readonly links: readonly Link[];
  /** In order of arrival. */
  readonly events: readonly FaultEvent[];
}

export const LATENESS = 30_000;
/** Longer than any hold and lateness together. */
const LONG_AFTER = 4_000_000;

export async function streamOf(scenario: CorpusScenario, seed: number): Promise<Stream> {
  const drawn = scenario.plan(seed);
  const plan = isHard(seed) ? harder(drawn) : drawn;
  const events: FaultEvent[] = [];
  const links: Link[] = [];
  await play(plan, { onEvent: (event) => events.push(event), onLink: (link) => links.push(link) });
  return { name: `${scenario.family}/${scenario.name}`, host: plan.world.host.name, links, events };
}

/** When an event was read; how often; and from when lost hours count, for a tenant's word. */
const BY_ARRIVAL = new Set(['observedMs', 'count', 'fromMs']);

/** What is believed in the end of these events in this order, without what depends by design on who came first. */
export function settled({ host, links }: Stream, events: readonly FaultEvent[]): string {
  const correlator = new Correlator({ host, latenessMs: LATENESS, holdMs: LATENESS });
  for (const link of links) correlator.link(link);
  const last = new Map<string, Explanation>();
  const take = (reported: readonly Explanation[]): void => {
    for (const explanation of reported) last.set(explanation.firstEventId, explanation);
  };
  let newestMs = 0;
  for (const event of events) {
    take(correlator.observe(event));
    newestMs = Math.max(newestMs, event.observedMs);
  }
  take(correlator.advance(newestMs + LONG_AFTER));
  const beliefs = [...last.values()]
    // What was taken for an incident and then explained by something planned is withdrawn at info.
    .filter(({ mergedInto, severity }) => mergedInto === null && severity !== 'info')
    .map(({ firstEventId: _id, firstEventMs: _ms, asOfMs: _as, ruledOut: _out, ...belief }) => belief)
    .sort((a, b) => (a.root.eventId < b.root.eventId ? -1 : 1));
  return JSON.stringify(beliefs, (key, value) => (BY_ARRIVAL.has(key) ? undefined : value), 1);
}

/** When it can arrive at the earliest. */
export function readyMs({ timeMs, interval }: FaultEvent): number {
  return Math.max(timeMs, interval.latestMs);
}
