// The notify section: what a user writes, what it comes to, and what is refused with what to write instead.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { catalogueFolder } from '../../../src/helpers/catalogue-folder.ts';
import { CHANNEL_TYPES, channelDefinition } from '../../../src/sinks/notify/channels/definition.ts';
import { WHATS } from '../../../src/sinks/notify/notification.ts';
import { ESCAPES } from '../../../src/sinks/notify/write/escape.ts';
import { complaints, load } from '../../config/helpers.ts';

const folder = mkdtempSync(join(tmpdir(), 'fl-notify-settings-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, `${text}\n`, { mode: 0o600 });
  return path;
}

test('a channel is two lines; secrets come from files or variables', async () => {
  const { config } = await load(
    `
notify:
  channels:
    - {name: ops, type: slack, secret_url: "\${SLACK_URL}"}
    - {name: pager, type: pagerduty, secret_file: ${file('key', 'R0UT1NG')}}
    - {name: mail, type: email, url: smtp://mail, to: [a@b.example], from: f@b.example}
  routes:
    - {to: [pager], severity: critical, match: ['job=~"llama-.*"'], escalate_after: 15m, escalate_to: [mail]}
    - {to: [ops], quiet_from: "22:00", quiet_to: "07:00", group_by: [job], repeat: 4h}
  labels: [rack=r14]
  time_zone: Europe/Berlin
`,
    { SLACK_URL: 'https://hooks.slack.example/services/T/B/x' },
  );
  const { notify } = config;
  assert.ok(notify !== null);
  assert.deepEqual(
    notify.channels.map(({ name, url, secret }) => [name, url, secret]),
    [
      ['ops', 'https://hooks.slack.example/services/T/B/x', null],
      ['pager', 'https://events.pagerduty.com/v2/enqueue', 'R0UT1NG'],
      ['mail', 'smtp://mail', null],
    ],
  );
  assert.deepEqual(notify.routes[0]?.escalate, { afterMs: 900_000, to: ['mail'] });
  assert.deepEqual(notify.routes[1]?.quiet, { fromMinute: 1320, toMinute: 420, except: 'critical' });
  assert.equal((await load('host: node-3')).config.notify, null);
});

test('what is wrong is named with its line, and no secret is repeated', async () => {
  const wrong = await complaints(`
notify:
  channels:
    - {name: a, type: slack, url: "https://hooks.slack.example/services/T/B/hidden"}
    - {name: b, type: pagerduty}
    - {name: b, type: telegram, secret_file: ${join(folder, 'not-there')}, to: [x, y]}
    - {name: c, type: slack_bot, secret_file: ${file('t', 'x')}, to: ["#a"], from: me}
  routes:
    - {to: [nowhere], match: [kind, 'jbo=~"x.*"', kind=gpu.lsot], group_by: [hosst], quiet_from: "22:00"}
    - {to: [a], escalate_after: 5m}
  time_zone: Mars
`);
  for (const words of [
    'channels[0].url of slack is a secret',
    'channels[1] is of type pagerduty and needs secret_file',
    'channels[2].name is the name of another channel',
    'not-there',
    'channels[2].to takes one receiver',
    'channels[3] has from',
    'routes[0].to[0] is not a channel',
    'routes[0].match[0] is not a condition',
    'routes[0].match[1] has a label that no incident has. Did you mean: job',
    'routes[0].match[2] names no kind. Did you mean: gpu.lost',
    'routes[0].group_by[0] has a label that no incident has. Did you mean: host',
    'quiet_from and quiet_to together',
    'escalate_after and escalate_to together',
    'time_zone is not a time zone',
  ])
    assert.ok(
      wrong.some((line) => line.includes(words)),
      `${words}:\n${wrong.join('\n')}`,
    );
  assert.ok(wrong.every((line) => !line.includes('hidden')));
});

test('the catalogue has each channel, of the form that the code reads', () => {
  assert.deepEqual([...catalogueFolder('channels').keys()].sort(), [...CHANNEL_TYPES].sort());
  for (const type of CHANNEL_TYPES) {
    const {
      escape: form,
      needs,
      rate,
      longest,
      documentation,
      requests = {},
      remedies,
      ...rest
    } = channelDefinition(type);
    assert.ok(Object.hasOwn(ESCAPES, form) && rate > 0 && longest > 0, type);
    assert.match(documentation, /^https:\/\//);
    // What a newcomer meets first: a wrong address, a wrong key, no right, something that is gone, too long, too often.
    const common = type === 'email' ? ['535', '550', '552', '554'] : ['dingtalk', 'wecom'].includes(type) ? ['404', '413', '429'] : ['403', '404', '413', '429']; // biome-ignore format: one list
    for (const status of common) assert.match(remedies[status] ?? '', /^[A-Z].*[^.]$/, `${type} ${status}`);
    assert.ok(needs.every((each) => ['url', 'secret', 'to', 'from'].includes(each)));
    assert.ok(Object.keys(requests).every((what) => WHATS.some((each) => each === what)));
    const known = ['title', 'transport', 'takes', 'secret_url', 'url', 'sign', 'document', 'request', 'reply'];
    assert.deepEqual(
      Object.keys(rest).filter((key) => !known.includes(key)),
      [],
    );
  }
});
