// What the daemon tells a service manager, heard by one: ready, alive at half the period, stopping.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { ServiceManager } from '../../src/api/service-manager.ts';

// Node has no datagram sockets in the unix family: a few lines of Python hear what is sent and print it.
const LISTENER = `
import socket, sys, json
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
name = sys.argv[1]
s.bind("\\0" + name[1:] if name.startswith("@") else name)
print("listening", flush=True)
while True:
    print(json.dumps(s.recv(65536).decode()), flush=True)
`;

const options = {
  skip:
    spawnSync('python3', ['--version']).status === 0 ? false : 'needs python3 as a listener: apt-get install python3',
};

class Manager {
  readonly heard: string[] = [];
  readonly #child: ChildProcess;

  constructor(t: TestContext, socket: string) {
    this.#child = spawn('python3', ['-c', LISTENER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => this.#child.kill('SIGKILL'));
    if (this.#child.stdout !== null) createInterface(this.#child.stdout).on('line', (line) => this.heard.push(line));
  }

  async until(what: string, look: () => boolean): Promise<void> {
    for (let i = 0; i < 2000 && !look(); i += 1) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.ok(look(), `${what}; heard: ${this.heard.join(' ')}`);
  }

  count(message: string): number {
    return this.heard.filter((line) => line === JSON.stringify(message)).length;
  }
}

function path(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'fl-notify-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'socket');
}

for (const kind of ['a path', 'an abstract name'] as const) {
  test(`ready, alive, stopping are reported in this order, on ${kind}`, options, async (t) => {
    const socket = kind === 'a path' ? path(t) : `@faultline-test-${process.pid}`;
    const manager = new Manager(t, socket);
    await manager.until('it listens', () => manager.heard.length === 1);
    const service = new ServiceManager({ NOTIFY_SOCKET: socket, WATCHDOG_USEC: '40000' });
    const keepAlive = setInterval(() => {}, 1000); // the watchdog's own timer holds no process alive
    t.after(() => clearInterval(keepAlive));
    service.ready('watching node-3');
    await manager.until('it feeds the watchdog', () => manager.count('WATCHDOG=1') >= 3);
    service.stopping();
    await manager.until('it says that it stops', () => manager.count('STOPPING=1') === 1);
    assert.equal(manager.heard[1], JSON.stringify('READY=1\nSTATUS=watching node-3'));
    assert.equal(manager.heard.at(-1), JSON.stringify('STOPPING=1'));
  });
}

test('the watchdog of another process is not fed', options, async (t) => {
  const socket = path(t);
  const manager = new Manager(t, socket);
  await manager.until('it listens', () => manager.heard.length === 1);
  const service = new ServiceManager({ NOTIFY_SOCKET: socket, WATCHDOG_USEC: '2000', WATCHDOG_PID: '1' });
  service.ready('here');
  await new Promise((resolve) => setTimeout(resolve, 50));
  service.status('still here');
  await manager.until('the last word came', () => manager.count('STATUS=still here') === 1);
  assert.equal(manager.count('WATCHDOG=1'), 0);
});

test('without a service manager, or with one that went away, nothing is said and nothing breaks', (t) => {
  for (const environment of [{}, { NOTIFY_SOCKET: '' }, { NOTIFY_SOCKET: path(t), WATCHDOG_USEC: 'x' }]) {
    const service = new ServiceManager(environment);
    assert.doesNotThrow(() => {
      service.ready('here');
      service.stopping();
    });
  }
});
