import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { parse } from 'yaml';
import { type PatternsOptions, showPatterns } from '../../../src/commands/patterns/show-patterns.ts';
import { PATTERNS } from '../../../src/correlation/patterns/patterns.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

async function shown(name: string | undefined, options: PatternsOptions = {}): Promise<string> {
  let text = '';
  const stdout = new PassThrough().setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const io = {
    stdout,
    stderr: stdout,
    now: () => 0,
    timeZone: 'UTC',
    colour: false,
    status: () => {},
    signal: () => new AbortController().signal,
  };
  await showPatterns(name, options, io);
  await new Promise((resolve) => setImmediate(resolve));
  return text;
}

test('the list has a line for each pattern, one of them whole says what it needs and what to do', async () => {
  assert.equal((await shown(undefined)).trimEnd().split('\n').length, PATTERNS.size);
  const text = await shown('gpu-fell-off-bus');
  assert.match(text, /^gpu_fell_off_bus: GPU fell off the bus\n/);
  for (const label of ['Root', 'Needs', 'Thresholds', 'Looks like', 'Do', 'Runbook', 'Source'])
    assert.match(text, new RegExp(`^${label} `, 'm'));
  assert.match(text, /^Runbook +docs\/runbooks\/gpu\.md#gpulost$/m);
});

test('--json is one document, of one pattern or of all', async () => {
  const all = JSON.parse(await shown(undefined, { json: true }));
  assert.deepEqual([all.schema, all.patterns.length], ['faultline/patterns/1', PATTERNS.size]);
  const [one] = JSON.parse(await shown('straggler', { json: true })).patterns;
  assert.deepEqual(one.root, ['gpu.straggler', 'job.straggler']);
});

test('what is not there, or does not fit together, is refused', async () => {
  await assert.rejects(shown('gpu-fell'), /FL3131 .*Did you mean: gpu_fell_off_bus/);
  await assert.rejects(shown('gpu_fell_of_bus'), /FL3131 .*Did you mean: gpu_fell_off_bus/);
  await assert.rejects(shown(undefined, { json: true, rules: true }), /FL1200/);
  await assert.rejects(shown(undefined, { runbooks: 'https://docs.example/' }), /FL1200/);
});

test('the rules that are shipped are those of the patterns', async () => {
  const path = join(ROOT, 'deploy', 'rules', 'faultline.yaml');
  const text = await shown(undefined, { rules: true });
  assert.equal(
    readFileSync(path, 'utf8'),
    text,
    'write it again: faultline patterns --rules > deploy/rules/faultline.yaml',
  );
  const rules = parse(text).groups[0].rules as { alert: string; expr: string; annotations: { runbook_url: string } }[];
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, PATTERNS.size);
  for (const { expr, annotations } of rules) {
    assert.match(expr, /^faultline_patterns_open\{pattern="[a-z_]+", injected=""\} > 0$/);
    const [page = '', anchor = ''] = annotations.runbook_url.split('#');
    const sections = readFileSync(join(ROOT, page), 'utf8').match(/^## .*$/gm) ?? [];
    assert.ok(
      sections.some((line) => line.slice(3).replaceAll('.', '') === anchor),
      annotations.runbook_url,
    );
  }
});

test('links lead to where docs are served', async () => {
  const text = await shown('straggler', { rules: true, runbooks: 'https://docs.example/faultline/' });
  assert.match(text, /runbook_url: https:\/\/docs\.example\/faultline\/runbooks\/gpu\.md#gpustraggler\n/);
});

const promtool = spawnSync('promtool', ['--version']).error === undefined;
test('promtool takes the rules, and they fire while an incident of the pattern is open', {
  skip: promtool ? false : 'needs promtool',
}, () => {
  const checked = spawnSync('promtool', ['check', 'rules', join(ROOT, 'deploy', 'rules', 'faultline.yaml')], {
    encoding: 'utf8',
  });
  assert.equal(checked.status, 0, checked.stderr);
  const tried = spawnSync('promtool', ['test', 'rules', join(import.meta.dirname, 'rules.test.yaml')], {
    encoding: 'utf8',
  });
  assert.equal(tried.status, 0, tried.stdout + tried.stderr);
});
