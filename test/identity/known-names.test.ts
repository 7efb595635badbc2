// Known names: what was seen is known, and so is what parts of it were seen of; nothing else is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownNames } from '../../src/identity/known-names.ts';
import { parseComponent } from '../../src/model/component.ts';

test('a whole is known by its parts, a part is not known by its whole or by its neighbour', () => {
  const names = new KnownNames('node-3');
  for (const text of ['gpu/0000:9b:00.0', 'pdu_phase/pdu-b/1', 'rank/llama/3', 'psu/node-3/1'])
    names.saw(parseComponent(text));
  names.saw(null);
  const has = (text: string): boolean => {
    const component = parseComponent(text);
    assert.ok(component !== null);
    return names.has(component);
  };
  const known = ['host/node-3', 'gpu/0000:9b:00.0', 'pdu/pdu-b', 'job/llama', 'rank/llama/3', 'psu/node-3/1'];
  for (const text of known) assert.ok(has(text), text);
  for (const text of [
    'gpu/0000:9c:00.0',
    'pdu/pdu-c',
    'pdu/pdu',
    'rank/llama/4',
    'job/lla',
    'host/node-4',
    'psu/node-3/2',
  ])
    assert.ok(!has(text), text);
});

test('however many names come, a bound holds', () => {
  const names = new KnownNames('h');
  for (let id = 0; id < 30_000; id += 1) names.saw({ type: 'process', id: String(id) });
  assert.ok(names.list().length <= 20_000);
});
