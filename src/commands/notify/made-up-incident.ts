// Made-up incident: what a preview shows where no incident is named; marked as made up, like all that is not real.

import type { Component } from '../../model/component.ts';
import { stableId } from '../../model/identity.ts';
import type { Incident } from '../../model/incident.ts';
import { makeEvent } from '../../model/make-event.ts';

export function madeUpIncident(host: string, nowMs: number): Incident {
  const component: Component = { type: 'gpu', id: '0000:9b:00.0', host, aliases: ['gpu 4'] };
  const log = `NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.`;
  const event = makeEvent(host, {
    kind: 'gpu.lost',
    component,
    timeMs: nowMs,
    observedMs: nowMs,
    trust: 'kernel',
    source: 'kernel-log',
    attributes: { xid: 79 },
    evidence: [{ source: 'kernel-log', timeMs: nowMs, text: log }],
  });
  const id = stableId('incident', host, event.id);
  return {
    id,
    host,
    state: 'open',
    revision: 1,
    openedMs: nowMs,
    updatedMs: nowMs,
    resolvedMs: null,
    reopened: 0,
    reopenedMs: null,
    title: '[simulated] GPU fell off the bus on gpu 4 (XID 79)',
    severity: 'critical',
    confidence: 0.86,
    confidenceParts: [],
    pattern: null,
    rootKnown: true,
    unconfirmed: null,
    root: { eventId: event.id, kind: 'gpu.lost', component },
    chain: [],
    impact: [
      {
        component: { type: 'job', id: 'llama-70b' },
        quantity: 'progress',
        before: null,
        after: null,
        unit: '',
        text: 'llama-70b makes no progress: rank 4 is gone, 1,023 wait for it',
      },
    ],
    action: { kind: 'reboot_node', target: component, why: '' },
    alternatives: [],
    ruledOut: [],
    evidence: event.evidence,
    events: [event],
    mergedInto: null,
    made: 'simulated',
    traceId: stableId('trace', id).padEnd(32, '0').slice(0, 32),
    log: 'written',
  };
}
