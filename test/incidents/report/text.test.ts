import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { renderIncidentLine } from '../../../src/incidents/report/line.ts';
import { renderIncidentText } from '../../../src/incidents/report/text.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { BRAKES, event, gpu, incident, link, SAG, T0 } from '../sample.ts';

const OPTIONS = { width: 100, colour: false, nowMs: T0 + 107_000, timeZone: 'UTC' };

const CAP = event(
  'e-cap',
  'cpu.power_cap',
  { type: 'cpu', id: 'node-3/0', host: 'node-3' },
  {
    timeMs: T0 + 600,
    source: 'cpu',
    attributes: { quantity: 'power limit', before: 280, after: 180, limit: 274.4, unit: 'W' },
  },
);
const CLOCK = event('e-clock', 'gpu.thermal_throttle', gpu(0), {
  timeMs: T0 + 3700,
  attributes: {
    quantity: 'clock event reasons',
    reasons: '0x20',
    also_quantity: 'sm_clock',
    also_before: 1.98e9,
    also_after: 1.095e9,
    also_unit: 'Hz',
  },
});
const SLOW = event(
  'e-slow',
  'job.throughput_drop',
  { type: 'job', id: 'llama-70b' },
  {
    timeMs: T0 + 8800,
    source: 'job-log',
    trust: 'tenant',
    interval: { earliestMs: T0 + 8000, latestMs: T0 + 8800 },
    attributes: { quantity: 'step time', before: 0.412, after: 0.897, unit: 's' },
  },
);

function chainOf(...events: (typeof SAG)[]): Partial<Incident> {
  return { events, chain: events.map((each) => link(each)) };
}

test('an incident reads as a person needs it', () => {
  const reported = incident('7f3c41d2a0b1', chainOf(SAG, CAP, ...BRAKES, CLOCK, SLOW));
  const text = renderIncidentText(reported, {
    ...OPTIONS,
    samples: { path: '/var/log/faultline/7f3c41d2a0b1.samples.csv', fromMs: T0 - 120_000, toMs: T0 + 30_000 },
    logPath: '/var/log/faultline/incidents.jsonl',
  });
  assert.equal(
    `\n${text}\n`,
    `
INCIDENT 7f3c41   error   93 % sure                                                 open, 1 min 47 s
Root cause  voltage sag on pdu-b-rack-14 phase 1: 121.4 → 108.2 V (limit 109.3 V)
Effect      llama-70b step time 412 → 897 ms
Do          check the power feed of pdu-b-rack-14 phase 1 → docs/runbooks/power.md#powervoltage_sag
Now         ask what UPS, transfer switch and breakers before pdu-b-rack-14 phase 1 logged at
            14:32:00 UTC, and whether other racks saw it
Call        the facility: who runs the power of the site

   2026-11-27, UTC
   14:31:58 … 14:32:00   pdu-b-rack-14 phase 1   voltage 121.4 → 108.2 V           SNMP, within 2 s
   14:32:00.6            node-3 cpu 0            power limit 280 → 180 W           powercap
   14:32:00.6            node-3 gpu 0…3          power brake asserted              NVML, reason 0x80
   14:32:03.7            node-3 gpu 0            thermal slowdown; SM clock        NVML, reason 0x20
                                                 1,980 → 1,095 MHz
   14:32:08.8            llama-70b               step time 412 → 897 ms            job log

Sure because   the feed path pdu-b-rack-14/7 → psu 1 → node-3 is configured                        +
               sag before brake cannot be told from the clocks alone                               −
Not            thermal (61 °C, 24 °C of margin)
Evidence       1 item (kernel log 1) · black box 14:30–14:32 ·
               faultline explain 7f3c41 --format json
Address        pdu-b-rack-14 phase 1 is pdu_phase/pdu-b-rack-14/1
Samples        /var/log/faultline/7f3c41d2a0b1.samples.csv
Log            /var/log/faultline/incidents.jsonl
`,
  );
});

test('an incident without a known root says so, what is likely, and how to find out', () => {
  const hang = event('e-hang', 'job.hang', { type: 'job', id: 'llama-70b' }, { source: 'job-log' });
  const text = renderIncidentText(
    incident('21ab09000000', {
      ...chainOf(hang),
      rootKnown: false,
      root: { eventId: hang.id, kind: hang.kind, component: hang.component },
      confidence: 0.34,
      confidenceParts: [],
      title: 'llama-70b makes no progress since iteration 45,000',
      impact: [],
      ruledOut: [],
      alternatives: [
        { root: { kind: 'nic.port_down', component: null }, confidence: 0.18, why: '' },
        {
          root: { kind: 'process.frozen', component: { type: 'rank', id: 'llama-70b/34' } },
          confidence: 0.34,
          why: '',
        },
      ],
      action: { kind: 'debug_app', target: hang.component, why: 'a stack of each rank tells which one waits for what' },
    }),
    { ...OPTIONS, nowMs: T0 + 720_000 },
  );
  assert.equal(
    `\n${text}\n`,
    `
INCIDENT 21ab09   error   34 % sure                                                     open, 12 min
No root cause yet. llama-70b makes no progress since iteration 45,000.
Most likely process not scheduled on llama-70b rank 34 (34 %); possible: NIC port down (18 %).
To find out    debug llama-70b (a stack of each rank tells which one waits for what)
               → docs/runbooks/job.md#jobhang
Now            faultline fr --trigger DIR asks the ranks for dumps without stopping them (DIR: the
               folder that TORCH_FR_DUMP_TEMP_FILE names), then py-spy dump --pid PID on the rank
               that it names
Call           who runs the job llama-70b
Then           no dumps: run it again with TORCH_FR_BUFFER_SIZE=20000 (older PyTorch:
               TORCH_NCCL_TRACE_BUFFER_SIZE)

   2026-11-27, UTC
   14:32:00.0   llama-70b   job makes no progress   job log

Evidence       1 item (kernel log 1) · faultline explain 21ab09 --format json
`,
  );
});

