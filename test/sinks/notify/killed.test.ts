// Killed with SIGKILL at random points: every incident of the log is sent, none as over that is open, no message under two keys.
// Runs alone: each kill waits for what the process before it wrote, which takes a minute with other tests at work.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runs } from '../../runs.ts';
import { until } from '../../until.ts';
import { HttpReceiver } from './http-receiver.ts';

const WRITER = fileURLToPath(new URL('./write-until-killed.ts', import.meta.url));
const KILLS = runs(3, 200);
const ROUND = 1000;

const folder = mkdtempSync(join(tmpdir(), 'fl-notify-killed-'));
const receiver = await new HttpReceiver().start();
after(async () => {
  await receiver.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Body {
  readonly key: string;
  readonly what: string;
  readonly severity: string;
  readonly reason: string | null;
  readonly conversation: string;
}

/** The newest state of each incident whose revision is in the log. */
const promised = new Map<string, string>();

/** Kills it once it has said so many lines, and some moments later; null: at the end of its work, once `idle`. */
async function run(round: number, lines: number | null, idle: () => boolean): Promise<void> {
  const count = lines === null ? 0 : ROUND;
  const child = spawn(process.execPath, [WRITER, folder, receiver.url, String(round * ROUND), String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()));
  child.stdout.on('data', (text) => {
    said += text;
    if (lines !== null && said.split('\n').length > lines) child.kill('SIGKILL');
  });
  if (lines === null)
    await until(() => said.includes('done') && idle(), { seen: () => receiver.taken.length }).finally(() =>
      child.kill('SIGKILL'),
    );
  await closed;
  for (const line of said.split('\n').slice(0, -1)) {
    const [id = '', state = ''] = line.split(' ');
    if (state !== '') promised.set(id, state);
  }
}

const bodies = () => receiver.bodies as unknown as Body[]; // what the webhook posts, read below
const idOf = ({ conversation }: Body) => conversation.split('/')[1] ?? '';

/** Where the newest message on each incident leaves it. */
function heard(): Map<string, string> {
  return new Map(bodies().map((body) => [idOf(body), body.what === 'resolved' ? 'resolved' : 'open']));
}

test('kills at random points', async () => {
  let seed = 7;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  receiver.react = (number) => (number % 11 === 0 ? { status: 503 } : { status: 204 });
  for (let round = 0; round < KILLS; round += 1) await run(round, 2 + Math.floor(random() * 60), () => true);
  const wrong = () => {
    const last = heard();
    return [...promised].filter(([id, state]) => last.get(id) !== state);
  };
  await run(KILLS, null, () => wrong().length === 0);
  assert.ok(promised.size > KILLS);
  assert.deepEqual(wrong(), []);
  const keys = new Map<string, Set<string>>();
  for (const body of bodies()) {
    const what = `${idOf(body)} ${body.what} ${body.severity} ${body.reason}`;
    keys.set(what, (keys.get(what) ?? new Set()).add(body.key));
  }
  const twice = [...keys].filter(([, own]) => own.size > 1);
  assert.deepEqual(twice, []);
});
