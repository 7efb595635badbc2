// The inventory child: what it may say, how long it may take, and that nothing of it is left.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { parseInventory } from '../../../../src/sources/system/inventory/parse-inventory.ts';
import { takeInventory } from '../../../../src/sources/system/inventory/take-inventory.ts';
import { until } from '../../../until.ts';

function program(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'fl inventory '));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'child.mjs');
  writeFileSync(path, text);
  return path;
}

const signal = () => new AbortController().signal;

test('the real child tells this host within its deadline', async () => {
  const inventory = await takeInventory(signal());
  assert.ok(Number(inventory.memory_bytes) > 1e8);
  assert.match(String(inventory.kernel), /^\d+\.\d+/);
  assert.ok(Number(inventory.cpu_threads) >= 1);
  assert.ok(Object.keys(inventory).length > 20);
});

test('a child that takes too long is ended with the processes it started', async (t) => {
  const path = program(
    t,
    `import { spawn } from 'node:child_process'; spawn('sleep', ['60.${process.pid}']); setInterval(() => {}, 1000);`,
  );
  const taken = assert.rejects(takeInventory(signal(), { program: path, deadlineMs: 2000 }), /longer than 2 s/);
  const pid = await until(() => pidOf(`sleep\0${'60.'}${process.pid}\0`) || null, { what: 'the child of the child' });
  await taken;
  for (let i = 0; i < 400 && alive(pid); i += 1) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(alive(pid), false);
});

/** Of the process with this command line; 0 for none. */
function pidOf(commandLine: string): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return Number(pids.find((pid) => contents(`/proc/${pid}/cmdline`) === commandLine) ?? 0);
}

function contents(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** A zombie that waits for its reaper is over too. */
function alive(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('stopping ends it at once; endless output, rubbish and failure are refused with the reason', async (t) => {
  const limits = (text: string) => ({ program: program(t, text), deadlineMs: 10_000 });
  const abort = new AbortController();
  const stopped = takeInventory(abort.signal, limits('setInterval(() => {}, 1000)'));
  abort.abort();
  await assert.rejects(stopped, /stopped/);
  const endless = `const more = () => { while (process.stdout.write('x'.repeat(10000))); process.stdout.once('drain', more); }; more();`;
  await assert.rejects(takeInventory(signal(), limits(endless)), /more than 65536 bytes/);
  await assert.rejects(takeInventory(signal(), limits(`console.log('no json')`)), /status 0 and no answer/);
  await assert.rejects(takeInventory(signal(), limits('process.exit(3)')), /status 3 and no answer/);
});

test('the child gets nothing of our environment but a path and a language', async (t) => {
  process.env.FAULTLINE_SECRET_OF_A_TEST = 'hunter2';
  t.after(() => delete process.env.FAULTLINE_SECRET_OF_A_TEST);
  const text = `console.log(JSON.stringify({ vendor: Object.keys(process.env).sort().join(' ') }))`;
  const inventory = await takeInventory(signal(), { program: program(t, text), deadlineMs: 10_000 });
  assert.equal(inventory.vendor, 'LC_ALL PATH');
});

test('only known facts of bounded length get through, and the blanks of board makers are null', () => {
  const text = JSON.stringify({
    vendor: '  Dell\u001b[31m Inc.\n ',
    model: 'To Be Filled By O.E.M.',
    serial: '-',
    os: 'x'.repeat(5000),
    cpu_sockets: 2,
    cpu_cores: '64',
    memory_bytes: 0,
    virtual: 'yes',
    __proto__: { vendor: 'x' },
    other: 1,
  });
  const inventory = parseInventory(text);
  assert.ok(inventory !== null);
  assert.equal(inventory.vendor, 'Dell [31m Inc.');
  assert.deepEqual(
    [inventory.model, inventory.serial, inventory.cpu_cores, inventory.memory_bytes],
    [null, null, null, null],
  );
  assert.equal(inventory.os, 'x'.repeat(200));
  assert.equal(inventory.cpu_sockets, 2);
  assert.equal(inventory.virtual, null);
  assert.equal('other' in inventory, false);
});

test('any text gives an inventory or null', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const inventory = parseInventory(text);
      for (const value of Object.values(inventory ?? {})) {
        assert.ok(value === null || typeof value !== 'string' || value.length <= 200);
      }
    }),
  );
});

test('the child has no capability, takes none, and reaches no file, socket or process that it need not', async (t) => {
  const secret = join(mkdtempSync(join(tmpdir(), 'faultline-secret-')), 'secret');
  t.after(() => rmSync(dirname(secret), { recursive: true, force: true }));
  writeFileSync(secret, 'secret', { mode: 0o666 });
  const text = `import { execFileSync } from 'node:child_process'; import { readFileSync, writeFileSync } from 'node:fs'; import { createServer } from 'node:net';
    const attempt = (work) => { try { work(); return 'done'; } catch (error) { return error.code ?? String(error.status); } };
    const own = readFileSync('/proc/self/status', 'utf8');
    const field = (name) => new RegExp('^' + name + ':\\\\t(.*)$', 'm').exec(own)?.[1];
    const server = createServer();
    const socket = await new Promise((resolve) => { server.once('error', (error) => resolve(error.code)); server.listen(0, '127.0.0.1', () => resolve('done')); });
    const said = [field('CapPrm'), field('CapEff'), field('CapAmb'), field('NoNewPrivs'), field('Seccomp'), socket,
      ...[() => readFileSync('/etc/shadow'), () => readFileSync('${secret}'), () => writeFileSync('${secret}.new', 'x'), () => readFileSync('/proc/' + process.ppid + '/environ'),
        () => readFileSync('/proc/' + process.ppid + '/mem'), () => process.kill(process.ppid, 0), () => execFileSync('unshare', ['-U', 'true'], { stdio: 'ignore' }), () => execFileSync('sh', ['-c', 'true'])].map(attempt)];
    console.log(JSON.stringify({ model: said.join(' ') })); process.exit(0);`;
  const { model } = await takeInventory(signal(), { program: program(t, text), deadlineMs: 20_000 });
  const none = '0'.repeat(16);
  const [prm, eff, amb, privileges, filter, socket, ...attempts] = String(model).split(' ');
  assert.deepEqual([prm, eff, amb, privileges, filter, socket], [none, none, none, '1', '2', 'EPERM']);
  assert.equal(attempts.pop(), 'done'); // its shells
  assert.equal(attempts.length, 7);
  for (const outcome of attempts) assert.match(outcome, /^(EACCES|EPERM|1)$/);
});
