// Detectors of network cards: the catalogue names kinds and severities that exist, and each threshold does what it says.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import catalog from '#catalog/nic.json' with { type: 'json' };
import { Detection } from '../../../src/detection/detection.ts';
import { NIC_RULES } from '../../../src/detection/rules/nic-rules.ts';
import { isKind } from '../../../src/model/kind.ts';
import { SEVERITIES } from '../../../src/model/severity.ts';
import { native } from '../../../src/native.ts';

const T0 = 1_764_000_000_000;

/** Kinds and states that a series of values, one in five seconds, leads to. */
function reported(component: string, quantity: string, values: readonly number[]): string[] {
  const core = new (native().Core)({ historySeconds: 60, maxSeries: 64, anchorMs: T0 });
  const detection = new Detection(core, 'node-3');
  try {
    const found: string[] = [];
    for (const [i, value] of values.entries()) {
      const batch = { source: 'nic', trust: 'kernel', keys: [`${component}#${quantity}`] } as const;
      detection.samples({ ...batch, timesMs: [T0 + i * 5000], values: [value] });
      for (const { event } of detection.edges(core.drain().edges, T0 + i * 5000)) {
        found.push(`${event.kind} ${event.severity} ${event.state} ${i}`);
      }
    }
    return found;
  } finally {
    core.close();
  }
}

const nic = (quantity: string, values: readonly number[]) => reported('nic/0000:1b:00.0', quantity, values);
const steps = (from: number, step: number, count: number) => Array.from({ length: count }, (_, i) => from + i * step);

test('every row is a kind, a severity and says where it comes from', () => {
  assert.equal(NIC_RULES.length, catalog.detectors.length);
  for (const { kind, severity, source } of catalog.detectors) {
    assert.ok(isKind(kind), kind);
    assert.ok(
      SEVERITIES.some((one) => one === severity),
      severity,
    );
    assert.ok(source.length > 10);
  }
  assert.equal(new Set(catalog.detectors.map(({ name }) => name)).size, catalog.detectors.length);
});

test('symbol errors: ten a second degrade the link, 120 an hour are an error, fewer are neither', () => {
  assert.deepEqual(nic('symbol_errors', steps(0, 0.15, 100)), [], '108 an hour');
  assert.deepEqual(nic('symbol_errors', [0, 60]), []);
  assert.deepEqual(nic('symbol_errors', [0, 121]), [
    'nic.link_degraded warning onset 1',
    'nic.link_degraded error onset 1',
  ]);
});

test('any increment of a counter that never grows on a good link is reported once, and over after a minute without', () => {
  const values = [3, 3, 4, ...Array.from({ length: 20 }, () => 4)];
  const [onset, clear] = nic('link_integrity_errors', values);
  assert.equal(onset, 'nic.link_degraded error onset 2');
  assert.match(clear ?? '', /^nic\.link_degraded error clear/);
  assert.deepEqual(nic('transport_retries_exceeded', [0, 0, 1]), ['net.rdma_retry_exceeded error onset 2']);
  assert.deepEqual(nic('receiver_not_ready', [0, 0, 1]), ['nic.link_degraded info onset 2']);
});

test('a counter that starts again is not growth', () => {
  assert.deepEqual(nic('buffer_overruns', [9, 0, 0, 0]), []);
});

test('recoveries over five a minute, slow restarts over ten a second', () => {
  assert.deepEqual(nic('link_recoveries', [0, 1, 2, 3, 4]), []);
  assert.deepEqual(nic('link_recoveries', [0, 2, 4, 6]), ['nic.link_degraded warning onset 3']);
  assert.deepEqual(nic('slow_restarts', [0, 200]), ['nic.link_degraded warning onset 1']);
});

test('a link that trains again at half its rate', () => {
  assert.deepEqual(nic('link_rate', [4e11, 4e11, 4e11, 2e11, 2e11]), ['nic.link_degraded error onset 4']);
  assert.deepEqual(nic('link_rate', [4e11, 4e11, 4e11, 2e11, 4e11]), []);
});

test('heat: at the limit, over five degrees below it', () => {
  assert.deepEqual(nic('temperature_margin', [10, 3, 1]), []);
  assert.deepEqual(nic('temperature_margin', [10, -1]), ['nic.overtemp error onset 1']);
  assert.deepEqual(nic('module_temperature_margin', [10, -1]), ['nic.module_overtemp error onset 1']);
});

test('a CPU package that spends a hundredth of its time slowed down by heat', () => {
  assert.deepEqual(reported('cpu/node-3/0', 'throttle_time', steps(5, 0.02, 50)), []);
  assert.deepEqual(reported('cpu/node-3/0', 'throttle_time', [5, 5, 5.4]), ['cpu.thermal_throttle warning onset 2']);
  assert.deepEqual(reported('cpu/node-3/0', 'throttle_count', [2675, 2676, 2677, 2679]), [], 'single spikes');
  assert.deepEqual(reported('cpu/node-3/0', 'throttle_count', [0, 40]), ['cpu.thermal_throttle warning onset 1']);
});

test('a fifth of the time paused for two minutes, a storm at all, and a module that says it is faulty', () => {
  assert.deepEqual(nic('pause_received_time', steps(0, 0.9, 60)), [], '18 %');
  assert.match(nic('pause_received_time', steps(0, 1.1, 60))[0] ?? '', /^nic\.link_degraded warning onset/);
  assert.deepEqual(nic('pause_storm_warnings', [4, 4, 5]), ['nic.link_degraded warning onset 2']);
  assert.deepEqual(nic('pause_storms', [0, 1]), ['nic.link_degraded error onset 1']);
  assert.deepEqual(nic('module_overtemps', [0, 1]), ['nic.module_overtemp error onset 1']);
  assert.deepEqual(nic('module_bus_faults', [2, 3]), ['nic.link_degraded error onset 1']);
  assert.deepEqual(nic('pause_received_time', [500, 0, 0, 0]), [], 'a driver that was loaded again');
});
