// A real VMAlert sends to the receiver of alerts, which it takes for an Alertmanager: once, again while it fires, and the end.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { EventInput } from '../../../../src/model/record.ts';
import { until } from '../../../until.ts';
import { receiver } from './receiver.ts';

const program = process.env.FAULTLINE_VMALERT ?? '';
const RULES = `groups:
  - name: hosts
    interval: 200ms
    rules:
      - {alert: FanBroken, expr: fan_broken > 0, labels: {severity: warning}, annotations: {summary: "a fan of {{ $labels.node }}"}}
`;

/** Answers the one query of the rules: what Prometheus' API gives for a gauge of two hosts. */
async function series(isBroken: () => boolean) {
  const server = createServer((_request, response) => {
    const value = [Date.now() / 1000, '1'];
    const result = ['node-3', 'node-4'].map((node) => ({ metric: { __name__: 'fan_broken', node }, value }));
    const data = { resultType: 'vector', result: isBroken() ? result : [] };
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ status: 'success', data }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

test('an alert of a real VMAlert begins once, and ends', {
  skip: program === '' && 'FAULTLINE_VMALERT is not set',
}, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fl-vmalert-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const events: EventInput[] = [];
  const { source, tokenFile } = await receiver(folder, events);
  context.after(() => source.stop());
  let isBroken = true;
  const server = await series(() => isBroken);
  context.after(() => server.close());
  writeFileSync(join(folder, 'rules.yaml'), RULES);
  const child = spawn(
    program,
    [
      `-rule=${join(folder, 'rules.yaml')}`,
      `-datasource.url=http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a TCP server has an address object
      `-notifier.url=http://127.0.0.1:${source.ports[0]}`,
      `-notifier.bearerTokenFile=${tokenFile}`,
      '-httpListenAddr=127.0.0.1:0',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  context.after(() => child.kill('SIGKILL'));
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  await until(() => events.length > 0, { seen: () => [source.health(), output.slice(-2000)] });
  const sent = (): number => source.counts()[0]?.reads ?? 0;
  const first = sent();
  await until(() => sent() > first + 2, { seen: () => source.counts() });
  isBroken = false;
  await until(() => events.length > 1, { seen: () => [events, source.health(), output.slice(-2000)] });
  assert.deepEqual(
    events.map(({ state, component, attributes }) => [state, component?.id, attributes?.alert, attributes?.summary]),
    [
      ['onset', 'node-3', 'FanBroken', 'a fan of node-3'],
      ['clear', 'node-3', 'FanBroken', 'a fan of node-3'],
    ],
  );
  assert.equal(source.counts()[0]?.failures, 0);
});
