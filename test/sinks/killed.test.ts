// Killed with SIGKILL at random points: every incident of the log reaches each receiver, none is over there that is open, no message
// goes under two keys. scripts/test-delivery does it 200 times.
// Runs alone: each kill waits for what the process before it wrote, which takes a minute with other tests at work.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadIncidents } from '../../src/incidents/log/load.ts';
import { runs } from '../runs.ts';
import { until } from '../until.ts';
import { FakeAlertmanager } from './alertmanager/fake-alertmanager.ts';
import { HttpReceiver } from './notify/http-receiver.ts';
import { Connector, status } from './nvsentinel/connector.ts';

const WRITER = fileURLToPath(new URL('./write-until-killed.ts', import.meta.url));
const KILLS = Number(process.env.FAULTLINE_KILLS ?? runs(3, 200));
/** What many kills left unsent is thousands of messages. */
const LAST_MS = 20_000 + KILLS * 4_000;
/** Comparing thousands of messages with the log costs as much as sending some of them. */
const LOOK_MS = 1000;
const ROUND = 1000;
/** Between two lines it is somewhere else each time. */
const LONGEST_PAUSE_MS = 12;

const folder = mkdtempSync(join(tmpdir(), 'fl-killed-'));
const hook = await new HttpReceiver().start();
const alertmanager = await new FakeAlertmanager().start();
const connector = await new Connector(join(folder, 'connector.sock')).start();
after(async () => {
  connector.stop();
  await Promise.all([hook.stop(), alertmanager.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

interface Body {
  readonly key: string;
  readonly what: string;
  readonly severity: string;
  readonly reason: string | null;
  readonly conversation: string;
}

/** The newest state of each incident that the log has: what is on disk counts, whether or not the writer came to say so. */
let promised = new Map<string, string>();

/** Kills it once it has said so many lines, and some moments later; null: at the end of its work, once `idle`. */
async function run(
  round: number,
  point: { lines: number; pauseMs: number } | null,
  idle: () => boolean,
): Promise<void> {
  const count = point === null ? 0 : ROUND;
  const words = [folder, hook.url, alertmanager.url, connector.socket, String(round * ROUND), String(count)];
  const child = spawn(process.execPath, [WRITER, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  after(() => child.kill('SIGKILL'));
  let said = '';
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()));
  child.stdout.on('data', async (text) => {
    said += text;
    // Where the disk stood still, nothing was promised, and it comes to its end without the lines.
    if (point === null || (said.split('\n').length <= point.lines && !said.includes('done'))) return;
    await sleep(point.pauseMs);
    child.kill('SIGKILL');
  });
  if (point === null)
    await until(() => sleep(LOOK_MS).then(() => said.includes('done') && idle()), {
      limitMs: LAST_MS,
      seen: () => Object.fromEntries(Object.entries(wrong()).map(([name, list]) => [name, list.slice(0, 5)])),
    }).finally(() => child.kill('SIGKILL'));
  await closed;
}

const bodies = () => hook.bodies as unknown as Body[]; // what the webhook posts, read below
const idOf = ({ conversation }: Body) => conversation.split('/')[1] ?? '';

/** Of each receiver, the incidents that it leaves in another state than the log does. */
function wrong(): Readonly<Record<string, readonly (readonly string[])[]>> {
  const heard = new Map(bodies().map((body) => [idOf(body), body.what === 'resolved' ? 'resolved' : 'open']));
  // By the newest of each set of labels, which is what Alertmanager tells alerts apart by.
  const newest = new Map(alertmanager.posted.map(({ labels, endsAt }) => [JSON.stringify(Object.entries(labels).sort()), { id: labels.incident ?? '', endsMs: Date.parse(endsAt) }])); // biome-ignore format: one record
  const alerts = new Map<string, string>();
  for (const { id, endsMs } of newest.values())
    alerts.set(id, endsMs > AFTER_ALL ? (alerts.get(id) === 'open' ? 'open twice' : 'open') : (alerts.get(id) ?? 'resolved')); // biome-ignore format: one choice
  const checks = new Map(
    connector.heard.map(({ metadata, isHealthy }) => [metadata.incident_id ?? '', isHealthy ? 'resolved' : 'open']),
  );
  const states = {
    webhook: (id: string) => heard.get(id),
    alertmanager: (id: string) => alerts.get(id),
    nvsentinel: (id: string) => checks.get(id),
  };
  return Object.fromEntries(
    Object.entries(states).map(([name, stateOf]) => [
      name,
      [...promised]
        .filter(([id, state]) => stateOf(id) !== state)
        .map(([id, state]) => [id, state, String(stateOf(id))]),
    ]),
  );
}

/** As in the writer: behind the time of every incident. */
const AFTER_ALL = Date.UTC(2026, 10, 27, 14, 32) + 1e9;

test('kills at random points', async (t) => {
  let seed = 7;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  hook.react = (number) => (number % 11 === 0 ? { status: 503 } : { status: 204 });
  alertmanager.react = (number) => (number % 13 === 0 ? { status: 500 } : { status: 200 });
  connector.react = (number) => (number % 17 === 0 ? status.UNAVAILABLE : null);
  for (let round = 0; round < KILLS; round += 1)
    await run(round, { lines: 2 + Math.floor(random() * 60), pauseMs: random() * LONGEST_PAUSE_MS }, () => true);
  const { incidents } = await loadIncidents(join(folder, 'log'), { limit: 1_000_000, withEvents: () => false });
  promised = new Map(incidents.map(({ id, state }) => [id, state]));
  const none = { webhook: [], alertmanager: [], nvsentinel: [] };
  await run(KILLS, null, () => Object.values(wrong()).every((list) => list.length === 0));
  assert.ok(promised.size > KILLS);
  assert.deepEqual(wrong(), none);
  const keys = new Map<string, Set<string>>();
  for (const body of bodies()) {
    const what = `${idOf(body)} ${body.what} ${body.severity} ${body.reason}`;
    keys.set(what, (keys.get(what) ?? new Set()).add(body.key));
  }
  const twice = [...keys].filter(([, own]) => own.size > 1);
  assert.deepEqual(twice, []);
  const unique = new Set(bodies().map(({ key }) => key)).size;
  t.diagnostic(
    `${KILLS} kills, ${promised.size} incidents; webhook ${bodies().length} messages under ${unique} keys, Alertmanager ${alertmanager.posted.length} alerts, NVSentinel ${connector.heard.length} events`,
  );
});
