// Sample: an incident as correlation would explain it, whole and consistent, to build the cases of these tests from.

import type { Component } from '../../src/model/component.ts';
import { makeNote } from '../../src/model/documents/note.ts';
import type { FaultEvent } from '../../src/model/event.ts';
import type { Explanation } from '../../src/model/explanation.ts';
import type { ChainLink, Incident } from '../../src/model/incident.ts';
import type { Kind } from '../../src/model/kind.ts';
import { kindInfo } from '../../src/model/kind.ts';
import type { Ack, Maintenance, Verdict } from '../../src/model/note.ts';

export const T0 = Date.UTC(2026, 10, 27, 14, 32, 0, 0);

export const PHASE: Component = { type: 'pdu_phase', id: 'pdu-b-rack-14/1', parent: 'pdu/pdu-b-rack-14' };

export function gpu(index: number): Component {
  const id = `0000:${(0x1b + index).toString(16)}:00.0`;
  return { type: 'gpu', id, host: 'node-3', parent: 'host/node-3', aliases: [`gpu ${index}`, `GPU-${index}aaa`] };
}

export function event(id: string, kind: Kind, component: Component | null, more: Partial<FaultEvent> = {}): FaultEvent {
  const timeMs = more.timeMs ?? T0;
  return {
    id,
    kind,
    component,
    severity: kindInfo(kind).severity,
    timeMs,
    timeDigits: 3,
    interval: { earliestMs: timeMs, latestMs: timeMs },
    observedMs: timeMs + 1,
    trust: 'driver',
    state: 'onset',
    count: 1,
    source: 'gpu',
    attributes: {},
    evidence: [],
    ...more,
  };
}

export function link(of: FaultEvent, causedBy: readonly string[] = [], lagMs: number | null = null): ChainLink {
  const { id, kind, component, severity, timeMs, timeDigits, interval } = of;
  return {
    eventId: id,
    kind,
    component,
    severity,
    timeMs,
    timeDigits,
    interval,
    causedBy,
    lagMs,
    confidence: 0.9,
    orderUnknown: false,
  };
}

export const SAG = event('e-sag', 'power.voltage_sag', PHASE, {
  severity: 'error',
  source: 'pdu',
  trust: 'facility',
  interval: { earliestMs: T0 - 2000, latestMs: T0 },
  attributes: { quantity: 'voltage', before: 121.4, after: 108.2, limit: 109.3, unit: 'V' },
  evidence: [
    {
      source: 'pdu',
      series: 'pdu_phase/pdu-b-rack-14/1#voltage',
      values: [
        [T0 - 2000, 121.4],
        [T0, 108.2],
      ],
    },
  ],
});

export const BRAKES = [0, 1, 2, 3].map((index) =>
  event(`e-brake-${index}`, 'gpu.power_brake', gpu(index), {
    timeMs: T0 + 600 + index,
    attributes: { reasons: '0x80' },
  }),
);

export function explanation(more: Partial<Explanation> = {}): Explanation {
  const events = more.events ?? [SAG, ...BRAKES];
  const [root = SAG, ...effects] = events;
  return {
    firstEventId: root.id,
    firstEventMs: root.timeMs,
    asOfMs: T0 + 5000,
    ended: false,
    mergedInto: null,
    title: 'voltage sag on pdu-b-rack-14 phase 1',
    severity: 'error',
    confidence: 0.93,
    confidenceParts: [
      { code: 'path_configured', why: 'the feed path pdu-b-rack-14/7 → psu 1 → node-3 is configured', delta: 0.98 },
      { code: 'order_unknown', why: 'sag before brake cannot be told from the clocks alone', delta: -0.05 },
    ],
    pattern: null,
    rootKnown: true,
    unconfirmed: null,
    root: { eventId: root.id, kind: root.kind, component: root.component },
    chain: [link(root), ...effects.map((effect) => link(effect, [root.id], effect.timeMs - root.timeMs))],
    impact: [
      {
        component: { type: 'job', id: 'llama-70b' },
        quantity: 'step_time',
        before: 0.412,
        after: 0.897,
        unit: 's',
        text: '',
      },
    ],
    action: { kind: 'check_power_feed', target: PHASE, why: '' },
    alternatives: [{ root: { kind: 'gpu.thermal_throttle', component: gpu(0) }, confidence: 0.04, why: 'no trend' }],
    ruledOut: [{ what: 'thermal', why: '61 °C, 24 °C of margin' }],
    evidence: [{ source: 'kernel-log', timeMs: T0 + 700, text: 'NVRM: nothing to see' }],
    events,
    ...more,
  };
}

export function incident(id: string, more: Partial<Incident> = {}): Incident {
  const { firstEventId, firstEventMs, asOfMs, ended, mergedInto, ...believed } = explanation();
  return {
    ...believed,
    id,
    host: 'node-3',
    state: 'open',
    revision: 1,
    openedMs: firstEventMs,
    updatedMs: asOfMs,
    resolvedMs: null,
    reopened: 0,
    reopenedMs: null,
    mergedInto: null,
    traceId: '0123456789abcdef0123456789abcdef',
    log: 'written',
    ...more,
  };
}

/** An incident of its own events, small enough to write thousands of. */
export function smallIncident(number: number, revision = 1, state: Incident['state'] = 'open'): Incident {
  const own = event(`event-${number}`, 'gpu.lost', gpu(number % 8), { timeMs: T0 + number * 1000 });
  return incident(number.toString(16).padStart(12, '0'), {
    revision,
    state,
    openedMs: own.timeMs,
    updatedMs: own.timeMs + revision,
    resolvedMs: state === 'resolved' ? own.timeMs + revision : null,
    root: { eventId: own.id, kind: own.kind, component: own.component },
    chain: [link(own)],
    events: [own],
  });
}

const SAID = { host: 'node-3', by: 'anna', note: null };

export function ack(incidentId: string, atMs: number, more: Partial<Ack> = {}): Ack {
  return { ...(makeNote({ ...SAID, kind: 'ack', incidentId, atMs }) as Ack), ...more }; // made as an ack just there
}

export function verdict(incidentId: string, atMs: number, more: Partial<Verdict> = {}): Verdict {
  const said = { ...SAID, kind: 'verdict', incidentId, atMs, verdict: 'right', rootKind: null } as const;
  return { ...(makeNote(said) as Verdict), ...more }; // made as a verdict just there
}

export function maintenance(state: Maintenance['state'], atMs: number, more: Partial<Maintenance> = {}): Maintenance {
  const said = {
    ...SAID,
    kind: 'maintenance',
    state,
    atMs,
    untilMs: null,
    component: { type: 'host', id: 'node-3' },
  } as const;
  return { ...(makeNote({ ...said, ...more }) as Maintenance), ...more }; // made as maintenance just there
}
