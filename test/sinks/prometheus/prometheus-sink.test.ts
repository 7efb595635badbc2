// The Prometheus sink: from aggregates and events to what a scrape sees, under our names and under dcgm-exporter's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { Incident } from '../../../src/model/incident.ts';
import { makeEvent } from '../../../src/model/make-event.ts';
import { PrometheusSink } from '../../../src/sinks/prometheus/prometheus-sink.ts';
import type { SeriesAggregate } from '../../../src/sinks/sink.ts';
import { incident } from '../../incidents/sample.ts';

const START = 1_700_000_000_000;
const GPU = 'gpu/0000:9b:00.0';
const NOTHING = { scopeMetrics: [] } as unknown as ResourceMetrics; // its resource is not looked at

function sinkOf(options: { dcgmNames?: boolean; maxSeries?: number; restored?: readonly Incident[] } = {}) {
  const clock = { nowMs: START };
  const collects = { count: 0 };
  const sink = new PrometheusSink({
    host: 'node-3',
    version: '1.2.3',
    maxSeries: options.maxSeries ?? 100,
    dcgmNames: options.dcgmNames ?? false,
    now: () => clock.nowMs,
    restored: options.restored ?? [],
    self: {
      async collect() {
        collects.count += 1;
        return NOTHING;
      },
    },
  });
  return { sink, clock, collects };
}

function sample(key: string, value: number, timeMs = START): SeriesAggregate {
  return { key, count: 2, min: value, max: value, mean: value, last: value, lastTimeMs: timeMs };
}

async function lines(sink: PrometheusSink, start: string): Promise<string[]> {
  const body = String((await sink.scrape(undefined)).body);
  return body.split('\n').filter((line) => line.startsWith(start));
}

function discover(sink: PrometheusSink): void {
  sink.discovery({
    component: { type: 'gpu', id: '0000:9b:00.0', host: 'node-3', aliases: ['gpu 3', 'GPU-1', '165'] },
    links: [],
    attributes: { model: 'NVIDIA "H100"', uuid: 'GPU-1', serial: '165', driver: '570.86.10' },
  });
}

function xid(number: number, mnemonic: string) {
  return makeEvent('node-3', {
    kind: 'gpu.lost',
    component: { type: 'gpu', id: '0000:9b:00.0' },
    timeMs: START,
    observedMs: START,
    trust: 'kernel',
    source: 'kernel-log',
    attributes: { xid: number, mnemonic },
  });
}

test('fans turn in revolutions a minute, as over OTLP', async () => {
  const { sink } = sinkOf();
  sink.series([sample('fan/node-3/1#fan_speed', 90)], START);
  assert.deepEqual(await lines(sink, 'hw_fan_speed'), ['hw_fan_speed_rpm{hw_id="node-3/1",hw_type="fan"} 5400']);
});

test('series appear under the names that OTLP gives them, counters and ranges included', async () => {
  const { sink } = sinkOf();
  sink.series(
    [sample(`${GPU}#power`, 412.5), sample(`${GPU}#energy`, 1560.25), sample('host/node-3#power', 5200)],
    START,
  );
  const shown = (await lines(sink, 'hw_')).filter((line) => !line.startsWith('hw_status'));
  assert.deepEqual(shown, [
    'hw_energy_joules_total{hw_id="0000:9b:00.0",hw_type="gpu"} 1560.25',
    'hw_host_power_watts{hw_id="node-3",hw_type="enclosure"} 5200',
    'hw_power_watts{hw_id="0000:9b:00.0",hw_type="gpu"} 412.5',
  ]);
  assert.deepEqual(await lines(sink, 'faultline_hw_power_m'), [
    'faultline_hw_power_max_watts{hw_id="0000:9b:00.0",hw_type="gpu"} 412.5',
    'faultline_hw_power_min_watts{hw_id="0000:9b:00.0",hw_type="gpu"} 412.5',
  ]);
});

