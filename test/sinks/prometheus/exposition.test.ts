// The text formats: golden answers, escaping, order, no doubles.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { safeLines } from '../../../src/model/safe-text.ts';
import { escapeLabel, exposition, type Format, MAX_LABEL_VALUE } from '../../../src/sinks/prometheus/exposition.ts';
import type { Family } from '../../../src/sinks/prometheus/metric-family.ts';

const gauge = (name: string, samples: Family['samples'], help = 'A help.'): Family => ({
  name,
  type: 'gauge',
  help,
  unit: '',
  samples,
});
const written = (families: readonly Family[], format: Format, expected?: number) =>
  exposition(families, format, expected).toString();
const one = (value: number, labels: Family['samples'][number]['labels'] = []) => ({ suffix: '', labels, value });

const FAMILIES: readonly Family[] = [
  {
    name: 'wait_seconds',
    type: 'histogram',
    help: 'Time.',
    unit: 'seconds',
    samples: ['b', 'a'].flatMap((q) => [
      {
        suffix: '_bucket',
        labels: [
          ['q', q],
          ['le', '0.5'],
        ],
        value: 1,
      },
      {
        suffix: '_bucket',
        labels: [
          ['q', q],
          ['le', '10'],
        ],
        value: 2,
      },
      {
        suffix: '_bucket',
        labels: [
          ['q', q],
          ['le', '+Inf'],
        ],
        value: 3,
      },
      { suffix: '_sum', labels: [['q', q]], value: 12.5 },
      { suffix: '_count', labels: [['q', q]], value: 3 },
    ]),
  },
  {
    name: 'hw_energy_joules_total',
    type: 'counter',
    help: 'Energy, "its own" count\nwith a \\ in it',
    unit: 'joules',
    samples: [one(1560.25, [['hw_id', 'b']]), one(2, [['hw_id', 'a']])],
  },
  gauge('hw_power_watts', [one(400), one(Number.NaN, [['odd', 'a"b\\c\nd']])], ''),
  { name: 'OLD_NAME', type: 'counter', help: 'No total.', unit: '', samples: [one(1e21)] },
  { name: 'target_info', type: 'info', help: 'Who.', unit: '', samples: [one(1, [['host_name', 'node-3']])] },
  { name: 'strange', type: 'unknown', help: 'What.', unit: '', samples: [one(-Infinity)] },
  gauge('empty', []),
];

test('the plain text format', () => {
  assert.equal(
    written(FAMILIES, 'text'),
    `# HELP OLD_NAME No total.
# TYPE OLD_NAME counter
OLD_NAME 1e+21
# HELP hw_energy_joules_total Energy, "its own" count\\nwith a \\\\ in it
# TYPE hw_energy_joules_total counter
hw_energy_joules_total{hw_id="a"} 2
hw_energy_joules_total{hw_id="b"} 1560.25
# TYPE hw_power_watts gauge
hw_power_watts 400
hw_power_watts{odd="a\\"b\\\\c\\nd"} NaN
# HELP strange What.
# TYPE strange untyped
strange -Inf
# HELP target_info Who.
# TYPE target_info gauge
target_info{host_name="node-3"} 1
# HELP wait_seconds Time.
# TYPE wait_seconds histogram
wait_seconds_bucket{q="a",le="0.5"} 1
wait_seconds_bucket{q="a",le="10"} 2
wait_seconds_bucket{q="a",le="+Inf"} 3
wait_seconds_sum{q="a"} 12.5
wait_seconds_count{q="a"} 3
wait_seconds_bucket{q="b",le="0.5"} 1
wait_seconds_bucket{q="b",le="10"} 2
wait_seconds_bucket{q="b",le="+Inf"} 3
wait_seconds_sum{q="b"} 12.5
wait_seconds_count{q="b"} 3
`,
  );
});

