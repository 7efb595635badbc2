// The BMC section of the configuration: what it becomes, and where each mistake is reported.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printConfig } from '../../../src/config/print-config.ts';
import { configSchema } from '../../../src/daemon/config.ts';
import { complaints, load, secretFile } from '../../config/helpers.ts';

const entry = (...lines: readonly string[]) =>
  `sources:\n  bmc:\n    - host: node-3\n${lines.map((line) => `      ${line}\n`).join('')}`;

test('a BMC with everything', async () => {
  const password = secretFile('hunter2\n');
  const ca = secretFile('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  const text = entry(
    'url: https://10.0.20.3/',
    'user: ops',
    `password_file: ${password}`,
    `ca_file: ${ca}`,
    'interval: 2s',
  );
  const loaded = await load(text);
  const [bmc] = loaded.config.sources.bmc;
  assert.deepEqual(
    [bmc?.host, bmc?.url, bmc?.user, bmc?.password, bmc?.insecure, bmc?.intervalMs, bmc?.timeoutMs],
    ['node-3', 'https://10.0.20.3', 'ops', 'hunter2', false, 2000, 10_000],
  );
  assert.match(bmc?.ca ?? '', /BEGIN CERTIFICATE/);
  assert.deepEqual(loaded.warnings, []);
  assert.doesNotMatch(printConfig(loaded, configSchema), /hunter2/);
});

const secret = secretFile('hunter2\n');

for (const [why, lines, reported] of [
  ['no URL', ['url: 10.0.20.3'], 'faultline.yaml:4:12'],
  ['a path in the URL', ['url: https://10.0.20.3/redfish/v1'], 'sources.bmc[0].url'],
  ['a user in the URL', ['url: https://ops:hunter2@10.0.20.3'], 'sources.bmc[0].url'],
  ['a user without a password', ['url: https://b', 'user: ops'], 'FL1107'],
  ['a password without a user', ['url: https://b', `password_file: ${secret}`], 'FL1107'],
  ['a password file that is not there', ['url: https://b', 'user: ops', 'password_file: /nowhere'], 'FL1109'],
  ['a CA file that is not a certificate', ['url: https://b', `ca_file: ${secret}`], 'FL1109'],
  ['a CA file that is not there', ['url: https://b', 'ca_file: /nowhere'], 'FL1109'],
  ['a CA file that would not be used', ['url: https://b', `ca_file: ${secret}`, 'insecure: true'], 'insecure'],
] as const) {
  test(`reported: ${why}`, async () => {
    const lineTexts = await complaints(entry(...lines));
    assert.ok(
      lineTexts.some((line) => line.includes(reported)),
      lineTexts.join('\n'),
    );
    assert.doesNotMatch(lineTexts.filter((line) => !line.includes('FL1106')).join('\n'), /hunter2$/m);
  });
}

test('two BMCs of one host are reported', async () => {
  const reported = await complaints(`${entry('url: https://a')}    - host: node-3\n      url: https://b\n`);
  assert.ok(
    reported.some((line) => /bmc\[1\]\.host .*FL1110/.test(line)),
    reported.join('\n'),
  );
});

test('a password in the clear is warned of, except on loopback', async () => {
  const clear = (host: string) => load(entry(`url: http://${host}`, 'user: ops', `password_file: ${secret}`));
  assert.match((await clear('10.0.20.3')).warnings.join('\n'), /FL2331/);
  assert.deepEqual((await clear('127.0.0.1:8000')).warnings, []);
});
