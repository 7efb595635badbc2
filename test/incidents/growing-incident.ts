// Growing incident: revisions as correlation makes them, where what did not change is the same object as before.

import type { Evidence, FaultEvent } from '../../src/model/event.ts';
import type { ChainLink, Incident } from '../../src/model/incident.ts';
import { event, gpu, incident, link, T0 } from './sample.ts';

/** 0 ≤ x < 1; the same seed gives the same numbers. */
export function random(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function series(index: number, timeMs: number): Evidence {
  const values = Array.from({ length: 12 }, (_, i) => [timeMs - 1200 + i * 100, 400] as const);
  return { source: 'gpu', series: `gpu/${gpu(index).id}#power_limit`, values };
}

/** The next events of the chain, each with evidence of its own. */
function eventsAt(id: string, revision: number, count: number): FaultEvent[] {
  return Array.from({ length: count }, (_, i) => {
    const timeMs = T0 + revision * 500 + i * 3;
    return event(`${id}-${revision}-${i}`, i % 2 === 0 ? 'gpu.power_limit_changed' : 'gpu.power_cap', gpu(i), {
      timeMs,
      evidence: [series(i, timeMs), { source: 'kernel-log', timeMs, text: `line ${revision} of ${i}` }],
    });
  });
}

/** `revisions` revisions of one incident; `more` is put into each. */
export function growing(id: string, revisions: number, seed: number, more: Partial<Incident> = {}): Incident[] {
  const next = random(seed);
  const all: Incident[] = [];
  let events: readonly FaultEvent[] = eventsAt(id, 0, 1);
  let chain: readonly ChainLink[] = events.map((each) => link(each));
  let extra: readonly Evidence[] = [];
  for (let revision = 1; revision <= revisions; revision += 1) {
    const before = all.at(-1);
    if (revision > 1) {
      const added = next() < 0.5 ? eventsAt(id, revision, 1 + Math.floor(next() * 4)) : [];
      const cause = events[Math.floor(next() * events.length)]?.id ?? '';
      const at = Math.floor(next() * chain.length) + 1;
      events = [...events.slice(0, at), ...added, ...events.slice(at)];
      chain = [...chain.slice(0, at), ...added.map((each) => link(each, [cause], 12.5)), ...chain.slice(at)];
      // A link whose doubt changed, one that went, an event that came again, evidence of no event in the chain.
      const doubt = Math.floor(next() * chain.length);
      if (next() < 0.4)
        chain = chain.map((each, i) =>
          i === doubt ? { ...each, confidence: next(), orderUnknown: next() < 0.5 } : each,
        );
      const gone = 1 + Math.floor(next() * chain.length);
      if (next() < 0.2 && chain.length > 3 && gone < chain.length) {
        chain = chain.filter((_, i) => i !== gone);
        events = events.filter((_, i) => i !== gone);
      }
      if (next() < 0.3) events = events.map((each, i) => (i === doubt ? { ...each, count: each.count + 1 } : each));
      if (next() < 0.3) extra = [...extra, { source: 'kernel-log', timeMs: T0 + revision, text: `again ${revision}` }];
    }
    const resolved = next() < 0.15 && revision > 2;
    const again = before?.state === 'resolved' && !resolved;
    all.push(
      incident(id, {
        revision,
        state: resolved ? 'resolved' : 'open',
        updatedMs: T0 + revision * 1000,
        resolvedMs: resolved ? T0 + revision * 1000 : null,
        reopened: (before?.reopened ?? 0) + Number(again),
        reopenedMs: again ? T0 + revision * 1000 : (before?.reopenedMs ?? null),
        confidence: Math.round(next() * 100) / 100,
        confidenceParts: [
          { code: 'root_seen', why: 'the root was seen itself', delta: 0.7 },
          ...(next() < 0.7 ? [{ code: 'no_rival' as const, why: 'nothing else was seen', delta: 0.1 }] : []),
        ],
        ruledOut: [{ what: 'thermal', why: `${60 + Math.floor(next() * 3)} °C` }],
        alternatives: next() < 0.5 ? [] : incident(id).alternatives,
        root: { eventId: `${id}-0-0`, kind: 'gpu.power_limit_changed', component: gpu(0) },
        chain,
        events,
        evidence: [...events.slice(0, 24).flatMap(({ evidence }) => evidence), ...extra].slice(0, 64),
        ...more,
      }),
    );
  }
  return all;
}
