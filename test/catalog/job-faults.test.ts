// Faults in catalog/job: every entry reads its own example, names groups and kinds that there are, and stays linear on hostile lines.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultWords } from '../../src/detection/text/job/fault/fault-words.ts';
import { JobFaults } from '../../src/detection/text/job/fault/job-faults.ts';
import { entriesOf } from '../../src/detection/text/job/framework.ts';
import { ServerFaults } from '../../src/detection/text/service/server-faults.ts';
import { isKind } from '../../src/model/kind.ts';

const ENTRIES = entriesOf('faults');
const KINDS_OF_EXITS = ['job.rank_killed', 'job.rank_crashed'];

const nameOf = ({ framework, example }: (typeof ENTRIES)[number]): string => `${framework}: "${example.slice(0, 60)}"`;

/** What the log of a job reports of the example; of an exception that ended its process with the traceback before it. */
function reported(entry: (typeof ENTRIES)[number]): string[] {
  if (entry.on === 'server') return reportedByServer(entry);
  const faults = new JobFaults();
  const first = ENTRIES.find(({ framework, kept }) => framework === entry.framework && kept === 'first')?.example ?? '';
  const before =
    entry.on === 'uncaught' ? ['[rank3]: Traceback (most recent call last):'] : entry.kept === 'second' ? [first] : [];
  const example = entry.on === 'uncaught' ? `[rank3]: ${entry.example}` : entry.example;
  const kinds = [...before, example].flatMap((line) =>
    faults.concerns(line) ? faults.line(line, 'log#', null, 0).map(({ kind }) => kind) : [],
  );
  return entry.last_word === true && faults.unsure !== null ? [...kinds, faults.unsure.kind] : kinds;
}

/** What the log of a server reports of the example, and of an exception after a line that says that the server ends. */
function reportedByServer({ example, then }: (typeof ENTRIES)[number]): string[] {
  const server = new ServerFaults();
  const kinds = [example, 'KeyError: 7'].map((line) => server.line(line)?.kind);
  assert.equal(kinds[1], then === 'exception' ? 'job.rank_crashed' : undefined, example);
  return kinds.slice(0, 1).flatMap((kind) => kind ?? []);
}

for (const entry of ENTRIES) {
  test(`the words of ${nameOf(entry)} report what they say`, () => {
    const kinds = reported(entry);
    if (entry.kind !== undefined)
      assert.deepEqual(kinds, entry.ends === true ? [entry.kind, 'job.rank_crashed'] : [entry.kind]);
    else if (entry.exit === true) assert.ok(kinds.length === 1 && KINDS_OF_EXITS.includes(kinds[0] ?? ''), `${kinds}`);
    else assert.deepEqual(kinds, []);
  });
}

test('attributes are groups of the patterns, and each group is used', () => {
  for (const entry of ENTRIES) {
    const groups = new Set(
      patternsOf(entry).flatMap((pattern) => [...pattern.matchAll(/\(\?<(\w+)>/g)].map(([, name]) => name)),
    );
    const named = Object.entries(entry.attributes ?? {}).flatMap(([name, from]) =>
      typeof from === 'string' && /^(text|lower|integer)/.test(from) ? [name] : [],
    );
    const kept = entry.kept === 'second' ? ['rank'] : [];
    for (const name of [...named, ...(entry.not_finite ?? [])])
      assert.ok(groups.has(name) || kept.includes(name), `${nameOf(entry)}: no group ${name}`);
    const used = [
      ...named,
      ...(entry.not_finite ?? []),
      'rank',
      'local_rank',
      'host',
      'exit_code',
      'signal',
      entry.began_before_ms,
    ];
    for (const name of groups) assert.ok(used.includes(name), `${nameOf(entry)}: nothing uses the group ${name}`);
    assert.ok(entry.kind === undefined || isKind(entry.kind), `${nameOf(entry)}: ${entry.kind} is not a kind`);
    assert.ok(entry.on !== undefined || entry.words !== undefined, `${nameOf(entry)}: a line needs words`);
  }
});

// Lines are tenant text of up to 4096 characters: with bounded repetition a line costs no more than that many short looks.
test('no pattern repeats without a bound', () => {
  for (const entry of ENTRIES) {
    for (const pattern of patternsOf(entry)) {
      const plain = pattern.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x');
      assert.ok(!/[*+]|\{\d*,\}/.test(plain), `${nameOf(entry)}: ${pattern}`);
      assert.ok(!/\)\{/.test(plain.replaceAll('){0,63}', '')), `${nameOf(entry)}: a repeated group: ${pattern}`);
    }
  }
});

function patternsOf({ pattern, more = [] }: FaultWords): string[] {
  return pattern === undefined ? [...more] : [pattern, ...more];
}

// Its words may be quoted by any other line: what may be before them is said.
test('each pattern says where in a message it is', () => {
  for (const entry of ENTRIES) {
    assert.ok(entry.begins === undefined || entry.pattern !== undefined, nameOf(entry));
    if (entry.begins !== undefined || entry.ignored === true) continue;
    assert.ok(entry.pattern !== undefined, `${nameOf(entry)}: words alone may be anywhere`);
    for (const part of alternatives(entry.pattern)) assert.ok(part.startsWith('^'), `${nameOf(entry)}: ${part}`);
  }
});

/** The parts between bars that are in no group and no class. */
function alternatives(pattern: string): string[] {
  let depth = 0;
  let at = 0;
  const parts: string[] = [];
  for (const { 0: mark, index } of pattern.matchAll(/\\.|\[(?:\\.|[^\]])*\]|[()|]/g)) {
    if (mark === '(') depth += 1;
    else if (mark === ')') depth -= 1;
    else if (mark === '|' && depth === 0) {
      parts.push(pattern.slice(at, index));
      at = index + 1;
    }
  }
  return [...parts, pattern.slice(at)];
}