test('life: open, resolved, merged', () => {
  const end = (more: Partial<Incident>): string | undefined =>
    renderIncidentText(incident('7f3c41d2a0b1', more), OPTIONS).split('\n')[0]?.split('sure')[1]?.trim();
  assert.equal(end({}), 'open, 1 min 47 s');
  assert.equal(end({ state: 'resolved', resolvedMs: T0 + 240_000 }), 'resolved after 4 min');
  assert.equal(end({ state: 'resolved', mergedInto: '21ab09ffffff' }), 'merged into 21ab09');
  assert.equal(end({ reopened: 1 }), 'open, 1 min 47 s, opened again once');
  assert.equal(
    end({ state: 'resolved', resolvedMs: T0 + 240_000, reopened: 3 }),
    'resolved after 4 min, opened again 3 times',
  );
});

test('equal links of siblings are one row; other kinds, hosts and times are not', () => {
  const rows = (...events: (typeof SAG)[]): string[] =>
    renderIncidentText(incident('7f3c41d2a0b1', chainOf(...events)), OPTIONS)
      .split('\n')
      .filter((line) => line.includes('power brake'))
      .map((line) => line.trim().split(/ {3,}/)[1] ?? '');
  const brake = (index: number, more = {}): typeof SAG =>
    event(`b${index}`, 'gpu.power_brake', { ...gpu(index), ...more });
  assert.deepEqual(rows(brake(0), brake(1), brake(2), brake(5)), ['node-3 gpu 0…2, 5']);
  assert.deepEqual(rows(brake(0), brake(1, { host: 'node-4' })), ['node-3 gpu 0', 'node-4 gpu 1']);
  assert.deepEqual(rows(brake(0), { ...brake(1), timeMs: T0 + 60_000 }), ['node-3 gpu 0', 'node-3 gpu 1']);
  assert.deepEqual(rows(brake(0, { aliases: [] }), brake(1, { aliases: [] })), ['node-3 gpu 0000:1b:00.0,']);
});

test('a group with different numbers shows their range', () => {
  const slow = [1.095e9, 1.11e9].map((after, index) => ({
    ...CLOCK,
    id: `c${index}`,
    component: gpu(index),
    attributes: { ...CLOCK.attributes, also_after: after },
  }));
  const text = renderIncidentText(incident('7f3c41d2a0b1', chainOf(...slow)), OPTIONS);
  assert.match(text.replaceAll(/\s+/g, ' '), /node-3 gpu 0, 1 .* SM clock NVML, reason 0x20 1,980 → 1,095…1,110 MHz/);
});

test('equal effects on siblings are one', () => {
  const rank = (index: number) =>
    ({ type: 'rank', id: `llama/${index}`, host: 'node-3', parent: 'job/llama' }) as const;
  const impact = [3, 0, 1, 2, 4].map((index) => ({
    component: rank(index),
    quantity: index === 3 ? 'job.collective_desync' : 'job.collective_timeout',
    before: null,
    after: null,
    unit: '',
    text: `llama rank ${index}: ${index === 3 ? 'out of step' : 'collective timed out'}`,
  }));
  const text = renderIncidentText(incident('7f3c41d2a0b1', { ...chainOf(SAG), impact }), OPTIONS);
  assert.match(text, /^Effect {6}llama rank 3: out of step; llama rank 0…2, 4: collective timed out$/m);
  const job = { ...impact[1], component: { type: 'job', id: 'llama' }, text: 'llama: collective timed out' } as const;
  const withJob = [...impact, job] as typeof impact;
  const both = renderIncidentText(incident('7f3c41d2a0b1', { ...chainOf(SAG), impact: withJob }), OPTIONS);
  assert.match(both, /^Effect {6}llama rank 3: out of step; llama rank 0…2, 4: collective timed out$/m);
  const lost = [0, 1].map(
    (index) =>
      ({ ...impact[0], component: rank(index), text: `llama rank ${index} is lost` }) as (typeof impact)[number],
  );
  const two = renderIncidentText(incident('7f3c41d2a0b1', { ...chainOf(SAG), impact: lost }), OPTIONS);
  assert.match(two, /^Effect {6}llama rank 0, 1 are lost$/m);
});

