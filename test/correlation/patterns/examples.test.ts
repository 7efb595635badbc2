// Each pattern's own small scenarios, played through correlation: clear, in part, with noise, and what only looks like it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { playExample } from '../../../src/commands/patterns/play-example.ts';
import { matchPattern, namedPattern } from '../../../src/correlation/patterns/match.ts';
import { PATTERNS } from '../../../src/correlation/patterns/patterns.ts';
import { wholeVerdict } from '../../../src/correlation/patterns/verdict.ts';
import { catalogueFolder } from '../../../src/helpers/catalogue-folder.ts';
import type { Attributes } from '../../../src/model/event.ts';
import type { Kind } from '../../../src/model/kind.ts';
import { GPUS } from '../fixtures.ts';

type Line = readonly [seconds: number, kind: Kind, component: string, attributes?: Attributes];
interface Example {
  readonly events: readonly Line[];
  readonly is?: string;
}
interface Entry {
  readonly examples: Readonly<Record<'clear' | 'partial' | 'noisy' | 'look_alike', Example>>;
}

const catalog = join(import.meta.dirname, '..', '..', '..', 'catalog');
const schema = (name: string) => new Ajv().compile(JSON.parse(readFileSync(join(catalog, name), 'utf8')));
const files = new Map([...catalogueFolder('patterns')].map(([id, entry]) => [id, entry as Entry])); // held by the first test

/** What always is the root where it is seen: no other pattern explains it. What looks like it has its effects. */
const ALWAYS_ROOTS = new Set([
  'collective_mismatch',
  'cooling_lost',
  'cuda_out_of_memory',
  'feed_lost',
  'feed_voltage_swell',
  'host_memory_failing',
  'pcie_link_failing',
]);

const played = (events: readonly Line[]) => playExample(events);

test('every file of catalog/patterns is of its schema, names kinds that can be roots, and look-alikes that are there', () => {
  const valid = schema('patterns.schema.json');
  assert.ok(files.size >= 31);
  for (const [id, entry] of files) {
    assert.ok(valid(entry), `${id}: ${JSON.stringify(valid.errors)}`);
    for (const { pattern } of PATTERNS.get(id)?.lookAlikes ?? [])
      assert.ok(PATTERNS.has(pattern) && pattern !== id, `${id}: ${pattern}`);
  }
});

test('a look-alike is one that the pattern names, and shows what the pattern begins with, or what follows where nothing else explains that', () => {
  for (const [id, { examples }] of files) {
    const pattern = PATTERNS.get(id);
    const { is, events } = examples.look_alike;
    assert.ok(pattern !== undefined, id);
    assert.ok(
      pattern.lookAlikes.some((other) => other.pattern === is),
      `${id}: ${is}`,
    );
    const shown = ALWAYS_ROOTS.has(id) ? pattern.completes.map(({ kinds }) => kinds) : [new Set(pattern.root)];
    assert.ok(
      events.some(([, kind]) => shown.some((kinds) => kinds.has(kind))),
      `${id}: nothing of it in ${JSON.stringify(events)}`,
    );
    assert.ok(
      played(events).every((incident) => incident.pattern !== id),
      id,
    );
  }
});

for (const [id, { examples }] of files) {
  test(`${id}: clear, in part, with noise, and what looks like it`, () => {
    const named = (name: keyof Entry['examples']): string => {
      const incident = played(examples[name].events).find((each) => name === 'look_alike' || each.pattern === id);
      const match = incident === undefined ? null : namedPattern(incident);
      const all = played(examples[name].events).map(
        ({ root, chain, pattern }) => `${pattern} from ${root.kind} (${chain.map(({ kind }) => kind)})`,
      );
      return match === null ? `none of: ${all.join('; ')}` : `${match.pattern.id} ${match.confidence}`;
    };
    const whole = PATTERNS.get(id)?.advisory === true ? 'partial' : 'full';
    assert.equal(named('clear'), `${id} ${whole}`);
    assert.equal(named('partial'), `${id} partial`);
    assert.equal(named('noisy'), `${id} ${whole}`);
    assert.match(named('look_alike'), new RegExp(`^${examples.look_alike.is} (?:full|partial)$`));
  });
}

test('what is exported of a pattern is of its schema', () => {
  const valid = schema('pattern-verdict.schema.json');
  for (const [id, { examples }] of files) {
    const incident = played(examples.clear.events).find(({ pattern }) => pattern === id);
    assert.ok(incident !== undefined, id);
    assert.ok(valid(wholeVerdict(incident)), JSON.stringify(valid.errors));
  }
});

test('an incident without a pattern, or with one of another release, has no verdict', () => {
  const [incident] = played([[0, 'agent.clock_offset', 'host/node-3']]);
  if (incident !== undefined) assert.equal(wholeVerdict(incident), null);
  const [lost] = played([[0, 'gpu.lost', GPUS[0] ?? '']]);
  assert.ok(lost !== undefined);
  assert.equal(wholeVerdict({ ...lost, pattern: 'of_a_later_release' }), null);
  assert.equal(wholeVerdict({ ...lost, pattern: null }), null);
});

test('what a user of the host could have written alone is a pattern in part', () => {
  const [lost] = played([
    [0, 'gpu.lost', GPUS[0] ?? ''],
    [2, 'job.rank_crashed', 'rank/llama/0'],
  ]);
  assert.ok(lost !== undefined);
  assert.equal(matchPattern(lost)?.confidence, 'full');
  assert.equal(matchPattern({ ...lost, unconfirmed: 'a line of the kernel' })?.confidence, 'partial');
});
