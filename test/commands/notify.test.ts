// faultline notify: a test message with and without trouble, and previews that keep secrets to themselves.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { incident } from '../incidents/sample.ts';
import { FakeAlertmanager } from '../sinks/alertmanager/fake-alertmanager.ts';
import { HttpReceiver } from '../sinks/notify/http-receiver.ts';
import { until } from '../until.ts';
import { run as command, logOf } from './incident-command.ts';
import { configFile } from './run-cli.ts';

const receiver = await new HttpReceiver().start();
const alertmanager = await new FakeAlertmanager().start();
after(() => Promise.all([receiver.stop(), alertmanager.stop()]));

const config = configFile(`
host: node-3
alertmanager: {urls: ["${alertmanager.url}"], labels: [rack=r14]}
notify:
  channels:
    - {name: ops, type: slack, secret_url: "\${SLACK_URL}"}
    - {name: dead, type: webhook, url: "http://127.0.0.1:9/x"}
    - {name: own, type: webhook, url: "${receiver.url}", title: "{{ facts.severity }}", text: "{% if %}"}
`);
process.env.SLACK_URL = `${receiver.url}/h1dden`; // of this test's process alone
const run = (...words: string[]) => command('notify', ...words, '--config', config);

test('a test message to one channel, to Alertmanager, to all: what came of each, and the status says whether all took it', async () => {
  const one = await run('test', 'ops');
  assert.deepEqual([one.status, one.stdout], [0, `ops (slack, 127.0.0.1:${receiver.port}): sent\n`]);
  assert.match(String(receiver.bodies[0]?.text), /^Test message of Faultline on node-3/);
  assert.equal((await run('test', 'alertmanager')).status, 0);
  await until(() => alertmanager.posted.length === 1);
  assert.deepEqual(alertmanager.posted[0]?.labels, {
    rack: 'r14',
    alertname: 'FaultlineTest',
    host: 'node-3',
    severity: 'info',
  });
  const all = await run('test', '--json');
  assert.equal(all.status, 1);
  const { results } = JSON.parse(all.stdout);
  assert.deepEqual(
    results.map(({ channel, sent }: { channel: string; sent: boolean }) => [channel, sent]),
    [
      ['ops', true],
      ['dead', false],
      ['own', true],
      ['alertmanager', true],
    ],
  );
  assert.ok(!all.stdout.includes('h1dden'));
  const none = await run('test', 'nope');
  assert.deepEqual(
    [none.status, none.stderr],
    [2, 'FL3520 no channel is called nope. Known: ops, dead, own, alertmanager\n'],
  );
});

test('a preview of an incident, in words and as a request, sends nothing and hides what is secret', async (t) => {
  const before = receiver.taken.length;
  const log = await logOf(t, incident('7f3c41d2a0b1'));
  const { stdout, status } = await run('preview', '7f3c', '--log-directory', log, '--channel', 'ops');
  assert.equal(status, 0);
  assert.match(stdout, /^ops \(slack\)\n {2}ERROR on node-3: .*voltage sag.*\n {4}Effect: /);
  const request = await run('preview', '--what', 'resolved', '--json');
  assert.equal(request.stdout.trim().split('\n').length, 4);
  const alerts = JSON.parse(request.stdout.trim().split('\n').at(-1) ?? '');
  assert.equal(alerts.url, `${alertmanager.url}/api/v2/alerts`);
  assert.deepEqual([alerts.body[0].labels.alertname, alerts.body[0].labels.rack], ['FaultlineIncident', 'r14']);
  assert.ok(!request.stdout.includes('h1dden') && request.stdout.includes('REDACTED'));
  assert.match(request.stderr, /^FL3519 text of channel own is not a Liquid template/);
  assert.equal((await run('preview', '--what', 'lunch')).status, 2);
  const alert = await run('preview', '7f3c', '--log-directory', log, '--channel', 'alertmanager');
  assert.match(
    alert.stdout,
    /^alertmanager \(alertmanager\)\n {2}rack="r14" .*severity="error".*\n {4}summary: .*voltage sag/,
  );
  const digest = await run('preview', '--channel', 'alertmanager', '--what', 'digest');
  assert.deepEqual([digest.stdout, digest.status], ['', 0]);
  assert.match(digest.stderr, /^Alertmanager is not sent "digest"/);
  const none = await run('preview', '--channel', 'nope');
  assert.deepEqual(
    [none.status, none.stderr],
    [2, 'FL3520 no channel is called nope. Known: ops, dead, own, alertmanager\n'],
  );
  assert.equal(receiver.taken.length, before);
});

test('where nothing is configured both say so, and what to add', async () => {
  const bare = configFile('host: node-3');
  for (const word of ['test', 'preview']) {
    const { status, stderr } = await command('notify', word, '--config', bare);
    assert.equal(status, 2);
    assert.match(stderr, /^FL3520 neither a channel nor an Alertmanager is configured\. Add notify\.channels/);
  }
});
