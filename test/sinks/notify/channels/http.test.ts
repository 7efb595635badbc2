// Each channel of the catalogue against a real HTTP server: what it posts for each stage of an incident, and what a reply means.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, test } from 'node:test';
import { isTaken } from '../../../../src/sinks/delivery/send/outcome.ts';
import type { ChannelType } from '../../../../src/sinks/notify/channels/definition.ts';
import { httpChannel } from '../../../../src/sinks/notify/channels/http.ts';
import { queued } from '../../../../src/sinks/notify/channels/queued.ts';
import { Threads } from '../../../../src/sinks/notify/channels/threads.ts';
import type { What } from '../../../../src/sinks/notify/notification.ts';
import type { ChannelConfig } from '../../../../src/sinks/notify/settings.ts';
import { T0 } from '../../../incidents/sample.ts';
import { channel } from '../harness.ts';
import { HttpReceiver } from '../http-receiver.ts';
import { notification } from '../sample.ts';

const receiver = await new HttpReceiver().start();
after(() => receiver.stop());

function open(type: ChannelType, more: Partial<ChannelConfig> = {}) {
  const transport = httpChannel(channel('ops', type, receiver.url, more), {
    userAgent: 'faultline/1',
    now: () => T0,
    threads: new Threads(null),
  });
  return async (what: What, reply = '{}') => {
    receiver.react = () => ({ status: 200, body: reply });
    const outcome = await transport.send({ bytes: queued(notification(what)), items: 1, timeMs: T0 });
    const last = receiver.taken.at(-1);
    assert.ok(last !== undefined);
    const body = JSON.parse(last.body.toString());
    return { outcome, body, path: last.path, headers: last.headers, raw: last.body };
  };
}

test('slack: title and text as plain text, colour by severity', async () => {
  const { body, outcome } = await open('slack')('opened', 'ok');
  assert.ok(isTaken(outcome));
  assert.match(body.text, /^ERROR on node-3: /);
  const [attachment] = body.attachments;
  assert.deepEqual([attachment.blocks.length, body.mrkdwn], [1, false]);
  assert.ok(!JSON.stringify(attachment).includes('ERROR on'), 'Slack shows text above the attachment: once is enough');
  assert.equal(attachment.blocks[0].text.type, 'plain_text');
  assert.match(attachment.blocks[0].text.text, /Do: .*\nRunbook: docs\/runbooks\/gpu.md/);
  assert.equal(attachment.color, '#d9480f');
});

test('slack_bot: what follows is in the thread of the first message', async () => {
  const send = open('slack_bot', { secret: 'xoxb-1', to: ['#ops'] });
  const first = await send('opened', '{"ok":true,"ts":"1700.1"}');
  assert.equal(first.headers.authorization, 'Bearer xoxb-1');
  assert.deepEqual([first.body.channel, first.body.thread_ts], ['#ops', undefined]);
  const second = await send('resolved', '{"ok":true,"ts":"1700.2"}');
  assert.equal(second.body.thread_ts, '1700.1');
  assert.equal((await send('revised', '{"ok":false,"error":"ratelimited"}')).outcome.is, 'retry');
  assert.equal((await send('revised', '{"ok":false,"error":"invalid_auth"}')).outcome.is, 'closed');
  assert.equal((await send('revised', '<html>proxy')).outcome.is, 'retry');
});

test('pagerduty: one deduplication key from trigger over acknowledge to resolve', async () => {
  const send = open('pagerduty', { secret: 'R0UT1NG' });
  const bodies = [];
  for (const what of ['opened', 'revised', 'acknowledged', 'resolved'] as const) bodies.push((await send(what)).body);
  assert.deepEqual(
    bodies.map(({ event_action }) => event_action),
    ['trigger', 'trigger', 'acknowledge', 'resolve'],
  );
  assert.equal(new Set(bodies.map(({ dedup_key }) => dedup_key)).size, 1);
  const { payload, routing_key: key } = bodies[0];
  assert.deepEqual([key, payload.severity, payload.source], ['R0UT1NG', 'error', 'node-3']);
  assert.equal(payload.class, 'gpu.lost');
  assert.equal(payload.group, undefined, 'what there is none of is left out');
});

test('opsgenie: an alert by alias, then notes, then closed', async () => {
  const send = open('opsgenie', { secret: 'key' });
  const opened = await send('opened');
  assert.equal(opened.headers.authorization, 'GenieKey key');
  assert.deepEqual([opened.path, opened.body.priority], ['/hook/v2/alerts', 'P2']);
  const alias = encodeURIComponent(opened.body.alias);
  assert.equal((await send('revised')).path, `/hook/v2/alerts/${alias}/notes?identifierType=alias`);
  assert.equal((await send('resolved')).path, `/hook/v2/alerts/${alias}/close?identifierType=alias`);
});

test('teams: a card of text runs, one for each line', async () => {
  const { body } = await open('teams')('opened');
  const card = body.attachments[0].content;
  assert.equal(card.type, 'AdaptiveCard');
  assert.ok(card.body.length > 3);
  assert.ok(card.body.every(({ type }: { type: string }) => type === 'RichTextBlock'));
});

