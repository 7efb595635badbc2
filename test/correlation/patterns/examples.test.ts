// Each pattern's own small scenarios, played through correlation: clear, in part, with noise, and what only looks like it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { matchPattern, namedPattern } from '../../../src/correlation/patterns/match.ts';
import { PATTERNS } from '../../../src/correlation/patterns/patterns.ts';
import { wholeVerdict } from '../../../src/correlation/patterns/verdict.ts';
import { catalogueFolder } from '../../../src/helpers/catalogue-folder.ts';
import { IncidentBook } from '../../../src/incidents/lifecycle.ts';
import type { Attributes } from '../../../src/model/event.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { type Kind, kindInfo } from '../../../src/model/kind.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { correlator, event, GPUS, HOST, link, run } from '../fixtures.ts';

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

/** Who sees events of a family. */
const SEEN_BY: Readonly<Record<string, Pick<EventInput, 'trust' | 'source'>>> = {
  power: { trust: 'facility', source: 'pdu' },
  cooling: { trust: 'facility', source: 'pdu' },
  psu: { trust: 'bmc', source: 'bmc' },
  gpu: { trust: 'kernel', source: 'kernel-log' },
  job: { trust: 'tenant', source: 'job-log' },
  net: { trust: 'tenant', source: 'job-log' },
  process: { trust: 'kernel', source: 'kernel-log' },
  cpu: { trust: 'kernel', source: 'cpu' },
};
const KERNEL = { trust: 'kernel', source: 'kernel-log' } as const;

/** The last word on what these events are, the one with the most events first. */
function played(events: readonly Line[]): Incident[] {
  const made = correlator([
    link('pdu/pdu-b', 'pdu_phase/pdu-b/1', 'contains'),
    link('ups/ups-1', 'pdu/pdu-b', 'feeds'),
    link('pdu_phase/pdu-b/1', 'pdu_branch/pdu-b/1', 'feeds'),
    link('pdu_branch/pdu-b/1', 'pdu_outlet/pdu-b/7', 'feeds'),
    link('pdu_outlet/pdu-b/7', 'psu/node-3/1', 'feeds'),
    link('psu/node-3/1', 'host/node-3', 'feeds'),
    link('psu/node-3/2', 'host/node-3', 'feeds'),
    link('host/node-3', 'cpu/node-3/0', 'contains'),
    link('host/node-3', 'nic/0000:5e:00.0', 'contains'),
    link('host/node-3', 'process/4242', 'contains'),
    ...GPUS.flatMap((gpu, i) => [
      link(gpu, `rank/llama/${i}`, 'runs'),
      link(`rank/llama/${i}`, 'job/llama', 'member_of'),
    ]),
  ]);
  const given = events.map(([s, kind, at, attributes = {}]) => {
    const seen = SEEN_BY[kind.slice(0, kind.indexOf('.'))] ?? KERNEL;
    return event(s, kind, at, { ...seen, severity: kindInfo(kind).severity, state: 'onset', attributes });
  });
  const book = new IncidentBook(HOST, []);
  const incidents = run(made, given).last.flatMap((explanation) => book.apply(explanation) ?? []);
  return incidents.sort((a, b) => b.chain.length - a.chain.length || b.confidence - a.confidence);
}

test('every file of catalog/patterns is of its schema, names kinds that can be roots, and look-alikes that are there', () => {
  const valid = schema('patterns.schema.json');
  assert.ok(files.size >= 31);
  for (const [id, entry] of files) {
    assert.ok(valid(entry), `${id}: ${JSON.stringify(valid.errors)}`);
    for (const { pattern } of PATTERNS.get(id)?.lookAlikes ?? [])
      assert.ok(PATTERNS.has(pattern) && pattern !== id, `${id}: ${pattern}`);
    assert.ok(PATTERNS.has(entry.examples.look_alike.is ?? ''), id);
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
