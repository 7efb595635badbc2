// The topology out of a table: what it gives, and where what is wrong with it is.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parseTopologyCsv } from '../../src/config/topology-csv.ts';
import { componentText } from '../../src/model/component.ts';
import { complaints, load } from './helpers.ts';

function table(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'fl-csv-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'racks.csv');
  writeFileSync(path, text);
  return path;
}

test('both kinds of columns, in any order, with others between them', async (t) => {
  const path = table(
    t,
    '\ufeffHost,PSU,rack,"PDU",outlet\r\nnode-3,1,"R 14, left",pdu-a,7\r\n\r\nnode-3,2,,pdu-b,7\r\n',
  );
  const { config } = await load(`topology: {csv: "${path}"}`);
  const links = config.topology.links.map(
    ({ from, to, relation }) => `${componentText(from)} ${relation} ${componentText(to)}`,
  );
  assert.deepEqual(links, [
    'pdu_outlet/pdu-a/7 feeds psu/node-3/1',
    'psu/node-3/1 feeds host/node-3',
    'pdu_outlet/pdu-b/7 feeds psu/node-3/2',
    'psu/node-3/2 feeds host/node-3',
  ]);
  const pair = table(t, 'from;to\nups/a;pdu/pdu-a\n');
  const second = await load(`topology: {csv: "${pair}"}`);
  assert.deepEqual(
    second.config.topology.links.map(({ from, to }) => [from.id, to.id]),
    [['a', 'pdu-a']],
  );
});

test('what is wrong is at its line and column of the table', async (t) => {
  const path = table(t, 'from,to\npdu/a,psu/node-3/1\nodd,psu/node-3/2\npdu/a\n"pdu/b",rack\npdu/c,pdu/c\n');
  const lines = await complaints(`topology: {csv: "${path}"}`);
  const at = (line: number, column: number) =>
    lines.find((text) => text.includes(`${path}:${line}:${column}, which`)) ?? '';
  assert.match(at(3, 1), /topology\.csv names .*is not a component.*\[FL1110\]/);
  assert.match(at(4, 1), /has no to/);
  assert.match(at(5, 9), /is not a component/);
  assert.match(at(6, 1), /leads from a component to itself/);
  assert.match((await complaints('topology: {csv: /nowhere.csv}')).join('\n'), /\/nowhere\.csv, which cannot be read/);
  const none = table(t, 'a,b\n1,2\n');
  assert.match(
    (await complaints(`topology: {csv: "${none}"}`)).join('\n'),
    /:1:1, which needs a first line with the columns/,
  );
});

test('a circle through the table is closed at its line', async (t) => {
  const path = table(t, 'from,to\npdu/a,ups/b\nups/b,pdu/a\n');
  const lines = await complaints(`topology: {csv: "${path}"}`);
  assert.ok(
    lines.some((line) => line.includes(`${path}:3:1, which closes a circle: pdu/a → ups/b → pdu/a`)),
    lines.join('\n'),
  );
});

test('one outlet in two supplies, and a supply on two feeds, are warned of with both places', async (t) => {
  const path = table(t, 'pdu,outlet,host,psu\npdu-a,7,node-3,1\npdu-a,7,node-4,1\npdu-b,7,node-3,1\n');
  const { warnings } = await load(`topology: {csv: "${path}"}`);
  const texts = warnings.filter((text) => text.includes('FL1114')).map((text) => text.replaceAll(path, 'F'));
  assert.equal(texts.length, 2, texts.join('\n'));
  assert.match(
    texts[0] ?? '',
    /F:3:1, which has pdu_outlet\/pdu-a\/7 feed psu\/node-4\/1, and F:2:1 has it feed psu\/node-3\/1/,
  );
  assert.match(
    texts[1] ?? '',
    /F:4:1, which has pdu_outlet\/pdu-b\/7 feed psu\/node-3\/1, and F:2:1 has pdu_outlet\/pdu-a\/7 feed it/,
  );
  const two = await load(
    'topology: {feeds: [{from: pdu_outlet/a/1, to: psu/n/1}, {from: pdu_phase/a/1, to: psu/n/1}]}',
  );
  assert.deepEqual(
    two.warnings.filter((text) => text.includes('FL1114')),
    [],
    'two parts of one PDU are one feed',
  );
  const plugs = await load(
    'topology: {feeds: [{from: pdu_outlet/a/1, to: psu/n/1}, {from: pdu_outlet/a/2, to: psu/n/1}]}',
  );
  assert.match(
    plugs.warnings.filter((text) => text.includes('FL1114')).join('\n'),
    /:\d+:\d+: topology\.feeds\[1\] has pdu_outlet\/a\/2 feed psu\/n\/1, and topology\.feeds\[0\] has pdu_outlet\/a\/1 feed it/,
  );
});

test('quotes, line ends inside of them and an end without one', () => {
  const { links } = parseTopologyCsv('from,to,note\n"pdu/""a""",psu/n/1,"two\nlines"\npdu/b,psu/n/2');
  assert.deepEqual(
    links.map(({ from, fromAt }) => [from, fromAt.line, fromAt.column]),
    [
      ['pdu/"a"', 2, 1],
      ['pdu/b', 4, 1],
    ],
  );
});
