// Cases: incidents that a report is tried with — the power chain as correlation explains it, one whose every text is hostile, one of ten thousand events.

import { IncidentBook } from '../../../../src/incidents/lifecycle.ts';
import type { SampleSeries } from '../../../../src/incidents/read-samples.ts';
import type { ReportInput } from '../../../../src/incidents/report/report-input.ts';
import type { Component } from '../../../../src/model/component.ts';
import type { FaultEvent } from '../../../../src/model/event.ts';
import type { Incident } from '../../../../src/model/incident.ts';
import { NOTHING_SAID } from '../../../../src/model/note.ts';
import {
  component,
  link as connect,
  correlator,
  GPUS,
  HOST,
  POWER_CHAIN,
  run,
  T0 as START,
} from '../../../correlation/fixtures.ts';
import { event, gpu, incident, link, T0 } from '../../sample.ts';

export function input(of: Incident, series: readonly SampleSeries[] | null = null): ReportInput {
  return {
    incident: of,
    nowMs: of.openedMs + 107_000,
    timeZone: 'UTC',
    said: NOTHING_SAID,
    silent: null,
    samples: series === null ? null : { path: `/var/log/faultline/${of.id}.samples.csv`, series },
    logPath: '/var/log/faultline/incidents.jsonl',
    root: '/opt/faultline',
  };
}

/** A phase sags, a CPU and eight GPUs are slowed down, the job takes twice as long: through the real engine. */
export function powerChain(): ReportInput {
  const made = correlator([
    connect('pdu_phase/pdu-b-rack-14/1', 'pdu_outlet/pdu-b-rack-14/7', 'feeds'),
    connect('pdu_outlet/pdu-b-rack-14/7', 'psu/node-3/1', 'feeds'),
    connect('psu/node-3/1', 'host/node-3', 'feeds'),
    connect('host/node-3', 'cpu/node-3/0', 'contains'),
    ...GPUS.map((each, i) => ({ ...connect('host/node-3', each, 'contains'), to: named(i) })),
    ...GPUS.map((each, i) => connect(each, `rank/llama-70b/${16 + i}`, 'runs')),
    ...GPUS.map((_, i) => connect(`rank/llama-70b/${16 + i}`, 'job/llama-70b', 'member_of')),
  ]);
  const events = POWER_CHAIN.map((each) => {
    const index = GPUS.indexOf(`gpu/${each.component?.id ?? ''}`);
    const own = { source: each.source, timeMs: each.timeMs, text: `${each.kind} on ${each.component?.id}` };
    const found: FaultEvent = { ...each, evidence: [own] };
    if (index < 0 || each.component === null) return found;
    return { ...found, component: named(index) };
  });
  const [explained] = run(made, events).last;
  if (explained === undefined) throw new Error('no incident');
  const found = new IncidentBook(HOST, []).apply(explained);
  if (found === null) throw new Error('no revision');
  return input(found, powerSeries());
}

function named(index: number): Component {
  return { ...component(GPUS[index] ?? ''), host: HOST, aliases: [`gpu ${index}`] };
}

function powerSeries(): SampleSeries[] {
  const series = (component: string, quantity: string, every: number, value: (s: number) => number): SampleSeries => {
    const seconds = Array.from({ length: Math.floor(120 / every) }, (_, i) => i * every - 60);
    return { component, quantity, timesMs: seconds.map((s) => START + s * 1000), values: seconds.map(value) };
  };
  const ripple = (s: number): number => Math.sin(s * 1.7) + Math.sin(s * 5.3);
  const low = (s: number): boolean => s > 1 && s < 34;
  return [
    series('pdu_phase/pdu-b-rack-14/1', 'voltage', 2, (s) => (s > 0 && s < 4 ? 108.2 : 121.4) + ripple(s) * 0.1),
    ...GPUS.flatMap((each, i) => [
      series(each, 'power', 0.5, (s) => (low(s) ? 240 : 385) + ripple(s + i) * 3),
      series(each, 'sm_clock', 0.5, (s) => (low(s) ? 1.095e9 : 1.98e9) + ripple(s + i) * 2e6),
      series(each, 'temperature', 0.5, (s) => 61 - (low(s) ? 4 : 0) + ripple(s * 0.1 + i)),
    ]),
    series('cpu/node-3/0', 'power_limit', 1, (s) => (s > 0.5 ? 180 : 280)),
    series('job/llama-70b', 'step_time', 0.7, (s) => (s > 3 && s < 36 ? 0.897 : 0.412) + ripple(s) * 0.004),
  ];
}

