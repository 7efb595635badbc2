// faultline probe bmc: what it prints, and how it ends when it cannot.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type ProbeBmcOptions, probeBmc } from '../../../src/commands/probe/probe-bmc.ts';
import type { ReadingsDocument } from '../../../src/model/documents/readings.ts';
import { SimulatedBmc } from '../../../src/simulator/bmc/simulated-bmc.ts';
import { faultline, folder } from '../run-cli.ts';

const root = folder();
const password = join(root, 'password');
const ca = join(root, 'ca.pem');
let bmc: SimulatedBmc;

before(async () => {
  bmc = await SimulatedBmc.start({ limitWatts: 6000, clockOffsetMs: -3_600_000 });
  writeFileSync(password, 'simulated\n', { mode: 0o600 });
  writeFileSync(ca, bmc.certificate);
});
after(() => bmc.close());

async function run(target: string, options: ProbeBmcOptions, env: Record<string, string> = {}) {
  let out = '';
  let error = '';
  const status = await probeBmc(target, options, {
    out: (text) => {
      out += text;
    },
    error: (text) => {
      error += text;
    },
    env,
  });
  return { status, out, error };
}

test('the readings document, over TLS with its certificate, and no session is left', async () => {
  const options = { user: 'faultline', passwordFile: password, caFile: ca, name: 'node-3', json: true };
  const { status, out, error } = await run(bmc.url, options);
  assert.deepEqual([status, error], [0, '']);
  const document: ReadingsDocument = JSON.parse(out);
  const value = (component: string, quantity: string) =>
    document.readings.find((one) => one.component === component && one.quantity === quantity)?.value;
  assert.equal(document.schema, 'faultline/readings/1');
  assert.equal(value('psu/node-3/2', 'input_voltage'), 230);
  assert.equal(value('host/node-3', 'power_limit'), 6000);
  assert.equal(value('fan/node-3/1', 'fan_speed'), 140);
  assert.deepEqual(
    document.states.filter(({ name }) => name === 'power_limit').map((one) => one.value),
    ['configured'],
  );
  assert.ok(document.warnings.some((warning) => /clock is off by -3[56]\d\d/.test(warning)));
  assert.equal(bmc.sessions.open, 0);
});

test('a table for people, the password from the environment', async () => {
  const { status, out } = await run(
    bmc.url,
    { user: 'faultline', insecure: true },
    { FAULTLINE_BMC_PASSWORD: 'simulated' },
  );
  assert.equal(status, 0);
  assert.match(out, /psu\/127\.0\.0\.1\/1 +input_voltage +230 +V/);
});

test('the command line reaches it', async () => {
  const { status, stdout } = await faultline([
    'probe', 'bmc', bmc.url, '--user', 'faultline', '--password-file', password, '--ca-file', ca, '--json',
  ]); // biome-ignore format: one command
  assert.equal(status, 0);
  assert.equal(JSON.parse(stdout).identity.model, 'simulated host');
});

for (const [why, target, options, status, message] of [
  ['a password of several lines', '', { user: 'faultline', insecure: true, passwordFile: ca }, 2, /FL2323/],
  ['an unknown certificate', '', { user: 'faultline', passwordFile: password }, 1, /FL2303[\s\S]*--ca-file/],
  ['no user', '', { insecure: true }, 1, /FL2304[\s\S]*--user/],
  ['no BMC there', 'https://127.0.0.1:1', { insecure: true }, 1, /FL2302/],
  ['no address', 'https://', {}, 2, /FL2321/],
  ['a path', 'https://127.0.0.1/other', {}, 2, /FL2321/],
  ['a password in the URL', 'https://ops:hunter2@127.0.0.1', {}, 2, /FL2321/],
  ['a user without a password', '', { user: 'ops' }, 2, /FL2322/],
  ['a password without a user', '', { passwordFile: password }, 2, /FL2322/],
  ['a password file that is not there', '', { user: 'ops', passwordFile: '/nowhere' }, 2, /FL2323/],
  ['a CA file that is not there', '', { caFile: '/nowhere' }, 2, /FL2323/],
  ['both ways of trust', '', { caFile: '/nowhere', insecure: true }, 2, /FL2322/],
  ['no time', '', { timeout: '5' }, 2, /FL2322/],
] as const) {
  test(`${why} ends with status ${status} and says so`, async () => {
    const { status: ended, out, error } = await run(target === '' ? bmc.url : target, options);
    assert.deepEqual([ended, out], [status, '']);
    assert.match(error, message);
    assert.doesNotMatch(error, /hunter2|simulated/);
  });
}

test('a password that the BMC rejects', async () => {
  const wrong = { FAULTLINE_BMC_PASSWORD: 'hunter2' };
  const { status, error } = await run(bmc.url, { user: 'faultline', insecure: true }, wrong);
  assert.equal(status, 1);
  assert.match(error, /FL2304 .*rejects user "faultline"/);
  assert.doesNotMatch(error, /hunter2/);
});
