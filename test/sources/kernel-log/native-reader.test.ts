// The kernel log source over the real reader: a line written to a log in kmsg form becomes an event of its GPU.

import assert from 'node:assert/strict';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { TextDetection } from '../../../src/detection/text/text-detection.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { native } from '../../../src/native.ts';
import { KernelLogSource } from '../../../src/sources/kernel-log/kernel-log-source.ts';

test('an XID line becomes a lost GPU, with its sequence number; lines from before the start do not', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'kernel-log-'));
  const path = join(folder, 'kmsg');
  await writeFile(path, '4,10,1000,-;NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.\n');
  const core = new (native().Core)({ historySeconds: 10, maxSeries: 10 });
  const source = new KernelLogSource({ enabled: 'on', path, userLines: false }, 'node-1', core);
  t.after(async () => {
    await source.stop();
    core.close();
    await rm(folder, { recursive: true });
  });
  const detection = new TextDetection('node-1');
  const event = await new Promise<EventInput>((resolve) => {
    source.start({
      text: (record) => detection.decode(record).events.forEach(resolve),
      event: () => undefined,
      samples: () => undefined,
      discovery: () => undefined,
    });
    core.onWake(async () => {
      const { records, notices } = core.drain();
      source.handleRecords(records);
      for (const notice of notices) source.handleNotice(notice);
      const [health] = source.health();
      if (health?.status !== 'works' || records.length > 0) return;
      const lines = [
        '12,11,2000,-;NVRM: Xid (PCI:0000:02:00): 79, written by a user',
        '4,12,3000,-;NVRM: Xid (PCI:0000:03:00): 79, GPU has fallen off the bus.',
      ];
      await appendFile(path, `${lines.join('\n')}\n`);
    });
  });
  assert.equal(event.kind, 'gpu.lost');
  assert.equal(event.component?.id, '0000:03:00.0');
  assert.equal(event.trust, 'kernel');
  assert.equal(event.discriminator, 12);
});

test('health says how many lines users wrote, and that a syslog file is not a kernel log', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'kernel-log-'));
  const core = new (native().Core)({ historySeconds: 10, maxSeries: 10 });
  const sources: KernelLogSource[] = [];
  const reported: string[] = [];
  t.after(async () => {
    for (const source of sources) await source.stop();
    core.close();
    await rm(folder, { recursive: true });
  });
  const reading = async (lines: readonly string[], expected: RegExp) => {
    const path = join(folder, `log-${sources.length}`);
    await writeFile(path, '');
    const source = new KernelLogSource({ enabled: 'on', path, userLines: false }, 'node-1', core);
    sources.push(source);
    const ignore = () => undefined;
    source.start({ text: ({ text }) => reported.push(text), event: ignore, samples: ignore, discovery: ignore });
    core.onWake(() => {
      const { records, notices } = core.drain();
      source.handleRecords(records);
      for (const notice of notices) source.handleNotice(notice);
    });
    const until = async (form: RegExp) => {
      for (let i = 0; i < 2000 && !form.test(source.health()[0]?.detail ?? ''); i += 1)
        await new Promise((resolve) => setTimeout(resolve, 5));
      assert.match(source.health()[0]?.detail ?? '', form);
    };
    await until(/^reading/);
    await appendFile(path, `${lines.join('\n')}\n`);
    await until(expected);
    return source.health()[0];
  };
  const lost = 'NVRM: Xid (PCI:0000:02:00): 79, GPU has fallen off the bus.';
  const kmsg = await reading(
    [
      `12,1,2000,-;${lost}`,
      `30,2,2000,-;${lost}`,
      `3,3,2000,c;${lost}`,
      '6,4,2000,-;mlx5_core: quiet',
      '6,5,2000,-;of no decoder',
    ],
    /^reading .*; lines left out: 2 written by users, 1 pieces of interrupted lines$/,
  );
  assert.equal(kmsg?.status, 'works');
  const syslog = await reading(
    [
      `Nov 28 12:00:00 node-1 kernel: [ 12.5] ${lost}`,
      `Nov 28 12:00:00 node-1 mallory: kernel: ${lost}`,
      `Nov 28 12:00:00 node-1 mallory: 3,1,2000,-;${lost}`,
    ],
    /^FL2207 none of 3 lines of .* is in the form of \/dev\/kmsg$/,
  );
  assert.equal(syslog?.status, 'failed');
  assert.match(syslog?.remedy ?? '', /\/dev\/kmsg/);
  assert.deepEqual(reported, ['mlx5_core: quiet']);
});