const BIDI = '\u202eevil\u2066\u200b';
export const ATTACK = `<script>document.title='ran'</script><img src=x onerror="document.title='ran'">"'</pre></style></title>&lt; ${BIDI} \u001b[31m\u0000\u0085 [a](javascript:alert(1)) | \`\`\` @everyone #1 https://evil.example/ ]]> <!-- ${'--'}>`;

/** Every text that another program or user may have written is an attack; one line has a megabyte. */
export function hostile(): ReportInput {
  const at = (id: string, more: Partial<FaultEvent> = {}): FaultEvent =>
    event(
      id,
      'job.rank_crashed',
      { type: 'rank', id: `${ATTACK}/3`, host: ATTACK, aliases: [ATTACK] },
      {
        trust: 'tenant',
        source: 'job-log',
        attributes: {
          exception: ATTACK,
          message: ATTACK,
          quantity: ATTACK,
          before: 1,
          after: 2,
          unit: ATTACK,
          reasons: ATTACK,
        },
        evidence: [{ source: ATTACK, timeMs: T0, text: ATTACK }],
        ...more,
      },
    );
  const [root, effect] = [at('e-1'), at('e-2', { timeMs: T0 + 2000 })];
  const of = incident('bad0bad0bad0', {
    title: ATTACK,
    host: ATTACK,
    root: { eventId: root.id, kind: root.kind, component: root.component },
    feedPath: [`psu/${ATTACK}`, `host/${ATTACK}`],
    chain: [link(root), link(effect, [root.id], 2000)],
    events: [root, effect],
    unconfirmed: ATTACK,
    confidenceParts: [{ code: null, why: ATTACK, delta: 0.5 }],
    impact: [
      { component: { type: 'job', id: ATTACK }, quantity: ATTACK, before: 1, after: 2, unit: ATTACK, text: ATTACK },
    ],
    action: { kind: 'debug_app', target: { type: 'job', id: ATTACK }, why: ATTACK },
    alternatives: [
      { root: { kind: 'gpu.lost', component: { type: 'gpu', id: ATTACK } }, confidence: 0.1, why: ATTACK },
    ],
    ruledOut: [{ what: ATTACK, why: ATTACK }],
    evidence: [
      { source: 'job-log', timeMs: T0, text: ATTACK },
      { source: ATTACK, timeMs: T0, text: `${'<b>'.repeat(350_000)}` },
      { source: 'pdu', series: `pdu/${ATTACK}#${ATTACK}`, values: [[T0, 1]] },
    ],
  });
  const series: SampleSeries = {
    component: `job/${ATTACK}`,
    quantity: ATTACK,
    timesMs: [T0 - 1000, T0, T0 + 1000],
    values: [1, 2, 3],
  };
  return input(of, [series]);
}

/** One root and 9,999 consequences on as many devices, more than the engine ever keeps. */
export function tenThousand(): ReportInput {
  const events = Array.from({ length: 10_000 }, (_, i) =>
    event(
      `e-${i}`,
      i === 0 ? 'power.voltage_sag' : 'gpu.power_brake',
      { ...gpu(i % 8), host: `node-${i}`, aliases: [`gpu ${i % 8}`] },
      {
        timeMs: T0 + i * 37,
        interval: { earliestMs: T0 + i * 37 - 500, latestMs: T0 + i * 37 + 500 },
        evidence: [{ source: 'gpu', timeMs: T0 + i * 37, text: `reason 0x80 on node-${i}` }],
      },
    ),
  );
  return input(
    incident('aaaa10000000', {
      events,
      chain: events.map((each, i) => link(each, i === 0 ? [] : ['e-0'], i * 37)),
      root: { eventId: 'e-0', kind: 'power.voltage_sag', component: events[0]?.component ?? null },
      evidence: events.flatMap(({ evidence }) => evidence),
    }),
  );
}
