// Everything at once: what is not YAML, what does not fit and what does not hold together is reported in one answer.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the configuration are what is tested

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../../src/config/config-error.ts';
import { complaints, load } from './helpers.ts';

const places = (lines: readonly string[]): string[] =>
  lines.map((line) => /^faultline\.yaml:(\d+:\d+): .* \[(FL\d{4})\]$/.exec(line)?.slice(1).join(' ') ?? line);

test('syntax, form, secrets, files, references and circles are reported together', async () => {
  const text = `host: node-3
log_level: loud
correlation:
  hold: "30
otlp:
  endpoint: no url
sources:
  gpu: {interval: 500ms, burst_interval: 1s}
  pdu:
    - {name: a, host: 10.0.0.1, community: secret, interval: soon}
    - {name: a, host: 10.0.0.2, community_file: /nonexistent/c}
topology:
  feeds:
    - {from: pdu/a, to: ups/u}
    - {from: ups/u, to: pdu/a}
    - {from: nothing, to: pdu/a}
`;
  const broken = await complaints(text.replace('"30', '30 : : x'));
  assert.deepEqual(places(broken), [
    '2:12 FL1106',
    '4:9 FL1103',
    '4:14 FL1103',
    '6:13 FL1106',
    '8:42 FL1110',
    '10:44 FL1109',
    '10:62 FL1106',
    '11:14 FL1110',
    '11:49 FL1109',
    '15:7 FL1110',
    '16:14 FL1110',
  ]);
});

test('a section that is not YAML hides no other one, and is reported once', async () => {
  const lines = await complaints(
    'sources:\n\tgpu: {}\nlog_level: loud\nimpact: {currency: euro}\nrecord: {max_bytes: 1B}\n',
  );
  assert.deepEqual(places(lines), ['2:1 FL1103', '3:12 FL1106', '4:20 FL1106', '5:21 FL1106']);
  const two = await complaints('host: "\\q"\nrecord: {path: "\\z"}\nlog_level: loud\n');
  assert.deepEqual(places(two), ['1:8 FL1103', '2:17 FL1103', '3:12 FL1106']);
});

test('what is missing or wrong is not reported a second time by what it leads to', async () => {
  for (const [text, expected] of [
    ['sources: {pdu: [{name: a, host: h, community: [x]}]}', ['1:47 FL1106']],
    ['sources: {pdu: [{name: a, host: h, community: "${NOT_SET}"}]}', ['1:47 FL1108']],
    [
      'sources: {bmc: [{host: n, url: https://h, user: u, password_file: 7.5}, {host: n, url: x}]}',
      ['1:67 FL1109', '1:80 FL1110', '1:88 FL1106'],
    ],
    ['sources: {job_log: [{job: j, path: /l, ranks: {}, world_size: 2}]}', ['1:47 FL1106']],
    ['topology: {feeds: [{from: pdu/a}]}', ['1:20 FL1107']],
    ['sources: {gpu: {interval: soon}}', ['1:27 FL1106']],
    ['sources: [1, 2]', ['1:10 FL1106']],
  ] as const) {
    assert.deepEqual(places(await complaints(text)), expected, text);
  }
});

test('a circle is reported once, at the link that closes it, with the way round', async () => {
  const feeds = (...links: readonly (readonly [string, string])[]) =>
    `topology:\n  feeds:\n${links.map(([from, to]) => `    - {from: ${from}, to: ${to}}`).join('\n')}\n`;
  assert.deepEqual(await complaints(feeds(['pdu/a', 'ups/b'], ['ups/b', 'psu/node-3/1'], ['host/node-3', 'pdu/a'])), [
    'faultline.yaml:5:7: topology.feeds[2] closes a circle: pdu/a → ups/b → psu/node-3/1 → host/node-3 → pdu/a. Power flows one way: remove the link that is wrong [FL1110]',
  ]);
  assert.deepEqual(
    await complaints(feeds(['pdu/a', 'psu/n/1'], ['pdu/a', 'psu/n/2'], ['ups/b', 'pdu/a'])),
    [],
    'a diamond',
  );
  const chain = Array.from({ length: 2_000 }, (_, i) => [`rack/r${i}`, `rack/r${(i + 1) % 2_000}`] as const);
  const [line, ...more] = await complaints(feeds(...chain));
  assert.match(line ?? '', /closes a circle: rack\/r0 → .* → 1994 more → rack\/r0/);
  assert.deepEqual(more, []);
});

const warned: readonly (readonly [string, RegExp | null])[] = [
  [
    'topology: {runs: [{from: host/node-3, to: job/lama}]}',
    /job\/|names lama, which no entry of sources\.job_log reads\. Did you mean: llama/,
  ],
  ['topology: {runs: [{from: host/node-3, to: job/llama}]}', null],
  ['topology: {runs: [{from: host/node-3, to: rank/llama/9}]}', /names rank 9 of llama, whose ranks end at 7/],
  ['topology: {runs: [{from: host/node-3, to: rank/llama/5}]}', /names rank 5 of llama, which is not among the ranks/],
  ['topology: {runs: [{from: host/node-3, to: rank/llama/2}]}', null],
  [
    'topology: {runs: [{from: host/node-3, to: service/api}]}',
    /names api, which no entry of sources\.service_log reads\. Add it/,
  ],
  [
    'topology: {feeds: [{from: pdu/pdb-b, to: host/node-3}]}',
    /names pdb-b, which no entry of sources\.pdu reads\. Did you mean: pdu-b/,
  ],
  [
    'topology: {feeds: [{from: pdu/pdu-b, to: psu/node3/1}]}',
    /names host node3, which no source reads\. Did you mean: node-3/,
  ],
  ['topology: {feeds: [{from: pdu/pdu-b, to: psu/node-4/1}]}', null],
];
const SOURCES =
  'sources: {pdu: [{name: pdu-b, host: h, community: public}], job_log: [{job: llama, path: /l, ranks: 0-3, world_size: 8}]}\n';
for (const [text, expected] of warned) {
  test(`${text} is ${expected === null ? 'fine' : 'warned of'}`, async () => {
    const { warnings } = await load(SOURCES + text);
    if (expected === null) assert.deepEqual(warnings, []);
    else assert.match(warnings.join(), expected);
    assert.equal(warnings.length, expected === null ? 0 : 1);
  });
}

test('what is doubtful is said along with what is wrong', async () => {
  const { problems, warnings } = await refused(
    `${SOURCES}bogus: 1\ntopology: {feeds: [{from: pdu/pdb-b, to: host/node-3}]}`,
  );
  assert.deepEqual(
    problems.map(({ code }) => code),
    ['FL1105'],
  );
  assert.match(warnings.join(), /^faultline\.yaml:3:27: topology\.feeds\[0\]\.from names pdb-b, .* \[FL1112\]$/);
});

test('no name is doubted while a part that may hold it cannot be read', async () => {
  const { problems, warnings } = await refused(
    'topology: {feeds: [{from: pdu/pdu-b, to: host/node-3}]}\nsources:\n\tpdu: [{name: pdu-b, host: h, community: public}]',
  );
  assert.equal(problems[0]?.code, 'FL1103');
  assert.deepEqual(warnings, []);
});

async function refused(text: string): Promise<ConfigError> {
  const error = await load(text).catch((error: unknown) => error);
  assert.ok(error instanceof ConfigError);
  return error;
}
