// A command that fails leaves no folder behind that the service could not write later.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { faultline } from '../commands/run-cli.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-leftovers-'));
after(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

/** A configuration whose folders are not there; gives its path and where they would be. */
function host(extra = '', runtime = 'run'): { config: string; place: string } {
  count += 1;
  const place = join(root, String(count));
  mkdirSync(place);
  const config = join(place, 'faultline.yaml');
  writeFileSync(
    config,
    `host: node-3
directories: {state: "${place}/lib/faultline", log: "${place}/log/faultline", runtime: "${place}/${runtime}"}
sources: {gpu: {enabled: off}, flight_recorder: {enabled: off}, kubernetes: {enabled: off}}
otlp: {endpoint: "http://127.0.0.1:9"}
${extra}`,
  );
  return { config, place };
}

const FAIL: readonly (readonly [
  what: string,
  words: readonly string[],
  says: RegExp,
  extra?: string,
  runtime?: string,
])[] = [
  ['a wrong configuration', ['run'], /FL1105/, 'nothing: 1\n'],
  ['a wrong option', ['run', '--nothing'], /FL1200/],
  ['a recording that cannot be made', ['record', '--out', '/proc/none/file'], /FL1303/],
  ['a recording over something else', ['record', '--out', import.meta.filename], /FL1303/],
  ['a socket path that is too long', ['run'], /FL4110/, '', `run/${'x'.repeat(120)}`],
  ['a runtime folder that cannot be made', ['run'], /FL4111/, '', 'faultline.yaml/run'],
  ['no incident of that id', ['ack', 'abcd'], /FL31/],
  ['no incident to judge', ['verdict', 'abcd', 'right'], /FL31/],
  ['no daemon to tell of maintenance', ['maintenance', 'start'], /FL3407/],
  ['no daemon to ask', ['release-devices'], /FL1203/],
  ['no log to read', ['incidents'], /FL31/],
  ['no incident to explain', ['explain', 'abcd'], /FL31/],
];

for (const [what, words, says, extra, runtime] of FAIL) {
  test(`${what}: nothing is left`, async () => {
    const { config, place } = host(extra, runtime);
    const { status, stderr } = await faultline([...words, '--config', config]);
    assert.notEqual(status, 0);
    assert.match(stderr, says);
    assert.deepEqual(readdirSync(place), ['faultline.yaml']);
  });
}

test('what was there before stays when a start fails', async () => {
  const { config, place } = host();
  mkdirSync(join(place, 'lib', 'faultline'), { recursive: true });
  const { status } = await faultline(['record', '--out', '/proc/none/file', '--config', config]);
  assert.equal(status, 1);
  assert.ok(existsSync(join(place, 'lib', 'faultline')));
  assert.ok(!existsSync(join(place, 'log')) && !existsSync(join(place, 'run')));
});
