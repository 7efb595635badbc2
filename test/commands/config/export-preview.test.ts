// The preview of what OTLP would be sent: all three signals and where they go, without a secret and without sending anything.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { exportPreview } from '../../../src/commands/config/export-preview.ts';
import { checkConfig } from '../../../src/daemon/config.ts';
import { configFile, faultline } from '../run-cli.ts';

async function preview(t: TestContext, otlp: string): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), 'preview-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'headers'), 'authorization=Bearer%20very-secret', { mode: 0o600 });
  const surroundings = { environment: {}, uid: 1, home: folder, hostname: 'node-9' };
  const { config } = await checkConfig(otlp, join(folder, 'faultline.yaml'), surroundings);
  return exportPreview(config, '1.2.3', 1_764_000_000_000)?.join('\n') ?? null;
}

test('metrics, logs and traces are shown with where they go; of headers only the names', async (t) => {
  const text = await preview(t, 'otlp: {endpoint: "https://collector:4317", headers_file: headers}');
  assert.ok(text !== null && !text.includes('secret'), String(text));
  assert.match(text, /metrics +every 10 s to https:\/\/collector:4317 over grpc, TLS, .*headers authorization \(/);
  assert.match(text, /\n {2}hw\.power 412\.5 W {2}\{hw\.id=0000:9b:00\.0/);
  assert.match(text, /\n {2}faultline\.incident\.opened error trace=[0-9a-f]{32} /);
  const [, trace] = /\n {2}incident\/gpu\.thermal_throttle trace=([0-9a-f]{32}) /.exec(text) ?? [];
  assert.ok(text.includes(`faultline.gpu.thermal_throttle warning trace=${trace}`), text);
  assert.match(text, /faultline\.simulated=true/);
});

test('a signal that is off is said to be off, and so is all of it', async (t) => {
  const text = await preview(
    t,
    'otlp: {endpoint: "http://127.0.0.1:4318", protocol: http/protobuf, traces: {enabled: "off"}}',
  );
  assert.match(text ?? '', /traces +off: none are sent/);
  assert.match(text ?? '', /to http:\/\/127\.0\.0\.1:4318\/v1\/logs over http\/protobuf, no TLS, .*no headers/);
  assert.equal(await preview(t, ''), null);
});

test('the command shows it while OTLP is on in both directions, and connects nowhere', async (t) => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const bound = server.address();
  assert.ok(typeof bound === 'object' && bound !== null);
  const path = configFile(
    `otlp: {endpoint: "http://127.0.0.1:${bound.port}"}\nsources: {otlp_in: {listen: ["127.0.0.1:${bound.port}"]}}\n`,
  );
  const { status, stdout, stderr } = await faultline(['config', 'check', '--export', path]);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /metrics +every 10 s to http:\/\/127\.0\.0\.1:\d+ over grpc/);
  assert.match(stdout, /\n {2}hw\.power 412\.5 W/);
  assert.match(stdout, /\n {2}faultline\.incident\.opened error trace=[0-9a-f]{32} /);
  assert.match(stdout, /\n {2}incident\/gpu\.thermal_throttle trace=/);
  assert.equal(connections, 0);
});
