// Email to a real SMTP server: threads, TLS with an authority of its own, a password, and what its refusals mean.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { queued } from '../../../../src/sinks/notify/channels/queued.ts';
import { SmtpChannel } from '../../../../src/sinks/notify/channels/smtp.ts';
import type { What } from '../../../../src/sinks/notify/notification.ts';
import type { ChannelConfig } from '../../../../src/sinks/notify/settings.ts';
import { T0 } from '../../../incidents/sample.ts';
import { certificate } from '../../certificate.ts';
import { channel } from '../harness.ts';
import { notification } from '../sample.ts';

const folder = mkdtempSync(join(tmpdir(), 'fl-smtp-'));
const servers: SMTPServer[] = [];
after(async () => {
  for (const server of servers) await new Promise<void>((resolve) => server.close(() => resolve()));
  rmSync(folder, { recursive: true, force: true });
});

interface Mailbox {
  readonly port: number;
  readonly mails: string[];
}

async function mailbox(options: SMTPServerOptions): Promise<Mailbox> {
  const mails: string[] = [];
  const server = new SMTPServer({
    onData(stream, _session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part) => parts.push(part));
      stream.on('end', () => {
        mails.push(Buffer.concat(parts).toString());
        done();
      });
    },
    ...options,
  });
  servers.push(server);
  server.on('error', () => {}); // a client that goes away
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.server.address() as AddressInfo).port, mails }; // a TCP server has an address object
}

const sendTo = async (one: ChannelConfig, what: What = 'opened') =>
  await new SmtpChannel(one).send({ bytes: queued(notification(what)), items: 1, timeMs: T0 });

const mail = (url: string, more: Partial<ChannelConfig> = {}) =>
  channel('mail', 'email', url, { to: ['ops@b.example', 'boss@b.example'], from: 'faultline@b.example', ...more });

const plainServer = { authOptional: true, disabledCommands: ['STARTTLS', 'AUTH'] };

test('to all receivers, in plain text and HTML, one thread for an incident', async () => {
  const { port, mails } = await mailbox(plainServer);
  for (const what of ['opened', 'resolved'] as const)
    assert.deepEqual(await sendTo(mail(`smtp://127.0.0.1:${port}`), what), { is: 'ok' });
  const [opened = '', resolved = ''] = mails;
  assert.match(opened, /^Subject: ERROR on node-3/m);
  assert.match(opened, /^To: ops@b\.example, boss@b\.example/m);
  assert.match(opened, /text\/plain[\s\S]*text\/html/);
  const thread = /^References: (.*)$/m;
  assert.equal(thread.exec(opened)?.[1], thread.exec(resolved)?.[1]);
  assert.match(opened, /^Auto-Submitted: auto-generated/m);
});

test('with TLS, an authority of its own and a password; a wrong password keeps the message, a wrong certificate is named', async () => {
  const own = certificate(folder, 'mail');
  const options: SMTPServerOptions = {
    key: own.key,
    cert: own.cert,
    onAuth: ({ username, password }, _session, done) =>
      username === 'faultline' && password === 's3cret'
        ? done(null, { user: username })
        : done(new Error('no such user')),
  };
  const { port, mails } = await mailbox(options);
  const reach = { ...mail('smtp://x').reach, caFile: own.certFile };
  const one = mail(`smtp://127.0.0.1:${port}`, { user: 'faultline', secret: 's3cret', reach });
  assert.deepEqual(await sendTo(one), { is: 'ok' });
  assert.equal(mails.length, 1);
  assert.equal((await sendTo({ ...one, secret: 'wrong' })).is, 'closed');
  const untrusted = await sendTo({ ...one, reach: { ...reach, caFile: null } });
  assert.ok(untrusted.is === 'retry' && untrusted.difficulty === 'certificate', JSON.stringify(untrusted));
  const implicit = await mailbox({ ...options, secure: true });
  assert.deepEqual(await sendTo({ ...one, url: `smtps://127.0.0.1:${implicit.port}` }), { is: 'ok' });
});

test('no password goes over a line without TLS', async () => {
  const heard: string[] = [];
  const { port } = await mailbox({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ password }, _session, done) => {
      heard.push(String(password));
      done(null, { user: 'x' });
    },
  });
  const outcome = await sendTo(mail(`smtp://127.0.0.1:${port}`, { user: 'faultline', secret: 's3cret' }));
  assert.notEqual(outcome.is, 'ok');
  assert.deepEqual(heard, []);
});

test('4yz is tried again, 5yz is given up, a refused receiver is counted, a dead server is waited for', async () => {
  const say = (code: number) => Object.assign(new Error('no'), { responseCode: code });
  const later = await mailbox({ ...plainServer, onMailFrom: (_address, _session, done) => done(say(451)) });
  const never = await mailbox({ ...plainServer, onMailFrom: (_address, _session, done) => done(say(554)) });
  const half = await mailbox({
    ...plainServer,
    onRcptTo: ({ address }, _session, done) => done(address.startsWith('boss') ? say(550) : null),
  });
  assert.equal((await sendTo(mail(`smtp://127.0.0.1:${later.port}`))).is, 'retry');
  assert.equal((await sendTo(mail(`smtp://127.0.0.1:${never.port}`))).is, 'fatal');
  assert.equal((await sendTo(mail(`smtp://127.0.0.1:${half.port}`))).is, 'partial');
  assert.equal((await sendTo(mail('smtp://127.0.0.1:9'))).is, 'retry');
});
