// Each known weakness of PowerTrace's engine on one input: what its scorer makes of it, and what ours does. The cost of its
// start (3) and its times (5) are in command.test.ts, its percentages (6, 7) in powertrace.test.ts, what it admits itself in
// admitted-weaknesses.test.ts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chains } from '../../../src/commands/correlate/powertrace/chain.ts';
import { degradations } from '../../../src/commands/correlate/powertrace/degradations.ts';
import { powerTraceReport } from '../../../src/commands/correlate/powertrace/incidents.ts';
import { inOrder } from '../../../src/commands/correlate/powertrace/ordered-events.ts';
import { seriesOf } from '../../../src/commands/correlate/series.ts';
import { BAD, CAPPED, linksOf, NORMAL, ours, rootOf, SLOW, sag, theirs } from './both-scorers.ts';
import { DEFAULTS, event, MAPPINGS, mapping, points, records, span } from './files.ts';

test('1: two bad points at the beginning blind theirs for good', () => {
  const given = records(sag(97), points([900, 900, ...NORMAL, ...BAD, 100, 101]));
  assert.deepEqual(theirs(given), []);
  const found = ours(given).find(({ root }) => root.kind === 'power.voltage_sag');
  assert.deepEqual(found?.impact.map(({ text }) => text), ['api p99 latency 100.5 → 320 ms']); // biome-ignore format: one line
});

test('1: theirs never looks at a service whose points lie wider apart than the lookback', () => {
  const given = records([event(5599)], points([...NORMAL, ...BAD, 100, 101], { everyS: 700 }));
  assert.deepEqual([theirs(given).length, powerTraceReport(given, DEFAULTS).skipped], [0, []]);
  assert.ok(ours(given).some(({ events }) => events.some(({ kind }) => kind === 'service.degraded')));
});

test('1, drift: theirs calls a service slow whose level moved slowly', () => {
  const given = records([event(1395)], points(Array.from({ length: 200 }, (_, index) => 100 * 1.005 ** index)));
  assert.equal(theirs(given).length, 1);
  assert.ok(ours(given).every(({ events }) => events.every(({ kind }) => kind !== 'service.degraded')));
});

test('1, one threshold for all: theirs misses a steady service that is 1.8 times as slow, ours knows its spread', () => {
  const steady = records([event(78, { ...CAPPED, device: 'GPU-0' })], points([...NORMAL, 180, 182, 181, 100, 101]));
  assert.deepEqual(theirs(steady), []);
  assert.equal(rootOf(ours(steady)), 'gpu.power_cap on gpu/GPU-0');
});