test('OpenMetrics', () => {
  const text = written(FAMILIES, 'openmetrics');
  assert.ok(text.endsWith('\n# EOF\n'));
  assert.ok(text.includes('# TYPE OLD_NAME unknown\nOLD_NAME 1e+21\n'), text);
  assert.ok(
    text.includes(
      '# HELP hw_energy_joules Energy, \\"its own\\" count\\nwith a \\\\ in it\n# TYPE hw_energy_joules counter\n# UNIT hw_energy_joules joules\nhw_energy_joules_total{hw_id="a"} 2\n',
    ),
    text,
  );
  assert.ok(text.includes('# TYPE target info\ntarget_info{host_name="node-3"} 1\n'), text);
  assert.ok(text.includes('wait_seconds_bucket{q="a",le="10.0"} 2\n'), text);
});

test('a double costs itself and not the answer', () => {
  const text = written(
    [gauge('x', [one(1, [['a', '1']]), one(3), one(2, [['a', '1']])]), gauge('x', [one(9)])],
    'text',
  );
  assert.equal(text, '# HELP x A help.\n# TYPE x gauge\nx 3\nx{a="1"} 1\n');
});

test('doubles that cutting made do not come through either', () => {
  const long = (end: string) => `${'l'.repeat(MAX_LABEL_VALUE)}${end}`;
  const samples = ['x', 'y', 'z'].map((end, i) =>
    one(i, [
      ['a', long(end)],
      ['b', String(i % 2)],
    ]),
  );
  const lines = written([gauge('x', samples)], 'text')
    .split('\n')
    .filter((line) => line.startsWith('x{'));
  assert.equal(lines.length, 2);
});

test('the order of what comes in never shows', () => {
  const shuffled = fc.shuffledSubarray([...FAMILIES.keys()], { minLength: FAMILIES.length });
  fc.assert(
    fc.property(shuffled, (order) => {
      const families = order.flatMap((i) => FAMILIES[i] ?? []);
      assert.equal(written(families, 'text'), written(FAMILIES, 'text'));
    }),
  );
});

test('the answer is the same however long it was expected to be, letters of several bytes in it', () => {
  const families = [...FAMILIES, gauge('wide', [one(1, [['a', 'ä€😀'.repeat(40)]]), one(2)], 'Größe 😀')];
  const text = written(families, 'text');
  assert.ok(text.includes(`wide{a="${'ä€😀'.repeat(40)}"} 1\n`));
  for (const expected of [1, 7, 100, 333, Buffer.byteLength(text), 1e5])
    assert.equal(written(families, 'text', expected), text);
});

/** As Prometheus' lexer reads a label value back. */
function readBack(text: string): string {
  return text.replace(/\\(.)/g, (_, c: string) => (c === 'n' ? '\n' : c));
}

test('a label value reads back as it was but for what a terminal would obey, and stays on its line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: MAX_LABEL_VALUE / 2 }), (value) => {
      const escaped = escapeLabel(value);
      assert.ok(!escaped.includes('\n'));
      assert.ok(!/(^|[^\\])(\\\\)*"/.test(escaped), 'no quote that is not escaped');
      assert.equal(readBack(escaped), safeLines(value.toWellFormed()));
    }),
  );
});

test('a long value is cut', () => {
  assert.equal(escapeLabel('x'.repeat(100_000)).length, MAX_LABEL_VALUE);
  assert.ok(escapeLabel('🔥'.repeat(1000)).isWellFormed());
});

test('samples are in the order of their labels, in whatever order they come from one answer to the next', () => {
  const family = (values: readonly string[]): Family => ({
    name: 'in_order',
    type: 'gauge',
    help: '',
    unit: '',
    samples: values.map((value) => ({ suffix: '', labels: [['a', value]], value: Number(value) })),
  });
  for (const values of ['213', '213', '132', '32', '4321', '213']) {
    const lines = exposition([family([...values])], 'text')
      .toString()
      .split('\n')
      .slice(1, -1);
    assert.deepEqual(
      lines,
      [...values].sort().map((value) => `in_order{a="${value}"} ${value}`),
    );
  }
});
