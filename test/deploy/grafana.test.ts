// The dashboards: whole, in units, and of nothing that Faultline does not have; the files of the stack next to them.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import metrics from '#catalog/metrics.json' with { type: 'json' };
import selfMetrics from '#catalog/self-metrics.json' with { type: 'json' };
import { extremeMetrics, metricNamed } from '../../src/sinks/metric-table.ts';
import { labelName, type MetricKind, metricName } from '../../src/sinks/prometheus/metric-names.ts';
import { dashboards, FOLDER, filled, queries } from './dashboards.ts';

const ALL = dashboards();
const WORDS = new Set([
  'by',
  'without',
  'on',
  'ignoring',
  'group_left',
  'group_right',
  'and',
  'or',
  'unless',
  'bool',
  'offset',
]);

/** Names of all metrics that Prometheus can have of us. */
function known(): Set<string> {
  const names = new Set<string>();
  for (const [name, [unit = '', kind]] of Object.entries(selfMetrics.metrics)) {
    const own = metricName(name, String(unit), String(kind) as MetricKind); // the catalogue's own words for it
    for (const suffix of kind === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) names.add(`${own}${suffix}`);
  }
  for (const name of Object.keys(metrics.metrics)) {
    const { min, max } = extremeMetrics(metricNamed(name));
    for (const each of [metricNamed(name), min, max]) names.add(metricName(each.name, each.unit, each.instrument));
  }
  return names;
}

function knownLabels(): Set<string> {
  const attributes = ['hw.id', 'hw.type', 'hw.state', 'error.type', 'faultline.job.id', 'faultline.rank.id'];
  for (const row of metrics.series) if ('attributes' in row) attributes.push(...Object.keys(row.attributes ?? {}));
  for (const row of Object.values(selfMetrics.metrics)) for (const name of row[3] ?? []) attributes.push(String(name));
  return new Set([...attributes.map(labelName), 'instance', 'job', 'le']);
}

/** Metrics and labels that an expression names: whatever is not a number, duration, text, function or word of the language. */
function named(expr: string): { metrics: string[]; labels: string[] } {
  const labels: string[] = [];
  const bare = filled(expr)
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\{([^}]*)\}/g, (_, inside: string) => {
      labels.push(...inside.split(',').map((matcher) => /^\s*(\w+)/.exec(matcher)?.[1] ?? matcher));
      return ' ';
    })
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g, (_, inside: string) => {
      labels.push(...inside.split(',').map((label) => label.trim()));
      return ' ';
    })
    .replaceAll(/\[[^\]]*\]/g, ' ');
  const words = [...bare.matchAll(/\b[a-zA-Z_:][\w:]*(?!\w)(\s*\()?/g)];
  const names = words.filter(([, call]) => call === undefined).map(([word]) => word);
  return { metrics: names.filter((word) => !WORDS.has(word)), labels };
}

test('what an expression names is found, also where it is wrong', () => {
  assert.deepEqual(named('topk(10, sum by (le, a) (rate(x_bucket{b=~"c{d}",e!="f,g"}[$__rate_interval]) / 2e3)) > 1'), {
    metrics: ['x_bucket'],
    labels: ['b', 'e', 'le', 'a'],
  });
});

test('every metric and label of a query is one that Faultline has', () => {
  const [names, labels] = [known(), knownLabels()];
  const strange = ALL.flatMap(queries).flatMap(({ where, expr }) => {
    const found = named(expr);
    assert.ok(found.metrics.length > 0, `${where}: ${expr}`);
    return [
      ...found.metrics.filter((name) => !names.has(name)),
      ...found.labels.filter((label) => !labels.has(label)),
    ].map((word) => `${where}: ${word}`);
  });
  assert.deepEqual(strange, []);
  for (const { templating } of ALL) {
    for (const { definition } of templating.list) {
      if (definition !== undefined) assert.ok(names.has(/\((\w+),/.exec(definition)?.[1] ?? ''), definition);
    }
  }
});

test('every panel says what it shows and in which unit, and covers no other', () => {
  assert.equal(ALL.length, 2);
  for (const { uid, panels, templating } of ALL) {
    const variables = new Set(templating.list.map(({ name }) => name));
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    for (const panel of panels.filter(({ type }) => type !== 'row')) {
      const where = `${uid}: ${panel.title}`;
      assert.ok(panel.fieldConfig?.defaults.unit, where);
      assert.ok(panel.description, where);
      assert.ok((panel.targets?.length ?? 0) > 0, where);
      assert.ok(panel.gridPos.x + panel.gridPos.w <= 24, where);
      for (const other of panels) {
        const [a, b] = [panel.gridPos, other.gridPos];
        const apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
        assert.ok(apart || other === panel, `${where} lies over ${other.title}`);
      }
    }
    const used = JSON.stringify(panels).matchAll(/\$\{?([a-z]\w*)/g);
    for (const [, name = ''] of used) assert.ok(variables.has(name), `${uid}: $${name} is not a variable`);
  }
});

test('the stack mounts files that are there, listens on loopback only, and pins its images', () => {
  const { services } = parse(readFileSync(join(FOLDER, 'docker-compose.yaml'), 'utf8'));
  for (const [name, service] of Object.entries<{ image: string; ports?: string[]; volumes: string[] }>(services)) {
    assert.match(service.image, /:v?\d+\.\d+\.\d+$/, name);
    for (const port of service.ports ?? []) assert.match(port, /^127\.0\.0\.1:/, name);
    for (const volume of service.volumes) {
      const [from = ''] = volume.split(':');
      if (from.startsWith('.')) assert.ok(existsSync(join(FOLDER, from)), `${name}: ${from}`);
    }
  }
  const sources = parse(readFileSync(join(FOLDER, 'provisioning/datasources/faultline.yaml'), 'utf8')).datasources;
  for (const { url } of sources) assert.ok(new URL(url).hostname in services, url);
  const collector = parse(readFileSync(join(FOLDER, 'collector.yaml'), 'utf8'));
  const parts = { receivers: 'receivers', processors: 'processors', exporters: 'exporters' } as const;
  for (const pipeline of Object.values<Record<keyof typeof parts, string[]>>(collector.service.pipelines)) {
    for (const [part, where] of Object.entries(parts) as [keyof typeof parts, string][]) {
      // the three above
      for (const name of pipeline[part]) assert.ok(name in collector[where], name);
    }
  }
});

const noPromtool =
  spawnSync('promtool', ['--version']).error === undefined
    ? false
    : 'promtool is not installed: apt-get install prometheus';
test('promtool finds nothing wrong with prometheus.yml', { skip: noPromtool }, () => {
  const { status, stderr } = spawnSync('promtool', ['check', 'config', join(FOLDER, 'prometheus.yml')], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
});
