// faultline config: check, print and schema as scripts use them.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the configuration are what is tested

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { configFile, faultline } from './run-cli.ts';

const SECRET = 'correct-horse-battery';

test('check says that a file is good, by argument, option or variable', async () => {
  const path = configFile('host: node-3\n');
  const good = { status: 0, stdout: `${path}: good\n`, stderr: '' };
  assert.deepEqual(await faultline(['config', 'check', path]), good);
  assert.deepEqual(await faultline(['config', 'check', '--config', path]), good);
  assert.deepEqual(await faultline(['config', 'check'], { env: { FAULTLINE_CONFIG: path } }), good);
});

test('check tells warnings on standard error and is content', async () => {
  const path = configFile('topology: {feeds: [{from: pdu_phase/p/1, to: psu/node-3/1}]}\n');
  const { status, stderr } = await faultline(['config', 'check', path]);
  assert.equal(status, 0);
  assert.match(stderr, /^warning: .*:1:27: topology\.feeds\[0\]\.from names p, .*\[FL1112\]\n$/);
});

test('print shows what is in force without secrets, as YAML that loads again and as JSON', async () => {
  const path = configFile('host: node-3\nsources: {pdu: [{name: p, host: h, community: "${C}"}]}\n');
  const { status, stdout } = await faultline(['config', 'print', '--config', path], { env: { C: SECRET } });
  assert.equal(status, 0);
  assert.ok(!stdout.includes(SECRET));
  const json = await faultline(['config', 'print', '--json', '--config', path], { env: { C: SECRET } });
  assert.ok(!json.stdout.includes(SECRET));
  assert.deepEqual(parse(stdout), JSON.parse(json.stdout));
  assert.equal(JSON.parse(json.stdout).sources.pdu[0].interval, '2s');
});

test('schema prints JSON Schema, of which the defaults are a part', async () => {
  const { status, stdout } = await faultline(['config', 'schema']);
  assert.equal(status, 0);
  const schema = JSON.parse(stdout);
  assert.equal(schema.additionalProperties, false);
  assert.equal(schema.properties.sources.properties.gpu.properties.interval.default, '500ms');
});
