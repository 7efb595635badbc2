// Tests of a demo's ends: a daemon that fails, crashes, answers, or hangs leaves nothing behind.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { type DemoResult, runDemo } from '../../../src/simulator/demo/run-demo.ts';
import { Workplace } from '../../../src/simulator/demo/workplace.ts';
import { parseScenario } from '../../../src/simulator/scenario/load.ts';

const PLAN = parseScenario(
  `
name: short
title: Nothing happens, quickly
duration: 300ms
world: { hosts: [{ name: node-1 }] }
timeline: []
truth: { incidents: [] }
`,
  'short.yaml',
  0,
);

/** A daemon in small: notes its pid, serves a status and two empty streams. */
const DAEMON = `
import { createServer } from 'node:http';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
const folder = dirname(process.argv.at(-1));
writeFileSync(join(folder, 'pid'), String(process.pid));
mkdirSync(join(folder, 'run'));
const server = createServer((request, response) => {
  if (request.url === '/v1/status') response.end(JSON.stringify({ sources: [{ source: 'kernel-log', status: 'works' }] }));
  else response.write('\\n');
});
server.listen(join(folder, 'run', 'faultline.sock'));
`;

let place: Workplace;
let lines: string[] = [];
beforeEach(() => {
  place = new Workplace();
  lines = [];
});
afterEach(() => place.remove());

function run(script: string, stop: AbortSignal = new AbortController().signal): Promise<DemoResult> {
  const entry = join(place.folder, 'daemon.mjs');
  writeFileSync(entry, script);
  const startPdu = () => Promise.reject(new Error('no PDU in this world'));
  return runDemo({ entry, plan: PLAN, place, library: '/x', startPdu, print: (line) => lines.push(line), stop });
}

function assertGone(): void {
  const pid = Number(readFileSync(join(place.folder, 'pid'), 'utf8'));
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
}

test('a run that comes to its end is scored, and its daemon is gone', async () => {
  const result = await run(`${DAEMON} process.on('SIGTERM', () => process.exit(0));`);
  assert.equal(result.broken, null);
  assert.equal(result.score.right, true);
  assert.match(lines.join('\n'), /sources ready: kernel log/);
  assertGone();
});

test('a daemon that does not start is reported with its last lines', async () => {
  const { broken, score } = await run(`console.error('FL1201 line 3 is wrong'); process.exit(2);`);
  assert.match(broken ?? '', /the daemon ended with status 2\. Its last lines:\nFL1201 line 3 is wrong/);
  assert.equal(score.right, false);
});

test('a daemon that crashes in the middle is reported', async () => {
  const { broken } = await run(
    `${DAEMON} server.on('request', (r) => r.url.includes('incidents') && process.abort());`,
  );
  assert.match(broken ?? '', /the daemon was ended by SIGABRT/);
  assertGone();
});

test('an interruption ends the daemon', async () => {
  const controller = new AbortController();
  const script = `${DAEMON} server.on('request', (r) => r.url.includes('status') && setTimeout(() => {}, 1e6));`;
  const running = run(script.replace("'works'", "'absent'"), controller.signal);
  setTimeout(() => controller.abort(), 500);
  assert.equal((await running).broken, 'interrupted');
});

test("the folder is its owner's alone and the configuration in it too", async () => {
  await run(`${DAEMON}`);
  const { statSync } = await import('node:fs');
  assert.equal(statSync(place.folder).mode & 0o777, 0o700);
  assert.equal(statSync(place.config).mode & 0o777, 0o600);
});
