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