test('what the disk did not take is said', () => {
  assert.match(renderIncidentText(incident('7f3c41d2a0b1', { log: 'unavailable' }), OPTIONS), /^Log +not written/m);
});

test('repeats, XID numbers and unknown devices are reported', () => {
  const lost = event('x', 'gpu.lost', null, { source: 'kernel-log', count: 12, attributes: { xid: 79 } });
  const text = renderIncidentText(incident('7f3c41d2a0b1', chainOf(lost)), OPTIONS);
  assert.match(text, /device not named {3}GPU fell off the bus \(XID 79\), 12 times {3}kernel log/);
});

test('colour changes nothing but colour', () => {
  const reported = incident('7f3c41d2a0b1', chainOf(SAG, CAP, ...BRAKES));
  const coloured = renderIncidentText(reported, { ...OPTIONS, colour: true });
  assert.notEqual(coloured, renderIncidentText(reported, OPTIONS));
  assert.equal(stripVTControlCharacters(coloured), renderIncidentText(reported, OPTIONS));
  const line = renderIncidentLine(reported, { colour: true });
  assert.equal(stripVTControlCharacters(line), renderIncidentLine(reported));
});

test('an incident is one line in a list', () => {
  assert.equal(
    renderIncidentLine(incident('7f3c41d2a0b1')),
    '7f3c41  2026-11-27 14:32:00  open      error      93 %  voltage sag on pdu-b-rack-14 phase 1: 121.4 → 108.2 V (limit 109.3 V)',
  );
  assert.equal(
    renderIncidentLine(incident('7f3c41d2a0b1', { events: [], severity: 'critical', state: 'resolved' }), {
      width: 100,
    }),
    '7f3c41  2026-11-27 14:32:00  resolved  critical   93 %  voltage sag on pdu-b-rack-14 phase 1',
  );
  const long = incident('7f3c41d2a0b1', { severity: 'critical', state: 'resolved' });
  assert.equal(
    renderIncidentLine(long, { width: 100 }),
    '7f3c41  2026-11-27 14:32:00  resolved  critical   93 %  voltage sag on pdu-b-rack-14 phase 1:…',
  );
  assert.equal(
    renderIncidentLine(long, { width: 60 }),
    `7f3c41  2026-11-27 14:32:00  resolved  critical   93 %
        voltage sag on pdu-b-rack-14 phase 1:
        121.4 → 108.2 V (limit 109.3 V)`,
  );
});

const hostile = fc
  .string({ maxLength: 60, unit: 'binary' })
  .map((text) => `\u001b[2J\u009b1A\r\n${text}\u202e\u2028\u0007`);

test('no text of others reaches the terminal as anything but text, and no line is too long', () => {
  fc.assert(
    fc.property(hostile, fc.integer({ min: 80, max: 140 }), (evil, width) => {
      const component = { type: 'gpu', id: evil, host: evil, aliases: [evil, 'gpu 0'] } as const;
      const job = { type: 'job', id: evil } as const;
      const bad = event(evil, 'gpu.lost', component, {
        source: evil,
        attributes: { quantity: evil, unit: evil, before: 1, after: 2, limit: 3, reasons: evil, also_quantity: evil },
      });
      const reported = incident(evil, {
        ...chainOf(bad, event('j', 'job.hang', job)),
        title: evil,
        root: { eventId: evil, kind: 'gpu.lost', component },
        confidenceParts: [{ code: 'root_seen', why: evil, delta: 1 }],
        impact: [
          { component: job, quantity: evil, before: 1, after: 2, unit: evil, text: '' },
          { component: job, quantity: '', before: null, after: null, unit: '', text: evil },
        ],
        action: { kind: 'reset_gpu', target: component, why: evil },
        alternatives: [{ root: { kind: 'gpu.lost', component }, confidence: 1, why: evil }],
        ruledOut: [{ what: evil, why: evil }],
        evidence: [{ source: evil, timeMs: 0, text: evil }],
        mergedInto: evil,
      });
      const samples = { path: evil, fromMs: 0, toMs: 1 };
      for (const rootKnown of [true, false]) {
        const text = renderIncidentText({ ...reported, rootKnown }, { ...OPTIONS, width, samples, logPath: evil });
        assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        const [, ...rest] = text.split('\n');
        for (const line of rest) assert.ok(line.length <= width, `${line.length}: ${line}`);
      }
      assert.doesNotMatch(renderIncidentLine(reported), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
  );
});

test('a chain of thousands stays a page', () => {
  const many = Array.from({ length: 3000 }, (_, index) =>
    event(`m${index}`, 'process.segfault', { type: 'process', id: `${index}`, host: `h${index}` }),
  );
  const lines = renderIncidentText(incident('7f3c41d2a0b1', chainOf(...many)), OPTIONS).split('\n');
  assert.ok(lines.length < 80);
  assert.match(lines.join('\n'), /and 2960 more: --format json shows all/);
});
