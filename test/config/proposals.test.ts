// Proposals: whatever a mistake is, what the message says to write is accepted, and means what was meant.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse, stringify } from 'yaml';
import type { SchemaNode } from '../../src/config/schema-parts.ts';
import { configSchema as schema } from '../../src/daemon/config.ts';
import { complaints } from './helpers.ts';

const VARIABLES = { PDU_COMMUNITY: 'public', OTLP_HEADERS: 'a=b', SLACK_URL: 'https://hooks.example/x' };
/** As they are written in the file. */
const MISTAKES = [
  ...['90', '-1', '1.5', '5 s', '90 days', '64MB', '1ms', '99999d', '1B', '999999GiB', '~', '[]', '"\\u001b"'],
  ...['no', 'true', 'off', 'disabled', 'soon', 'warning', 'a/b', '10.0.20.3/redfish/v1', 'localhost:99999'],
];

function scalarKeys(node: SchemaNode, path: readonly string[] = []): (readonly [readonly string[], SchemaNode])[] {
  if (node.items !== undefined && node.properties === undefined) return scalarKeys(node.items, [...path, '0']);
  if (node.properties === undefined) return [[path, node]];
  return Object.entries(node.properties).flatMap(([key, inner]) => scalarKeys(inner, [...path, key]));
}

/** A document with `text` at `path`, and with what else its list entries need. */
function documentWith(path: readonly string[], text: string): string {
  const build = ([key, ...rest]: readonly string[], node: SchemaNode): unknown => {
    if (key === undefined) return parse(text);
    if (key === '0' && node.items !== undefined) return [build(rest, node.items)];
    const needed = (node.required ?? []).map((name) => [name, node.properties?.[name]?.examples?.[0] ?? 'x']);
    const inner = node.properties?.[key];
    return { ...Object.fromEntries(needed), [key]: inner === undefined ? null : build(rest, inner) };
  };
  return stringify(build(path, schema));
}

const named = (path: readonly string[]): string =>
  path.map((part, i) => (/^\d+$/.test(part) ? `[${part}]` : i === 0 ? part : `.${part}`)).join('');

test('every proposal for every key is accepted where it is written', async () => {
  let tried = 0;
  for (const [path] of scalarKeys(schema)) {
    const own = path.at(-1) ?? '';
    for (const mistake of MISTAKES) {
      for (const line of await complaints(documentWith(path, mistake), VARIABLES)) {
        const [, name = '', key, proposed] = /: (\S+) .* Write: (\w+): (\S+) \[FL/.exec(line) ?? [];
        if (key !== own || proposed === undefined || name !== named(path)) continue;
        tried += 1;
        const after = await complaints(documentWith(path, proposed), VARIABLES);
        // The example of a file is not there on this machine, nor is what has to be written besides, and the detector is an example.
        const other =
          / names \S+, which (?:does not exist|cannot be read)| needs \S+| means nothing to a detector of type /;
        const same = after.filter((each) => each.includes(`: ${name} `) && !other.test(each));
        assert.deepEqual(same, [], `${line}\nand then`);
      }
    }
  }
  assert.ok(tried > 300, `${tried} proposals`);
});

// biome-ignore format: one case, one glance
const meant: readonly (readonly [string, string | null])[] = [
  ['incidents: {max_age: 90}', 'max_age: 90d'],
  ['incidents: {max_age: 90 days}', 'max_age: 90d'],
  ['incidents: {max_bytes: 64}', 'max_bytes: 64MiB'],
  ['incidents: {max_bytes: 1GB}', 'max_bytes: 1GiB'],
  ['sources: {gpu: {interval: 500}}', 'interval: 500ms'],
  ['sources: {gpu: {interval: 2 seconds}}', 'interval: 2s'],
  ['sources: {gpu: {enabled: no}}', 'enabled: off'],
  ['sources: {gpu: {enabled: yes}}', 'enabled: on'],
  ['sources: {gpu: {enabled: disabled}}', 'enabled: off'],
  ['sources: {gpu: {enabled: false}}', 'enabled: off'],
  ['sources: {gpu: {enabled: 0}}', 'enabled: off'],
  ['sources: {gpu: {enabled: perhaps}}', null],
  ['sources: {kernel_log: {user_lines: no}}', 'user_lines: false'],
  ['sources: {kernel_log: {user_lines: yes}}', 'user_lines: true'],
  ['sources: {kernel_log: {user_lines: off}}', 'user_lines: false'],
  ['sources: {kernel_log: {user_lines: perhaps}}', null],
  ['prometheus: {enabled: no}', 'enabled: off'],
  ['log_level: warning', 'log_level: warn'],
  ['sources: {bmc: [{host: n, url: 10.0.20.3}]}', 'url: https://10.0.20.3'],
  ['sources: {bmc: [{host: n, url: "http://10.0.20.3/redfish/v1"}]}', 'url: http://10.0.20.3'],
  ['sources: {job_log: [{job: j, path: /l, ranks: x, world_size: 8}]}', 'ranks: 0-7'],
];
for (const [text, proposal] of meant) {
  test(`${text} is answered with ${proposal ?? 'no proposal'}`, async () => {
    const [line = ''] = await complaints(text);
    assert.equal(/ Write: (\w+: \S+) \[/.exec(line)?.[1] ?? null, proposal, line);
  });
}

test('a component that is proposed is one', async () => {
  for (const text of [
    'gpus/0',
    'gpu/0',
    'psus/1',
    'psu/1',
    'pdu_fase/pdu-b',
    'pdu_phase/1',
    'hots/a',
    'rnk/j/0',
    'rank/1',
    'nics/x',
  ]) {
    const [line = ''] = await complaints(`topology: {feeds: [{from: "${text}", to: host/node-3}]}`);
    const proposed = / Write: (\S+) \[/.exec(line)?.[1];
    assert.ok(proposed !== undefined, line);
    assert.deepEqual(await complaints(`topology: {feeds: [{from: "${proposed}", to: host/node-3}]}`), [], line);
  }
});
