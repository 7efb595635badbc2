// The inventory child: what it may say, how long it may take, and that nothing of it is left.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { parseInventory } from '../../../../src/sources/system/inventory/parse-inventory.ts';
import { takeInventory } from '../../../../src/sources/system/inventory/take-inventory.ts';

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
    `import { spawn } from 'node:child_process'; import { writeFileSync } from 'node:fs';
     const shell = spawn('sleep', ['60']); writeFileSync(process.argv[1] + '.pid', String(shell.pid)); setInterval(() => {}, 1000);`,
  );
  await assert.rejects(takeInventory(signal(), { program: path, deadlineMs: 700 }), /longer than 0\.7 s/);
  const pid = Number(readFileSync(`${path}.pid`, 'utf8'));
  for (let i = 0; i < 400 && alive(pid); i += 1) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(alive(pid), false);
});

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
