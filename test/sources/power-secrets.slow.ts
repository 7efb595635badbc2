// Credentials of PDUs and BMCs appear nowhere: not in logs, errors, exports, recordings, incidents, state, the printed configuration,
// what doctor, probes and the socket answer, nor in the arguments of any process.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SimulatedBmc } from '../../src/simulator/bmc/simulated-bmc.ts';
import { SimulatedPdu } from '../../src/simulator/pdu-agent/simulated-pdu.ts';
import { faultline } from '../commands/run-cli.ts';
import { DaemonUnderTest } from '../e2e/daemon-under-test.ts';
import { until } from '../until.ts';

const SECRETS = {
  community: 'tr0ub4dor-community',
  traps: 'tr0ub4dor-traps',
  auth: 'tr0ub4dor-auth-key',
  priv: 'tr0ub4dor-priv-key',
  password: 'tr0ub4dor-password',
  wrong: 'tr0ub4dor-wrong',
} as const;
const ENCODED = Object.values(SECRETS).flatMap((secret) => [
  secret,
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(`faultline:${secret}`).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('hex'),
]);

test('no secret of the power chain leaves its file', async (t) => {
  const pdu = await SimulatedPdu.start({ community: SECRETS.community });
  t.after(() => pdu.close());
  const bmc = await SimulatedBmc.start({ password: SECRETS.password });
  t.after(() => bmc.close());
  const daemon = new DaemonUnderTest();
  t.after(() => daemon.close());
  const file = (name: string, text: string): string => {
    const path = join(daemon.folder, `${name}.secret`);
    writeFileSync(path, `${text}\n`, { mode: 0o600 });
    return path;
  };
  const config = join(daemon.folder, 'faultline.yaml');
  const base = readFileSync(config, 'utf8');
  const v3 = `{name: faultline, auth_key_file: "${file('auth', SECRETS.auth)}", priv_key_file: "${file('priv', SECRETS.priv)}"}`;
  writeFileSync(
    config,
    `${base}  pdu:
    - {name: good, host: 127.0.0.1, port: ${pdu.port}, community_file: "${file('community', SECRETS.community)}", trap_community_file: "${file('traps', SECRETS.traps)}", interval: 500ms}
    - {name: bad, host: 127.0.0.1, port: ${pdu.port}, community_file: "${file('wrong', SECRETS.wrong)}", interval: 500ms, timeout: 100ms}
    - {name: strict, host: 127.0.0.1, port: ${pdu.port}, version: 3, user: ${v3}, interval: 500ms, timeout: 100ms}
  bmc:
    - {host: node-3, url: "${bmc.url}", user: faultline, password_file: "${file('password', SECRETS.password)}", pin: first_use, interval: 500ms}
    - {host: node-4, url: "${bmc.url.replace('127.0.0.1', 'localhost')}", user: faultline, password_file: "${file('wrong2', SECRETS.wrong)}", insecure: true, interval: 500ms}
`,
  );
  const child = await daemon.start();
  const status = async () => JSON.stringify((await daemon.status())?.sources ?? []);
  await until(async () => {
    const now = await status();
    return /"pdu\/good","status":"works"/.test(now) && /"bmc\/node-3","status":"works"/.test(now) && /FL2304/.test(now);
  });
  const [first] = bmc.state.supplies;
  assert.ok(first);
  first.fed = false;
  bmc.settle();
  await until(() => daemon.logged('incident').length > 0);
  const { pid = 0 } = child;
  const said: Record<string, string> = {
    arguments: readFileSync(`/proc/${pid}/cmdline`, 'utf8'),
    status: await status(),
    print: shown(await faultline(['config', 'print', '--config', config])),
    check: shown(await faultline(['config', 'check', '--config', config])),
    doctor: shown(await faultline(['doctor', '--config', config, '--json'])),
    probe: shown(await faultline(['probe', 'bmc', bmc.url, '--insecure', '--user', 'faultline', '--password-file', join(daemon.folder, 'wrong.secret')])), // biome-ignore format: one line
    pdu: shown(await faultline(['probe', 'pdu', '127.0.0.1', '--timeout', '100'], { env: { FAULTLINE_SNMP_COMMUNITY: SECRETS.wrong } })), // biome-ignore format: one line
    incidents: shown(await faultline(['incidents', '--config', config, '--json'])),
  };
  said.stderr = daemon.stderr;
  for (const path of filesBelow(daemon.folder))
    if (!path.endsWith('.secret')) said[path] = readFileSync(path, 'latin1');
  for (const [where, text] of Object.entries(said)) {
    for (const secret of ENCODED) assert.ok(!text.includes(secret), `${secret} in ${where}`);
  }
  const names = Object.keys(said).join(' ');
  assert.match(names, /bmc\.json/, 'the state was looked at');
  assert.match(names, /recording\.jsonl/, 'and the recording');
  assert.match(said.doctor ?? '', /FL2304|rejects user/, 'and the refusal is reported');
});

function shown(run: { readonly stdout: string; readonly stderr: string }): string {
  return `${run.stdout}\n${run.stderr}`;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}