test('hardware shows its faults and its state, also of incidents that an earlier run left open', async () => {
  const { sink } = sinkOf({ restored: [incident('old')] });
  sink.series([sample('gpu/0000:43:00.0#power', 400)], START);
  sink.event(xid(79, 'GPU_LOST'));
  assert.deepEqual(await lines(sink, 'hw_errors_total'), [
    'hw_errors_total{error_type="gpu.lost",hw_id="0000:9b:00.0",hw_type="gpu"} 1',
  ]);
  const states = (await lines(sink, 'hw_status')).filter((line) => line.endsWith(' 1'));
  assert.ok(states.includes('hw_status{hw_id="0000:43:00.0",hw_state="ok",hw_type="gpu"} 1'), states.join('\n'));
  assert.ok(states.some((line) => line.includes('hw_state="failed"') || line.includes('hw_state="degraded"')));
});

test('a series that is not read any more leaves the answer', async () => {
  const { sink, clock } = sinkOf();
  sink.series([sample(`${GPU}#power`, 400)], START);
  sink.series([sample(`${GPU}#power`, 401, START + 1000)], START + 1000);
  clock.nowMs = START + 1000;
  assert.equal((await lines(sink, 'hw_power_watts')).length, 1);
  clock.nowMs = START + 60_000;
  assert.deepEqual(await lines(sink, 'hw_power'), []);
});

