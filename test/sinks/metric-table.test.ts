// The metric table: names, units and attributes are what the conventions ask for, and nothing is without an entry.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import catalog from '#catalog/metrics.json' with { type: 'json' };
import { COMPONENT_TYPES } from '../../src/model/component.ts';
import { installationRoot } from '../../src/native.ts';
import { extremeMetrics, metricNamed, seriesMetric } from '../../src/sinks/metric-table.ts';
import { metricName } from '../../src/sinks/prometheus/metric-names.ts';

/** Names of the semantic conventions for hardware, 1.44: unit and instrument as they stand there. */
const CONVENTIONS: Readonly<Record<string, readonly [string, string]>> = {
  'hw.power': ['W', 'gauge'],
  'hw.energy': ['J', 'counter'],
  'hw.temperature': ['Cel', 'gauge'],
  'hw.temperature.limit': ['Cel', 'gauge'],
  'hw.voltage': ['V', 'gauge'],
  'hw.errors': ['{error}', 'counter'],
  'hw.status': ['1', 'updowncounter'],
  'hw.fan.speed': ['rpm', 'gauge'],
  'hw.fan.speed_ratio': ['1', 'gauge'],
  'hw.power_supply.limit': ['W', 'updowncounter'],
  'hw.power_supply.usage': ['W', 'updowncounter'],
  'hw.power_supply.utilization': ['1', 'gauge'],
  'hw.gpu.utilization': ['1', 'gauge'],
  'hw.gpu.memory.usage': ['By', 'updowncounter'],
  'hw.gpu.memory.limit': ['By', 'updowncounter'],
  'hw.gpu.io': ['By', 'counter'],
  'hw.host.power': ['W', 'gauge'],
  'hw.host.energy': ['J', 'counter'],
  'hw.host.ambient_temperature': ['Cel', 'gauge'],
};

test('a hw. name is one of the conventions, with their unit and instrument; every other name is ours', () => {
  for (const [name, [unit, instrument]] of Object.entries(catalog.metrics)) {
    assert.match(name, /^(hw|faultline)(\.[a-z][a-z0-9_]*)+$/);
    if (name.startsWith('hw.')) assert.deepEqual([unit, instrument], CONVENTIONS[name], name);
  }
});

test('every row names a metric, known component types, and no series twice', () => {
  const seen = new Set<string>();
  for (const { on, quantity, metric } of catalog.series) {
    assert.equal(metricNamed(metric).name, metric);
    for (const type of on) {
      assert.ok(
        COMPONENT_TYPES.some((known) => known === type),
        type,
      );
      const key = `${type}#${quantity}`;
      assert.ok(!seen.has(key), key);
      seen.add(key);
    }
  }
});

test('two series of one component never become the same metric with the same attributes', () => {
  const byType = new Map<string, Set<string>>();
  for (const { on, quantity } of catalog.series) {
    for (const type of on) {
      const made = seriesMetric(`${type}/x#${quantity}`);
      const key = JSON.stringify([made?.metric.name, made?.attributes]);
      const of = byType.get(type) ?? new Set();
      assert.ok(!of.has(key), `${type}#${quantity}: ${key}`);
      byType.set(type, of.add(key));
    }
  }
});

test('every quantity that native code samples of a GPU or a link has its row', () => {
  const rows = readFileSync(join(installationRoot(), 'native/vendor/nvml/readings.def'), 'utf8');
  const quantities = [...rows.matchAll(/^(?:NVML_|QUANTITY\()[^"\n]*"([a-z_0-9]+)"/gm)].map(([, name = '']) => name);
  assert.ok(quantities.length > 90);
  const known = new Set(catalog.series.flatMap(({ on, quantity }) => on.map((type) => `${type}#${quantity}`)));
  for (const name of quantities) assert.ok(known.has(`gpu#${name}`) || known.has(`nvlink#${name}`), name);
});

test('what is not in the table becomes a metric of ours; what names nothing becomes none', () => {
  assert.deepEqual(seriesMetric('nvlink/0000:1b:00.0/3#temperature')?.metric, {
    name: 'faultline.nvlink.temperature', unit: 'Cel', instrument: 'gauge', description: '',
  }); // biome-ignore format: one row
  for (const key of ['x/y#power', 'gpu/#power', 'gpu/0#', 'gpu/0#Bad Name', 'gpu', `gpu/0#${'a'.repeat(64)}`, '']) {
    assert.equal(seriesMetric(key), null, key);
  }
});

test('what a BMC reads has its unit, and fans turn in revolutions a minute as the conventions count them', () => {
  const metricOf = (key: string) => {
    const made = seriesMetric(key);
    return [made?.metric.name, made?.metric.unit, made?.attributes['hw.sensor_location'] ?? null, made?.scale];
  };
  assert.deepEqual(metricOf('psu/node-3/1#input_voltage'), ['hw.voltage', 'V', 'input', 1]);
  assert.deepEqual(metricOf('psu/node-3/1#input_power'), ['hw.power', 'W', 'input', 1]);
  assert.deepEqual(metricOf('psu/node-3/1#output_power'), ['hw.power_supply.usage', 'W', null, 1]);
  assert.deepEqual(metricOf('fan/node-3/1#fan_speed'), ['hw.fan.speed', 'rpm', null, 60]);
  assert.deepEqual(metricOf('host/node-3#exhaust_temperature_2'), [
    'faultline.host.exhaust_temperature_2',
    'Cel',
    null,
    1,
  ]);
});

test('companions stand under our prefix, once', () => {
  assert.equal(extremeMetrics(metricNamed('hw.power')).min.name, 'faultline.hw.power.min');
  assert.equal(extremeMetrics(metricNamed('faultline.gpu.clock')).max.name, 'faultline.gpu.clock.max');
});

/** What dimensionless gauges may be: Prometheus calls each of them a ratio. */
const RATIO = /\bshare\b|^Power factor$|^Bit error rate\b/i;

test('a gauge of unit 1 is a ratio, and nothing else carries a ratio in its name as Prometheus spells it', () => {
  for (const [name, [unit = '', kind, description = '']] of Object.entries(catalog.metrics)) {
    const isRatio = RATIO.test(description);
    assert.equal(kind === 'gauge' && unit === '1', isRatio, `${name} in ${unit}: ${description}`);
    const prometheus = metricName(name, unit, kind === 'counter' || kind === 'updowncounter' ? kind : 'gauge');
    assert.equal(prometheus.endsWith('_ratio'), isRatio, prometheus);
  }
  assert.equal(metricName('faultline.job.loss', metricNamed('faultline.job.loss').unit, 'gauge'), 'faultline_job_loss');
});

test('units are base units: none has a prefix', () => {
  for (const [name, [unit = '']] of Object.entries(catalog.metrics)) {
    assert.doesNotMatch(
      unit,
      /^(?:[kMGTmunp](?!in|ol)[A-Z]|KiBy|MiBy|GiBy|ms|us|ns|kW|MHz|GT|TFLOP)/,
      `${name} in ${unit}`,
    );
  }
});