test('2: neither scorer goes through the past again for each point, or through all events for each degradation', () => {
  let reads = 0;
  const counted = (column: Float64Array): Float64Array =>
    new Proxy(column, {
      get: (target, key) => {
        if (typeof key === 'string' && /^[0-9]+$/.test(key)) reads += 1;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  const [wide] = seriesOf(points(Array<number>(4000).fill(100), { everyS: 700 }));
  assert.ok(wide !== undefined);
  degradations([{ ...wide, at: counted(wide.at) }], 600);
  // Theirs: 8 million.
  assert.ok(reads > 0 && reads < 4000 * 8, `${reads}`);
  reads = 0;
  const [slow] = degradations(seriesOf(SLOW), 600).windows;
  const ordered = inOrder(
    Array.from({ length: 4096 }, (_, index) => event(index * 100 + 70)),
    new Map(),
  );
  assert.ok(slow !== undefined);
  new Chains({ ...ordered, times: counted(ordered.times) }, DEFAULTS).of(slow);
  assert.ok(reads > 0 && reads < 60, `${reads}`);
});

test('4: ids are the same in each run and one for each incident', () => {
  const twice = points([...NORMAL, ...BAD, ...NORMAL, ...NORMAL, ...NORMAL, ...NORMAL, ...BAD, 100]);
  const given = records([...sag(77), ...sag(427)], twice);
  for (const idsOf of [() => theirs(given).map(({ id }) => id), () => ours(given).map(({ id }) => id)]) {
    assert.deepEqual(idsOf(), idsOf());
    assert.equal(new Set(idsOf()).size, 2);
  }
});

test('8: theirs makes a link of any event in order of time; ours of what can follow', () => {
  const hot = event(79, { source: 'nvml', type: 'thermal_throttle', severity: 'low', device: 'GPU-0' });
  const given = records([event(20), hot], SLOW);
  assert.deepEqual(theirs(given).map(linksOf), [['voltage_sag on pdu', 'thermal_throttle on GPU-0']]);
  const [slow] = ours(given).filter(({ chain }) => chain.some(({ kind }) => kind === 'service.degraded'));
  assert.deepEqual(slow?.chain.find(({ kind }) => kind === 'gpu.thermal_throttle')?.causedBy, []);
});

test('8: for theirs what comes after the effect is the surest cause of all', () => {
  const [cause, late] = [event(70, { ...CAPPED, device: 'GPU-0' }), event(84)];
  const [both] = theirs(records([cause, late], SLOW));
  assert.ok((both?.chain.steps[1]?.score ?? 0) > 0.79 && theirs(records([late], SLOW))[0]?.chain.confidence === 0.9);
  assert.equal(rootOf(ours(records([cause, late], SLOW))), 'gpu.power_cap on gpu/GPU-0');
  assert.equal(rootOf(ours(records([late], SLOW))), 'not known');
});

test('8: an event that is said three times is three links there and one here; what is over is resolved', () => {
  const again = ['b', 'c'].map((id, index) => event(77.3 + index / 3, { id }));
  const given = records([...sag(77), ...again], [...SLOW, ...points(Array(30).fill(100), { fromS: 130 })]);
  assert.deepEqual(theirs(given).map(({ chain }) => chain.steps.length), [4]); // biome-ignore format: one line
  const [incident] = ours(given);
  assert.equal(incident?.chain.filter(({ kind }) => kind === 'power.voltage_sag').length, 1);
  assert.deepEqual([rootOf(ours(given)), incident?.state], ['power.voltage_sag on pdu/pdu', 'resolved']);
});

test('9: where no device of the service is near, theirs blames all that are, without a word', () => {
  const mappings = [mapping('pdu', { feeds: ['other'] }), mapping('other', { services: ['another'] }), mapping('host', { services: ['api'] })]; // biome-ignore format: one list
  const given = records([event(79)], SLOW, mappings);
  assert.deepEqual(theirs(given).map(({ chain, warnings, isLow }) => [chain.confidence, warnings, isLow]), [[0.82, [], false]]); // biome-ignore format: one line
  assert.equal(rootOf(ours(given)), 'not known');
});

test('10: a root of no mapping costs theirs next to nothing', () => {
  const more = [78, 79, 79.5].map((atS) => event(atS, { source: 'redfish', type: 'psu_failover', device: 'host', metadata: { failed_psu: 'B' } })); // biome-ignore format: one line
  const given = records([event(77, { device: 'elsewhere' }), ...more], SLOW);
  const [incident] = theirs(given);
  assert.deepEqual([incident?.chain.steps[0].event.device, incident?.isLow], ['elsewhere', false]);
  assert.ok((incident?.chain.confidence ?? 0) >= 0.85);
  assert.ok(!rootOf(ours(given)).includes('elsewhere'));
});

test('11: theirs takes what was long before for a cause, ours keeps to the time of each rule', () => {
  const given = records([event(25, { ...CAPPED, device: 'GPU-0' })], SLOW);
  assert.deepEqual(theirs(given).map(({ isLow }) => isLow), [false]); // biome-ignore format: one line
  assert.equal(rootOf(ours(given)), 'not known');
});

test('12, p50 and p95: theirs does not see that most requests got slow', () => {
  const own = points([...NORMAL, ...NORMAL]).map((each, at) =>
    at > 7 && at < 12 ? { ...each, p50: 90, p95: 97 } : each,
  );
  const given = records(sag(77), own);
  assert.deepEqual(theirs(given), []);
  assert.equal(rootOf(ours(given)), 'power.voltage_sag on pdu/pdu');
});

test('12, rack: a PDU whose outlets are in no file may feed its own rack, and no other', () => {
  const of = (rack: string | null) => [mapping('pdu', { rack }), mapping('host', { gpus: ['GPU-0'], services: ['api'], rack: 'r14' })]; // biome-ignore format: one list
  const given = (rack: string | null, metadata = {}) => records([event(77, { metadata }), event(78, { ...CAPPED, device: 'GPU-0' })], SLOW, of(rack)); // biome-ignore format: one line
  // To theirs the rack makes no difference.
  assert.deepEqual(theirs(given('r14')).map(linksOf), theirs(given('r15')).map(linksOf));
  const [near] = ours(given('r14'));
  assert.equal(rootOf(ours(given('r14'))), 'power.voltage_sag on pdu/pdu');
  assert.ok(
    near?.confidenceParts.some(({ why }) => /the rest assumed/.test(why)),
    JSON.stringify(near?.confidenceParts),
  );
  assert.equal(rootOf(ours(given('r15'))), 'gpu.power_cap on gpu/GPU-0');
  assert.equal(rootOf(ours(given(null))), 'gpu.power_cap on gpu/GPU-0');
  // The event may say it as well.
  assert.equal(rootOf(ours(given(null, { rack_id: 'r14' }))), 'power.voltage_sag on pdu/pdu');
  const [far] = ours(records([event(77), event(78, { ...CAPPED, device: 'GPU-0' })], SLOW));
  assert.ok((near?.confidence ?? 1) < (far?.confidence ?? 0), 'what is assumed is less sure than what is configured');
});

test('12, node: where readings name the node, another host of the service is not to blame', () => {
  const mappings = ['a', 'b'].map((name) => mapping(name, { gpus: [`gpu-${name}`], services: ['api'], node: `node-${name}` })); // biome-ignore format: one list
  const on = (node: string, p99: readonly number[]) => points(p99).map((each) => ({ ...each, node }));
  const own = [...on('node-a', [...NORMAL, 100, 101, 99, 100, 101]), ...on('node-b', [...NORMAL, ...BAD, 100, 101])];
  const capped = (device: string) => records([event(78, { ...CAPPED, device })], own, mappings);
  for (const device of ['gpu-a', 'gpu-b']) assert.deepEqual(theirs(capped(device)).map(linksOf), [[`power_cap_applied on ${device}`]]); // biome-ignore format: one line
  assert.equal(rootOf(ours(capped('gpu-a'))), 'not known');
  assert.equal(rootOf(ours(capped('gpu-b'))), 'gpu.power_cap on gpu/gpu-b');
});

test('12, other names: UUID, node, address, and the tag of the server that a BMC gives are the device', () => {
  const named = MAPPINGS.map((each) => {
    if (each.device === 'GPU-0') return { ...each, gpuUuid: 'GPU-5a' };
    return each.device === 'host' ? { ...each, node: 'k8s-1', address: '10.0.1.47', assetTag: 'SRV-2847' } : each;
  });
  const cap = records([event(78, { ...CAPPED, device: 'GPU-5a' })], SLOW, named);
  assert.deepEqual(theirs(cap).map(({ chain }) => chain.unmapped), [['GPU-5a']]); // biome-ignore format: one line
  assert.equal(rootOf(ours(cap)), 'gpu.power_cap on gpu/GPU-0');
  for (const [device, metadata] of [
    ['k8s-1', {}],
    ['10.0.1.47', {}],
    ['bmc-7', { server_asset_tag: 'SRV-2847' }],
  ] as const) {
    const down = records([event(78, { source: 'redfish', type: 'host_degradation', device, metadata })], SLOW, named);
    assert.deepEqual(theirs(down).map(({ chain }) => chain.unmapped), [[device]]); // biome-ignore format: one line
    assert.equal(rootOf(ours(down)), 'host.degraded on host/host');
  }
});

test('12, spans: they tell which GPU served a service, and the worst ones are the evidence', () => {
  const mappings = [mapping('host', { gpus: ['GPU-0', 'GPU-1'], services: ['api'] })];
  const served = [20, 50, 81, 85].map((atS) => span(atS, { gpu: 'GPU-0', node: 'host', durationMs: atS > 80 ? 1000 + atS : 90, traceId: `${atS}`.padStart(32, 'a') })); // biome-ignore format: one list
  const capped = (device: string) => records([event(78, { ...CAPPED, device })], SLOW, mappings, served);
  for (const device of ['GPU-0', 'GPU-1']) assert.deepEqual(theirs(capped(device)).map(linksOf), [[`power_cap_applied on ${device}`]]); // biome-ignore format: one line
  assert.equal(rootOf(ours(capped('GPU-0'))), 'gpu.power_cap on gpu/GPU-0');
  assert.equal(rootOf(ours(capped('GPU-1'))), 'not known');
  const [incident] = ours(capped('GPU-0'));
  assert.deepEqual(
    incident?.impact[0]?.traces?.map(({ traceId }) => traceId.slice(-2)),
    ['85', '81'],
  );
  const texts = incident?.events.flatMap(({ evidence }) =>
    evidence.flatMap((each) => ('text' in each ? [each.text] : [])),
  );
  assert.ok(
    texts?.some((text) => text.startsWith('generate took 1085 ms on host on GPU-0 (trace aaa')),
    texts?.join('\n'),
  );
});

test('12, spans: a service that only spans tell of is judged by them, one on the same host keeps all its GPUs', () => {
  const spans = Array.from(
    { length: 300 },
    (_, index) =>
    span(index, { gpu: 'GPU-0', node: 'host', service: 'traced', durationMs: index < 200 ? 90 + (index % 7) : 400, traceId: 'not-hex' }), // biome-ignore format: one list
  );
  const mappings = [mapping('host', { gpus: ['GPU-0', 'GPU-1'], services: ['api'] })];
  const of = (device: string, atS: number) => [event(atS, { ...CAPPED, device })];
  const traced = records(of('GPU-0', 198), points([1], { service: 'other' }), mappings, spans);
  assert.deepEqual(theirs(traced), []);
  assert.equal(rootOf(ours(traced)), 'gpu.power_cap on gpu/GPU-0');
  assert.equal(
    rootOf(ours(records(of('GPU-1', 78), SLOW, mappings, spans.slice(0, 100)))),
    'gpu.power_cap on gpu/GPU-1',
  );
});

test('13: one sag over four services of two hosts is four incidents and their pairs of warnings there, one here', () => {
  const mappings = [
    mapping('pdu', { feeds: ['host', 'host-2'] }),
    mapping('host', { services: ['a', 'b'], gpus: ['GPU-0'] }),
    mapping('host-2', { services: ['c', 'd'], gpus: ['GPU-1'] }),
  ];
  const own = ['a', 'b', 'c', 'd'].flatMap((service) => points([...NORMAL, ...BAD, 100, 101], { service }));
  const events = [event(77), ...['GPU-0', 'GPU-1'].map((device) => event(78, { ...CAPPED, device, id: device }))];
  const given = records(events, own, mappings);
  const pairs = new Set(theirs(given).flatMap(({ warnings }) => warnings.filter((each) => / overlap /.test(each))));
  assert.deepEqual([theirs(given).length, pairs.size], [4, 6]);
  const [incident, ...more] = ours(given);
  assert.deepEqual([incident?.root.kind, more.length], ['power.voltage_sag', 0]);
  assert.deepEqual(incident?.impact.map(({ component }) => component.id).sort(), ['a', 'b', 'c', 'd']);
  const known = new Set(incident?.chain.map(({ eventId }) => eventId));
  assert.equal(known.size, 7);
  assert.ok(incident?.chain.every(({ causedBy }) => causedBy.every((id) => known.has(id))));
});

test('13: a service of two hosts that one of them slowed down is one incident', () => {
  const mappings = ['a', 'b'].map((name) => mapping(name, { gpus: [`gpu-${name}`], services: ['api'] }));
  const given = records([event(78, { ...CAPPED, device: 'gpu-b' })], SLOW, mappings);
  assert.equal(rootOf(ours(given)), 'gpu.power_cap on gpu/gpu-b');
});