test('every series has a help text, also one that the table does not list', async () => {
  const { sink } = sinkOf();
  sink.series([sample('host/node-3#never_heard_of', 1)], START);
  const body = String((await sink.scrape(undefined)).body);
  for (const [, name] of body.matchAll(/^# TYPE (\S+)/gm)) assert.ok(body.includes(`# HELP ${name} `), name);
});

test('what finds no place is left out, counted, and reported in the health', async () => {
  const { sink } = sinkOf({ maxSeries: 3 });
  sink.series(
    Array.from({ length: 50 }, (_, i) => sample(`pdu_outlet/pdu-b/${i}#power`, i)),
    START,
  );
  assert.equal((await lines(sink, 'hw_power_watts')).length, 3);
  assert.deepEqual(await lines(sink, 'faultline_prometheus_series_left_out'), [
    'faultline_prometheus_series_left_out 47',
  ]);
  const { status, detail } = sink.health();
  assert.equal(status, 'failing');
  assert.match(detail, /^FL3301 47 series .*prometheus\.max_series \(3\)/);
});

test('hostile names of devices cannot break out of their label', async () => {
  const { sink } = sinkOf();
  const evil = 'x"} 1\nhw_power_watts{hw_id="forged';
  sink.series([sample(`pdu/${evil}#power`, 1), sample(`pdu/${'y'.repeat(100_000)}#power`, 2)], START);
  const found = await lines(sink, 'hw_power_watts');
  assert.equal(found.length, 2);
  assert.ok(
    found.every((line) => line.length < 400),
    'no line grows with what a device calls itself',
  );
  assert.ok(
    found.some((line) => line === 'hw_power_watts{hw_id="x\\"} 1\\nhw_power_watts{hw_id=\\"forged",hw_type="pdu"} 1'),
  );
});

const DCGM =
  'gpu="3",UUID="GPU-1",pci_bus_id="00000000:9B:00.0",device="nvidia3",modelName="NVIDIA \\"H100\\"",Hostname="node-3",DCGM_FI_DRIVER_VERSION="570.86.10"';

test('dashboards of dcgm-exporter find its names, units and labels', async () => {
  const { sink } = sinkOf({ dcgmNames: true });
  discover(sink);
  const values: readonly [string, number][] = [
    ['power', 412.5],
    ['energy', 1560.101],
    ['temperature', 61],
    ['sm_clock', 1.755e9],
    ['memory_clock', 2.619e9],
    ['utilization', 0.95],
  ];
  sink.series(
    values.map(([quantity, value]) => sample(`${GPU}#${quantity}`, value)),
    START,
  );
  assert.deepEqual(await lines(sink, 'DCGM_'), [
    `DCGM_FI_DEV_GPU_TEMP{${DCGM}} 61`,
    `DCGM_FI_DEV_GPU_UTIL{${DCGM}} 95`,
    `DCGM_FI_DEV_MEM_CLOCK{${DCGM}} 2619`,
    `DCGM_FI_DEV_POWER_USAGE{${DCGM}} 412.5`,
    `DCGM_FI_DEV_SM_CLOCK{${DCGM}} 1755`,
    `DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{${DCGM}} 1560101`,
    `DCGM_FI_DEV_XID_ERRORS{${DCGM},err_code="0",err_msg="none"} 0`,
  ]);
});

test('the last XID is a value, not a count, and stays when the driver is found again', async () => {
  const { sink, clock } = sinkOf({ dcgmNames: true });
  discover(sink);
  sink.series([sample(`${GPU}#power`, 400)], START);
  sink.event(xid(48, 'DBE'));
  sink.event(xid(79, 'GPU_LOST'));
  sink.event(xid(79, 'GPU_LOST'));
  discover(sink);
  assert.deepEqual(await lines(sink, 'DCGM_FI_DEV_XID'), [
    `DCGM_FI_DEV_XID_ERRORS{${DCGM},err_code="79",err_msg="GPU_LOST"} 79`,
  ]);
  clock.nowMs = START + 1000;
  sink.event({ ...xid(13, 'GR'), state: 'clear' });
  assert.equal((await lines(sink, 'DCGM_FI_DEV_XID'))[0]?.endsWith(' 79'), true);
});

test('without dcgm_names they are left out', async () => {
  const { sink } = sinkOf();
  discover(sink);
  sink.series([sample(`${GPU}#power`, 400)], START);
  assert.deepEqual(await lines(sink, 'DCGM_'), []);
});

test('scrapes in a row share one answer; each format has its own', async () => {
  const { sink, clock, collects } = sinkOf();
  const answers = await Promise.all([sink.scrape(undefined), sink.scrape('text/plain'), sink.scrape('*/*')]);
  assert.equal(new Set(answers).size, 1);
  assert.equal(collects.count, 1);
  const open = await sink.scrape('application/openmetrics-text');
  assert.match(open.contentType, /^application\/openmetrics-text; version=1\.0\.0/);
  assert.ok(String(open.body).endsWith('# EOF\n'));
  clock.nowMs += 500;
  await sink.scrape(undefined);
  assert.equal(collects.count, 3);
});

test('an answer is written over once all who were given it have sent it, and not before', async () => {
  const { sink, clock } = sinkOf();
  const many = (count: number) => Array.from({ length: count }, (_, i) => sample(`gpu/0000:00:${i}.0#power`, 400));
  sink.series(many(40), START);
  const first = await sink.scrape(undefined);
  await sink.scrape(undefined);
  const text = String(first.body);
  first.sent?.();
  clock.nowMs += 500;
  const second = await sink.scrape(undefined);
  assert.ok(second.body.buffer !== first.body.buffer);
  assert.equal(String(first.body), text, 'one of two is still sending it');
  second.sent?.();
  clock.nowMs += 500;
  const third = await sink.scrape(undefined);
  assert.ok(third.body.buffer === second.body.buffer);
  assert.equal(String(third.body), text);
  third.sent?.();
  clock.nowMs += 500;
  sink.series(many(200), START + 1000);
  const longer = await sink.scrape(undefined);
  assert.ok(longer.body.buffer !== third.body.buffer);
  assert.ok(longer.body.length > 2 * third.body.length);
});

test('one failed collection is not kept', async () => {
  const { sink } = sinkOf();
  const broken = new PrometheusSink({
    host: 'node-3',
    version: '1',
    maxSeries: 10,
    dcgmNames: false,
    now: () => START,
    self: (() => {
      let first = true;
      return {
        async collect() {
          if (!first) return NOTHING;
          first = false;
          throw new Error('no');
        },
      };
    })(),
  });
  await assert.rejects(broken.scrape(undefined));
  assert.match(String((await broken.scrape(undefined)).body), /target_info/);
  await sink.stop();
});
