// Prometheus names of OpenTelemetry metrics: the table of the specification's cases, and of ours.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { labelName, type MetricKind, metricName, unitName } from '../../../src/sinks/prometheus/metric-names.ts';

const CASES: readonly [name: string, unit: string, kind: MetricKind, expected: string][] = [
  ['hw.power', 'W', 'gauge', 'hw_power_watts'],
  ['hw.energy', 'J', 'counter', 'hw_energy_joules_total'],
  ['hw.temperature', 'Cel', 'gauge', 'hw_temperature_celsius'],
  ['hw.voltage', 'V', 'gauge', 'hw_voltage_volts'],
  ['hw.errors', '{error}', 'counter', 'hw_errors_total'],
  ['hw.status', '1', 'updowncounter', 'hw_status'],
  ['hw.gpu.utilization', '1', 'gauge', 'hw_gpu_utilization_ratio'],
  ['hw.fan.speed', 'rpm', 'gauge', 'hw_fan_speed_rpm'],
  ['hw.fan.speed_ratio', '1', 'gauge', 'hw_fan_speed_ratio'],
  ['faultline.gpu.clock', 'Hz', 'gauge', 'faultline_gpu_clock_hertz'],
  ['faultline.electrical.apparent_power', 'VA', 'gauge', 'faultline_electrical_apparent_power_VA'],
  ['faultline.job.token_rate', '{token}/s', 'gauge', 'faultline_job_token_rate_per_second'],
  ['faultline.incidents.open', '{incident}', 'updowncounter', 'faultline_incidents_open'],
  ['process.cpu.time', 's', 'counter', 'process_cpu_time_seconds_total'],
  ['system.disk.io', 'By/s', 'gauge', 'system_disk_io_bytes_per_second'],
  ['http.server.duration.seconds', 's', 'histogram', 'http_server_duration_seconds'],
  ['a..b__c', '', 'gauge', 'a_b_c'],
  ['total.things.total', '', 'counter', 'things_total'],
  ['2nd', '', 'gauge', '_2nd'],
  ['', '', 'gauge', '_'],
  ['x', 'valueOf', 'counter', 'x_valueOf_total'],
];
for (const [name, unit, kind, expected] of CASES) {
  test(`${name || 'nothing'} in ${unit || 'no unit'} as a ${kind} is ${expected}`, () => {
    assert.equal(metricName(name, unit, kind), expected);
  });
}

test('units and labels', () => {
  assert.equal(unitName('W'), 'watts');
  assert.equal(unitName('{error}'), '');
  assert.equal(unitName('By/s'), 'bytes_per_second');
  assert.equal(labelName('hw.id'), 'hw_id');
  assert.equal(labelName('1st'), 'key_1st');
});

test('whatever comes in, what goes out is a legal name', () => {
  const kind = fc.constantFrom<MetricKind>('counter', 'gauge', 'updowncounter', 'histogram');
  fc.assert(
    fc.property(fc.string(), fc.string(), kind, (name, unit, as) => {
      assert.match(metricName(name, unit, as), /^[a-zA-Z_:][a-zA-Z0-9_:]*$/);
      assert.match(labelName(name), /^[a-zA-Z_][a-zA-Z0-9_]*$/);
    }),
  );
});
