// TLS to the collector: its own authority, client certificates, and a wrong certificate reported once while nothing is lost.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ServerCredentials } from '@grpc/grpc-js';
import { smallIncident } from '../../incidents/sample.ts';
import { Collector } from './collector.ts';
import { otlpConfig, reports, startSink, stateDirectory, until } from './harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'fl-otlp-tls-'));
const at = (name: string) => join(folder, name);
const made: Collector[] = [];
after(() => {
  for (const one of made) one.kill();
});

/** A self-signed certificate and its key, <name>.pem and <name>.key. */
function certificate(name: string, address: string): void {
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=IP:${address}`];
  const files = ['-keyout', at(`${name}.key`), '-out', at(`${name}.pem`)];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', ...kind, ...subject, ...files], { stdio: 'ignore' });
}

certificate('server', '127.0.0.1');
certificate('other', '127.0.0.1');
certificate('elsewhere', '127.0.0.9');
certificate('client', '127.0.0.2');

async function collector(name: string, port = 0): Promise<Collector> {
  const pair = { private_key: readFileSync(at(`${name}.key`)), cert_chain: readFileSync(at(`${name}.pem`)) };
  const one = await Collector.grpc(port, ServerCredentials.createSsl(readFileSync(at('client.pem')), [pair], true));
  made.push(one);
  return one;
}

const files = { caFile: at('ca.pem'), certificateFile: at('client.pem'), keyFile: at('client.key'), tls: true };

test('a collector with an authority of its own takes what comes with our certificate', async () => {
  copyFileSync(at('server.pem'), at('ca.pem'));
  const server = await collector('server');
  const { logger, codes } = reports();
  const sink = await startSink({ ...otlpConfig(server.port, files), metrics: null }, stateDirectory(), logger);
  sink.incident(smallIncident(1));
  await until(
    () => server.logs.length === 1,
    () => [server.asked, sink.health()],
  );
  await sink.stop();
  assert.deepEqual(codes, []);
});

for (const [what, name] of [
  ['of an authority that is not trusted', 'other'],
  ['for another address', 'elsewhere'],
] as const) {
  test(`a certificate ${what} is reported once, and what waited is sent when it is replaced`, async () => {
    copyFileSync(at(name === 'other' ? 'server.pem' : 'elsewhere.pem'), at('ca.pem'));
    const wrong = await collector(name);
    const { logger, codes } = reports();
    const config = { ...otlpConfig(wrong.port, files), metrics: null, traces: null };
    const sink = await startSink(config, stateDirectory(), logger);
    sink.incident(smallIncident(1));
    await until(
      () => codes.length > 0,
      () => sink.health(),
    );
    await until(
      () => (sink.counters().logs?.retries ?? 0) >= 3,
      () => sink.counters(),
    );
    assert.deepEqual(codes, ['FL3202']);
    wrong.kill();
    copyFileSync(at('server.pem'), at('ca.pem'));
    const right = await collector('server', wrong.port);
    // The collector has a request before its answer is here.
    await until(
      () => right.logs.length === 1 && codes.at(-1) === 'FL3208',
      () => [sink.health(), codes],
    );
    await sink.stop();
  });
}

test('a certificate file that is not there is reported, and nothing is sent in the clear', async () => {
  const server = await collector('server');
  const { logger, codes, lines } = reports();
  const config = otlpConfig(server.port, { ...files, caFile: at('none.pem') });
  const sink = await startSink({ ...config, metrics: null, traces: null }, stateDirectory(), logger);
  sink.incident(smallIncident(1));
  await until(
    () => codes.length > 0,
    () => sink.health(),
  );
  await sink.stop();
  assert.deepEqual(codes, ['FL3202']);
  assert.match(lines[0] ?? '', /none\.pem cannot be read \(ENOENT\)/);
  assert.equal(server.asked, 0);
});