test('dingtalk and wecom: text, and errors that are in the body of a 200', async () => {
  const send = open('dingtalk', { secret: 'SECabc' });
  const { path, body, outcome } = await send('opened', '{"errcode":0,"errmsg":"ok"}');
  assert.ok(isTaken(outcome));
  const query = new URL(path, 'http://x').searchParams;
  const sign = createHmac('sha256', 'SECabc').update(`${T0}\nSECabc`).digest('base64');
  assert.deepEqual([query.get('timestamp'), query.get('sign')], [String(T0), sign]);
  assert.match(body.text.content, /^ERROR on node-3/);
  assert.equal((await send('opened', '{"errcode":130101,"errmsg":"send too fast"}')).outcome.is, 'retry');
  assert.equal((await send('opened', '{"errcode":310000,"errmsg":"sign not match"}')).outcome.is, 'closed');
  const wecom = open('wecom');
  assert.equal((await wecom('opened', '{"errcode":45009,"errmsg":"api freq out of limit"}')).outcome.is, 'retry');
  assert.equal((await wecom('opened', '{"errcode":93000,"errmsg":"invalid webhook url"}')).outcome.is, 'closed');
  const { body: text } = await wecom('opened', '{"errcode":0}');
  assert.ok(Buffer.byteLength(text.text.content) <= 2048);
});

test('telegram: answers its first message, by number', async () => {
  const send = open('telegram', { secret: '12:abc', to: ['-100'] });
  const first = await send('opened', '{"ok":true,"result":{"message_id":77}}');
  assert.equal(first.path, '/hook/bot12:abc/sendMessage');
  assert.equal(first.body.reply_parameters, undefined);
  assert.equal((await send('resolved', '{"ok":true,"result":{"message_id":78}}')).body.reply_parameters.message_id, 77);
});

test('webhook: the document of its schema, signed as Standard Webhooks are; or a CloudEvent', async () => {
  const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
  const { body, raw, headers } = await open('webhook', { secret, token: 'tok' })('opened');
  assert.equal(body.schema, 'faultline/notification/1');
  assert.equal(body.incident.schema, 'faultline/incident/1');
  assert.equal(headers.authorization, 'Bearer tok');
  assert.equal(headers['webhook-id'], body.key);
  const signed = `${body.key}.${headers['webhook-timestamp']}.${raw.toString()}`;
  const expected = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(signed)
    .digest('base64');
  assert.equal(headers['webhook-signature'], `v1,${expected}`);
  const event = await open('webhook', { format: 'cloudevents' })('resolved');
  assert.equal(event.headers['content-type'], 'application/cloudevents+json');
  const { specversion, type, source, id, data } = event.body;
  assert.deepEqual(
    [specversion, type, source, id],
    ['1.0', 'faultline.incident.resolved', '/faultline/node-3', data.key],
  );
  const binary = await open('webhook', { format: 'cloudevents_binary', secret })('resolved');
  assert.deepEqual(
    ['content-type', 'ce-specversion', 'ce-type', 'ce-source', 'ce-id', 'ce-subject', 'ce-time'].map(
      (name) => binary.headers[name],
    ),
    [
      'application/json',
      '1.0',
      'faultline.incident.resolved',
      '/faultline/node-3',
      binary.body.key,
      binary.body.facts.id,
      binary.body.at,
    ],
  );
  assert.equal(binary.headers['webhook-id'], binary.headers['ce-id'], 'what tells events apart is signed');
  assert.deepEqual({ ...binary.body }, { ...data }, 'the same document in either form');
});

test('an answer that says what is wrong comes with what to do; a secret in it stays out', async () => {
  const url = `${receiver.url}/T0/B0/verysecretpath`;
  const to = async (type: ChannelType, status: number, body: string, more: Partial<ChannelConfig> = {}) => {
    const made = httpChannel(channel('ops', type, url, more), {
      userAgent: 'faultline/1',
      now: () => T0,
      threads: new Threads(null),
    });
    receiver.react = () => ({ status, body });
    const outcome = await made.send({ bytes: queued(notification('opened')), items: 1, timeMs: T0 });
    return 'why' in outcome ? outcome : assert.fail('it was taken');
  };
  assert.match((await to('slack', 404, 'no_service')).remedy ?? '', /make a new incoming webhook/);
  const bot = { secret: 'xoxb-1', to: ['#ops'] };
  assert.match((await to('slack_bot', 200, '{"ok":false,"error":"not_in_channel"}', bot)).remedy ?? '', /\/invite/);
  assert.match((await to('telegram', 403, '{"ok":false,"description":"blocked"}', bot)).remedy ?? '', /add it again/);
  assert.match((await to('dingtalk', 200, '{"errcode":310000,"errmsg":"sign"}')).remedy ?? '', /secret_file/);
  assert.match((await to('webhook', 429, '')).remedy ?? '', /lower rate/);
  const echo = await to('pagerduty', 400, '{"message":"bad key R0UT1NGKEY"}', { secret: 'R0UT1NGKEY' });
  assert.match(echo.why, /bad key \(redacted\)/);
  assert.doesNotMatch((await to('slack', 500, `no ${url}`)).why, /verysecretpath/);
});

test('statuses: 429 waits as long as it asks, 401 and 410 keep all, 500 is tried for hours, 400 is given up', async () => {
  const transport = httpChannel(channel('ops', 'slack', receiver.url), {
    userAgent: 'faultline/1',
    now: () => T0,
    threads: new Threads(null),
  });
  const answer = async (status: number, headers = {}) => {
    receiver.react = () => ({ status, headers, body: 'no_service' });
    return await transport.send({ bytes: queued(notification('opened')), items: 1, timeMs: T0 });
  };
  const busy = await answer(429, { 'retry-after': '17' });
  assert.ok(busy.is === 'retry' && busy.afterMs === 17_000 && busy.tries === null);
  const failing = await answer(500);
  assert.ok(failing.is === 'retry' && (failing.tries ?? 0) > 200);
  assert.equal((await answer(410)).is, 'closed');
  assert.equal((await answer(401)).is, 'closed');
  assert.equal((await answer(400)).is, 'fatal');
});
