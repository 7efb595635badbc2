// Native threads to JavaScript: one wake for many events, none for none, and clean ends of workers and processes.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { installationRoot } from '../../src/native.ts';
import { above, makeCore, push, until } from './edges.ts';

/** Runs a script with `m` = the addon's module in its own process. */
function run(script: string) {
  const door = JSON.stringify(join(installationRoot(), 'src', 'native.ts'));
  const source = `import { native } from ${door};\nconst m = native();\n${script}`;
  const result = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', source], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status: result.status, signal: result.signal, output: result.stdout + result.stderr };
}

test('a thousand pushes wake once, and nothing wakes again until there is something', async () => {
  const core = makeCore();
  core.setDetectors([above(80)]);
  let wakes = 0;
  core.onWake(() => {
    wakes += 1;
  });
  const now = core.now();
  for (let i = 0; i < 1000; i++) push(core, 'gpu/a#temperature', [[now + i, i % 2 === 0 ? 90 : 10]]);
  await until(() => wakes > 0);
  for (let i = 0; i < 20; i++) await turn();
  assert.equal(wakes, 1);
  assert.equal(core.drain().edges.length, 1000);
  push(core, 'gpu/a#temperature', [[now + 2000, 10]]);
  for (let i = 0; i < 20; i++) await turn();
  assert.equal(wakes, 1);
  push(core, 'gpu/a#temperature', [[now + 3000, 90]]);
  await until(() => wakes > 1);
  assert.deepEqual(core.stats(), {
    series: 1,
    samples: 1002,
    edges: 1001,
    recordsLost: 0,
    wakeups: 2,
    pendingEvents: 1,
  });
  core.close();
});

test('what was drained before the wake arrived wakes no reader', async () => {
  const core = makeCore();
  core.setDetectors([above(80)]);
  core.onWake(() => assert.fail('woke for nothing'));
  push(core, 'gpu/a#temperature', [[core.now(), 90]]);
  assert.equal(core.drain().edges.length, 1);
  for (let i = 0; i < 20; i++) await turn();
  assert.equal(core.stats().wakeups, 0);
  core.close();
});

test('events from before the callback was there wake it', async () => {
  const core = makeCore();
  core.setDetectors([above(80)]);
  push(core, 'gpu/a#temperature', [[core.now(), 90]]);
  let woken = false;
  core.onWake(() => {
    woken = true;
  });
  await until(() => woken);
  core.close();
});

test('a callback that was replaced is not called any more, its successor hears what waited', async () => {
  const core = makeCore();
  core.setDetectors([above(80)]);
  core.onWake(() => assert.fail('called after it was replaced'));
  push(core, 'gpu/a#temperature', [[core.now(), 90]]);
  let woken = false;
  core.onWake(() => {
    woken = true;
  });
  await until(() => woken);
  assert.equal(core.drain().edges.length, 1);
  core.close();
});

test('several cores do not see each other', () => {
  const [one, other] = [makeCore(), makeCore()];
  one.setDetectors([above(80)]);
  other.setDetectors([above(80)]);
  push(one, 'gpu/a#temperature', [[one.now(), 90]]);
  assert.equal(other.drain().edges.length, 0);
  assert.equal(one.drain().edges.length, 1);
});

const READERS = `
const core = new m.Core({ historySeconds: 60, maxSeries: 100 });
core.setDetectors([${JSON.stringify(above(80))}]);
core.onWake(() => {});
new m.KernelLog(core, { path: '/nonexistent/kmsg', userLines: true, fromStart: true });
new m.Rapl(core, { sysRoot: '/nonexistent', host: 'h', intervalMs: 20, fastIntervalMs: 0 });
core.push(Uint32Array.of(core.series('gpu/a#temperature')), Float64Array.of(core.now()), Float64Array.of(90));
`;

test('a process with a core, its callback and running readers ends by itself', () => {
  assert.deepEqual(run(READERS), { status: 0, signal: null, output: '' });
});

test('process.exit with events under way is clean', () => {
  assert.deepEqual(run(`${READERS}\nprocess.exit(3);`), { status: 3, signal: null, output: '' });
});

test('what a callback throws is an uncaught exception, not lost', () => {
  const script = READERS.replace(
    'core.onWake(() => {});',
    "core.onWake(() => { throw new Error('from the callback'); });",
  );
  const { status, output } = run(`${script}\nsetTimeout(() => {}, 60_000);`);
  assert.equal(status, 1);
  assert.match(output, /from the callback/);
});

test('cores without a reference are collected with their readers', () => {
  const script = `for (let i = 0; i < 200; i++) { ${READERS} core.close(); }\nglobalThis.gc?.();`;
  assert.deepEqual(run(script), { status: 0, signal: null, output: '' });
});

test('twenty workers load it, read, and end in every way there is', () => {
  const worker = `
    const { workerData, parentPort } = await import('node:worker_threads');
    const { native } = await import(workerData.door);
    const m = native();
    ${READERS}
    if (workerData.way === 0) process.exit(0);
    if (workerData.way === 1) setInterval(() => {}, 1000);
    if (workerData.way === 2) core.close();
    parentPort.postMessage('up');`;
  const script = `
    const { Worker } = await import('node:worker_threads');
    const source = ${JSON.stringify(worker)};
    for (let i = 0; i < 20; i++) {
      const worker = new Worker(new URL('data:text/javascript,' + encodeURIComponent(source)), {
        workerData: { way: i % 4, door: ${JSON.stringify(pathToFileURL(join(installationRoot(), 'src', 'native.ts')).href)} },
      });
      worker.on('error', (error) => { throw error; });
      if (i % 4 === 1) worker.on('message', () => worker.terminate());
      await new Promise((resolve) => worker.on('exit', resolve));
    }
    console.log('all ended');`;
  assert.deepEqual(run(script), { status: 0, signal: null, output: 'all ended\n' });
});
