// Real senders and writers: rsyslog forwards, systemd-journal-remote writes, W&B and TensorBoard's writer record; each line and number is read once.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { JournalSource } from '../../../../src/sources/journal/journal-source.ts';
import { RunFoldersSource } from '../../../../src/sources/run-folders/run-folders-source.ts';
import { SyslogSource } from '../../../../src/sources/syslog-in/syslog-source.ts';
import { until } from '../../../until.ts';
import { CLOCK, run, toolsFolder } from './run-source.ts';

const tools = toolsFolder();
const runFile = promisify(execFile);
const LIBRARIES = { ...process.env, LD_LIBRARY_PATH: join(tools, 'usr/lib/x86_64-linux-gnu') };

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'fl-real-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

for (const framing of ['octet-counted', 'traditional', 'udp'] as const)
  test(`rsyslog forwards what programs log: ${framing}`, async (t) => {
    const at = folder(t);
    const way = framing === 'udp' ? 'udp' : 'tcp';
    const work = [{ program: 'train*', job: 'llama', service: null }];
    const listen = [{ way, address: { text: '127.0.0.1:0', host: '127.0.0.1', port: 0 } }] as const;
    // rsyslog writes the name of this machine, whatever that is.
    const { stdout: name } = await runFile('hostname');
    const source = new SyslogSource({ listen, hosts: [name.trim()], work, linesPerSecond: 5000 }, { ...CLOCK, kernel: () => true });
    const { lines } = run(t, source);
    const port = await until(() => source.ports[0], { what: 'the port' });
    const action = framing === 'udp' ? 'protocol="udp"' : `protocol="tcp" TCP_Framing="${framing}"`;
    writeFileSync(join(at, 'conf'), `module(load="imuxsock" SysSock.Use="off")\ninput(type="imuxsock" Socket="${at}/log")\n*.* action(type="omfwd" target="127.0.0.1" port="${port}" ${action})\n`); // biome-ignore format: one line
    const daemon = spawn(join(tools, 'usr/sbin/rsyslogd'), ['-n', '-f', join(at, 'conf'), '-i', join(at, 'pid'), '-M', join(tools, 'usr/lib/x86_64-linux-gnu/rsyslog')], { env: LIBRARIES, stdio: 'ignore' });
    t.after(() => daemon.kill());
    const log = (text: string) => runFile('logger', ['-u', join(at, 'log'), '-t', 'train7', '-p', 'user.info', text]);
    await until(() => log('step 0 loss 1').then(() => lines.length > 0).catch(() => false));
    for (let i = 1; i <= 20; i += 1) await log(`step ${i} loss 1.5`);
    await until(() => lines.some(({ text }) => text === 'step 20 loss 1.5'));
    assert.ok(lines.every(({ attributes, trust }) => attributes.job === 'llama' && trust === 'tenant'));
    for (let i = 1; i <= 20; i += 1) assert.equal(lines.filter(({ text }) => text === `step ${i} loss 1.5`).length, 1);
  }); // biome-ignore format: short enough

const BOOT = '0123456789abcdef0123456789abcdef';
const entry = (i: number) =>
  `__REALTIME_TIMESTAMP=${1_790_000_000_000_000 + i * 1000}\n__MONOTONIC_TIMESTAMP=${1000 + i}\n_BOOT_ID=${BOOT}\n_HOSTNAME=node-3\n_TRANSPORT=kernel\nPRIORITY=4\nSYSLOG_IDENTIFIER=kernel\nSYSLOG_FACILITY=0\nMESSAGE=line ${i} ${i % 7 === 0 ? 'x'.repeat(3000) : ''}\n\n`;

for (const compress of ['yes', 'no'])
  test(`systemd-journal-remote writes while it is read, compression ${compress}`, async (t) => {
    const at = folder(t);
    const remote = join(at, 'journal/remote');
    mkdirSync(remote, { recursive: true });
    mkdirSync(join(at, 'proc'));
    const writer = spawn(join(tools, 'lib/systemd/systemd-journal-remote'), [`--compress=${compress}`, '-o', join(remote, 'remote-node-4.journal'), '-'], { env: LIBRARIES, stdio: ['pipe', 'ignore', 'ignore'] });
    t.after(() => writer.kill());
    const settings = { enabled: 'on', paths: [join(at, 'journal')], hosts: [], work: [], linesPerSecond: 100_000 } as const;
    const { lines } = run(t, new JournalSource(settings, { ...CLOCK, proc: join(at, 'proc'), state: at, kernel: () => true, pollMs: 50 }));
    for (let i = 0; i < 500; i += 1) writer.stdin.write(entry(i));
    await until(() => lines.length === 500, { what: 'the first half' });
    for (let i = 500; i < 900; i += 1) writer.stdin.write(entry(i));
    writer.stdin.end();
    await until(() => lines.length === 900, { what: 'the rest' });
    assert.deepEqual(lines.map(({ text }) => Number(text.split(' ')[1])), Array.from({ length: 900 }, (_, i) => i)); // biome-ignore format: one line
    assert.ok(lines.every(({ trust }) => trust === 'tenant'));
  }); // biome-ignore format: short enough

test('W&B, offline, and a writer of TensorBoard record thirty steps each', async (t) => {
  const at = folder(t);
  const python = join(tools, 'venv/bin/python');
  const wandb = `import os
os.environ.update(WANDB_MODE='offline', WANDB_SILENT='true')
import wandb
run = wandb.init(project='x', dir='${at}')
for i in range(30): wandb.log({'train/loss': float('nan') if i == 29 else 2.5, 'lr': 0.125, 'eval/loss': 9}, step=i)
run.finish()
from tensorboardX import SummaryWriter
w = SummaryWriter('${at}/tb')
for i in range(30):
    w.add_scalar('train/loss', 2.5, i); w.add_scalar('lr', 0.125, i)
w.close()
`;
  await runFile(python, ['-c', wandb]);
  const { lines } = run(t, new RunFoldersSource([{ job: 'llama', path: at }], { ...CLOCK, pollMs: 50 }));
  await until(() => lines.length === 60);
  const of = (tool: string) => lines.filter(({ stream }) => stream.startsWith(tool)).map(({ text }) => text);
  assert.deepEqual(of('tensorboard').slice(-1), ['step: 29 | train loss: 2.5 | lr: 0.125']);
  assert.deepEqual(of('wandb').slice(-2), [
    'step: 28 | train loss: 2.5 | lr: 0.125',
    'step: 29 | train loss: nan | lr: 0.125',
  ]);
});
