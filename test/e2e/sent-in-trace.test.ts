// What is sent about an incident is in its trace: each try to a real mail server and to a real connector of NVSentinel, with what came
// of it.

import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { spanIdOf } from '../../src/model/trace.ts';
import { Connector, status } from '../sinks/nvsentinel/connector.ts';
import { Collector } from '../sinks/otlp/collector.ts';
import type { Span } from '../sinks/otlp/otlp-proto.ts';
import { DaemonUnderTest, type Json } from './daemon-under-test.ts';

/** Takes a mail at the second try; `mails` are the subjects of those that it took. */
async function mailServer(t: TestContext): Promise<{ readonly port: number; readonly mails: string[] }> {
  const mails: string[] = [];
  let asked = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onMailFrom: (_address, _session, done) => {
      asked += 1;
      done(asked === 1 ? Object.assign(new Error('come again'), { responseCode: 451 }) : null);
    },
    onData(stream, _session, done) {
      let text = '';
      stream.setEncoding('utf8').on('data', (part: string) => (text += part));
      stream.on('end', () => {
        mails.push(/^Subject: (.*)$/m.exec(text)?.[1] ?? '');
        done();
      });
    },
  });
  server.on('error', () => {}); // a client that goes away
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { port: (server.server.address() as AddressInfo).port, mails }; // a TCP server has an address object
}

test('each try to send a mail, and an event to NVSentinel, is a span of the incident with its outcome', async (t) => {
  const collector = await Collector.grpc();
  t.after(() => collector.kill());
  const mail = await mailServer(t);
  const socket = join(tmpdir(), `fl-sent-${process.pid}.sock`);
  const connector = new Connector(socket);
  connector.react = (number) => (number === 1 ? status.UNAVAILABLE : null);
  await connector.start();
  t.after(() => connector.stop());
  const daemon = new DaemonUnderTest({
    gpus: 2,
    extra: `otlp: {endpoint: "http://127.0.0.1:${collector.port}"}
nvsentinel: {socket: "${socket}"}
notify:
  channels:
    - {name: desk, type: email, url: "smtp://127.0.0.1:${mail.port}", from: faultline@b.example, to: [ops@b.example]}`,
  });
  t.after(() => daemon.close());
  await daemon.start();
  daemon.kernel('NVRM: Xid (PCI:0000:1b:00): 79, pid=1122, name=python, GPU has fallen off the bus.');
  const incident: Json = await daemon.until('the incident', () => daemon.logged('incident').at(-1));
  const parent = { traceId: incident.trace_id, parentId: spanIdOf(String(incident.id)) };
  const calls = (name: string): Span[] =>
    collector.spans
      .filter((span) => span.name === name && span.traceId === parent.traceId)
      .sort((a, b) => a.startMs - b.startMs);
  const rpc = 'datamodels.PlatformConnector/HealthEventOccurredV1';
  const [mails, events] = await daemon.until('both were sent at the second try', () => {
    const found = [calls('SMTP send'), calls(rpc)] as const;
    return found.every((spans) => spans.length >= 2) && mail.mails.length > 0 && connector.heard.length > 0 && found;
  });
  for (const span of [...mails, ...events]) {
    assert.equal(span.parentId, parent.parentId, `${span.name} lies in the incident`);
    assert.ok(span.endMs >= span.startMs);
  }
  const [refused, sent] = mails;
  assert.deepEqual([refused?.error, refused?.attributes['error.type']], ['451', '451']);
  assert.deepEqual([sent?.error, sent?.attributes['error.type']], [null, undefined]);
  const server = ['network.protocol.name', 'server.address', 'server.port'].map((name) => sent?.attributes[name]);
  assert.deepEqual(server, ['smtp', '127.0.0.1', mail.port]);
  assert.match(mail.mails[0] ?? '', /node-3/);
  const [unavailable, taken] = events;
  assert.deepEqual([unavailable?.attributes['rpc.grpc.status_code'], unavailable?.error], [status.UNAVAILABLE, 'UNAVAILABLE']); // biome-ignore format: one line
  assert.deepEqual([taken?.attributes['rpc.grpc.status_code'], taken?.error], [status.OK, null]);
  const given = connector.metadata[0]?.get('traceparent')[0];
  assert.equal(given, `00-${parent.traceId}-${taken?.spanId}-01`, 'the connector was given the context');
});
