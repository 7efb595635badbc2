// No debugging port: whatever signal comes, whatever NODE_OPTIONS says, the daemon listens only where it was asked to.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROGRAM } from '../program.ts';
import { DaemonUnderTest } from './daemon-under-test.ts';
import { listeningPorts } from './listening.ts';

/** What the kernel does with a signal that nothing handles, other than to end the process (signal(7)). */
const HARMLESS = ['SIGCHLD', 'SIGCONT', 'SIGURG', 'SIGWINCH', 'SIGSTOP', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU'];
/** Those that end the daemon; Node handles SIGSEGV only to end by it. */
const ENDING = ['SIGTERM', 'SIGINT', 'SIGSEGV'];
const LAST_SIGNAL = 64;

const all: DaemonUnderTest[] = [];
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const daemon of all.splice(0)) await daemon.close();
});

/** Signals that the process handles or ignores, by the bits of its status. */
function survived(pid: number): number[] {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bits = ['SigIgn', 'SigCgt'].map((name) => BigInt(`0x${new RegExp(`${name}:\\s*(\\w+)`).exec(status)?.[1]}`));
  const mask = bits.reduce((sum, each) => sum | each, 0n);
  const numbers = Array.from({ length: LAST_SIGNAL }, (_, index) => index + 1);
  const harmless = new Set(HARMLESS.map((name) => constants.signals[name as NodeJS.Signals]));
  const ending = new Set(ENDING.map((name) => constants.signals[name as NodeJS.Signals]));
  return numbers.filter((each) => !ending.has(each) && (harmless.has(each) || (mask >> BigInt(each - 1)) & 1n));
}

test('no signal opens a port', async () => {
  const daemon = new DaemonUnderTest();
  all.push(daemon);
  const child = await daemon.start();
  const pid = child.pid ?? 0;
  const before = listeningPorts(pid);
  const signals = survived(pid);
  for (const signal of ['SIGUSR1', 'SIGUSR2', 'SIGHUP', 'SIGPIPE'] as const) {
    assert.ok(signals.includes(constants.signals[signal]), `${signal} would end the daemon`);
  }
  for (const signal of signals) {
    process.kill(pid, signal);
    process.kill(pid, 'SIGCONT');
    await sleep(5);
    assert.equal(child.signalCode, null, `signal ${signal}`);
    assert.deepEqual(listeningPorts(pid), before, `after signal ${signal}`);
  }
  await sleep(300);
  assert.deepEqual(listeningPorts(pid), before);
  assert.ok(await daemon.status(), 'it still answers');
});

test('a signal during the start opens none that stays', async () => {
  for (const delayMs of [20, 60, 200]) {
    const daemon = new DaemonUnderTest();
    all.push(daemon);
    const child = daemon.spawn();
    await sleep(delayMs);
    child.kill('SIGUSR1');
    const ready = await daemon.until(
      'it answers or was ended',
      async () => child.signalCode ?? (await daemon.status()),
    );
    if (typeof ready === 'string') continue; // so early that Node itself was not there yet
    assert.deepEqual(listeningPorts(child.pid ?? 0), [], `a signal after ${delayMs} ms`);
  }
});

test('NODE_OPTIONS opens none and reaches no child', async () => {
  const daemon = new DaemonUnderTest();
  all.push(daemon);
  const child = spawn(process.execPath, [PROGRAM, 'run', '--config', join(daemon.folder, 'faultline.yaml')], {
    stdio: 'ignore',
    env: { ...process.env, NODE_OPTIONS: '--inspect=127.0.0.1:0' },
  });
  children.push(child);
  await daemon.until('it answers', () => daemon.status());
  assert.deepEqual(listeningPorts(child.pid ?? 0), []);
});
