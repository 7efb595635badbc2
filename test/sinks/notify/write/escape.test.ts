// What others wrote never becomes markup, a mention, a control, a header or a field of a channel; and templates of users are bounded.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CHANNEL_TYPES, channelDefinition } from '../../../../src/sinks/notify/channels/definition.ts';
import { WHATS } from '../../../../src/sinks/notify/notification.ts';
import { cutBytes, ESCAPES } from '../../../../src/sinks/notify/write/escape.ts';
import { templateTrouble } from '../../../../src/sinks/notify/write/liquid.ts';
import { mailOf } from '../../../../src/sinks/notify/write/mail.ts';
import { writerOf } from '../../../../src/sinks/notify/write/request.ts';
import { wordsFor } from '../../../../src/sinks/notify/write/words.ts';
import { T0 } from '../../../incidents/sample.ts';
import { runs } from '../../../runs.ts';
import { channel } from '../harness.ts';
import { notification } from '../sample.ts';

const HOSTILE =
  '<!channel> <@U1> @here @all {{ secret }} "},"x":{" \u202e\u0007\u001b[31m <at>all</at> [a](http://x) /start &amp;\r\nBcc: a@b';
const HTTP = CHANNEL_TYPES.filter((type) => channelDefinition(type).transport === undefined);

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
}

function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shape);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shape(one)]));
}

test('every channel: hostile text stays in its place, as text, without controls and secrets', () => {
  for (const type of HTTP) {
    const write = writerOf(channel('ops', type, 'https://x.example/h', { secret: 'S3CRET', to: ['#ops'] }));
    for (const what of WHATS) {
      const made = (title: string) =>
        JSON.parse(write(notification(what, { title, rootKnown: true, events: [] }), null, T0).body.toString());
      const [harmless, hostile] = [made('GPU lost'), made(HOSTILE)];
      if (type !== 'teams' && type !== 'webhook') assert.deepEqual(shape(hostile), shape(harmless), `${type} ${what}`);
      if (type === 'webhook') continue; // the document has what the incident has, as JSON
      const all = texts(hostile).join('\n');
      assert.ok(!/[^\P{Cc}\n]|\u202e/u.test(all), type);
      if (type !== 'pagerduty') assert.ok(!all.includes('S3CRET'), `${type} ${what}`);
      if (type.startsWith('slack')) assert.ok(!/<[!@#]|@here|@all/.test(all), all);
      if (type === 'telegram') assert.ok(!/@here|\/start/.test(all), all);
    }
  }
});

test('email: no header of its own, no markup, whatever the title is', () => {
  const write = mailOf(channel('ops', 'email', 'smtp://x', { to: ['a@b.example'], from: 'f@b.example' }));
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (random) => {
      const { subject, html, messageId } = write(notification('opened', { title: `${HOSTILE}${random}`, events: [] }));
      assert.ok(!/[\p{C}]/u.test(String(subject)));
      const inner = String(html).replace(/<\/?(?:p|strong)>/g, '');
      assert.ok(!/[<>]/.test(inner), inner);
      assert.match(String(messageId), /^<[A-Za-z0-9._-]+@[A-Za-z0-9.-]+>$/);
    }),
    { numRuns: runs(60, 5000), seed: 11 },
  );
});

test('any text at all: no channel fails, and Slack is sent no tag', () => {
  const write = writerOf(channel('ops', 'slack', 'https://x.example/h'));
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (title) => {
      const all = texts(JSON.parse(write(notification('opened', { title, events: [] }), null, T0).body.toString()));
      assert.ok(all.every((text) => !/[<>]/.test(text) && text.isWellFormed()));
      assert.equal(ESCAPES.plain(title).replace(/\n/g, '').match(/\p{C}/u), null);
    }),
    { numRuns: runs(60, 5000), seed: 12 },
  );
});

test('a text is cut at bytes and never within a character', () => {
  for (let most = 10; most < 40; most += 1) {
    const cut = cutBytes('显卡掉了🔥显卡掉了🔥', most);
    assert.ok(Buffer.byteLength(cut) <= most && cut.isWellFormed() && !cut.includes('\ufffd'));
  }
});

test('templates of users: theirs where they work, ours where they fail; no files, no endless loops', () => {
  const words = (title: string) => wordsFor({ title, text: null }, 1000)(notification('opened')).title;
  assert.equal(words('{{ facts.short }} {{ what }}'), '000000 opened');
  const ours = words('{{ nothing }}');
  assert.match(ours, /^ERROR on node-3/);
  for (const bad of [
    '{{ facts.title | nofilter }}',
    '{% include "/etc/passwd" %}',
    '{% render "../x" %}',
    '{% for i in (1..100000000) %}x{% endfor %}',
    '{{ facts.constructor.constructor }}',
    '{{ __proto__ }}',
  ])
    assert.equal(words(bad), ours, bad);
  assert.equal(templateTrouble('{{ a }}'), null);
  assert.match(templateTrouble('{% if %}') ?? '', /./);
  assert.match(templateTrouble('{{ a | nofilter }}') ?? '', /nofilter/);
});

/** Pieces of templates, right and wrong, and of what receivers read as more than text. */
const PIECES = ['{{', '}}', '{%', '%}', '-', ' facts.title ', ' facts ', ' what ', '|', ' escape', ' raw', ' replace: "a", "b"', ' times: 99', ' slice: -9, 9', ' for x in (1..9) ', ' endfor ', ' if what ', ' endif ', ' assign a = facts.title ', ' capture b ', ' endcapture ', ' include "x" ', ' render "/etc/passwd" ', ' tablerow ', '[', ']', '"', "'", '..', '<!channel>', '@here', '\n', '\u202e', '\0', 'text', '\ud800']; // biome-ignore format: a list

test('any template at all: the title comes, ours where theirs fails, without tags and at once', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 24 }), (pieces) => {
      const own = channel('ops', 'slack', 'https://x.example/h', {
        templates: { title: pieces.join(''), text: pieces.toReversed().join('') },
      });
      const began = process.cpuUsage();
      const body = writerOf(own)(notification('opened', { title: HOSTILE, events: [] }), null, T0).body.toString();
      const { user, system } = process.cpuUsage(began);
      const all = texts(JSON.parse(body));
      assert.ok(all.length > 0 && all.every((text) => !/[<>]/.test(text) && text.isWellFormed()));
      assert.ok(user + system < 1e6, `${user + system} µs`);
    }),
    { numRuns: runs(200, 20_000), seed: 13 },
  );
});
