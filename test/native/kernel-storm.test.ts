// A storm in the kernel log, through the real reader: a lost GPU is reported within a second, and every line is counted.
// Runs alone: its assertions are timed.

import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { TextDetection } from '../../src/detection/text/text-detection.ts';
import type { EventInput } from '../../src/model/record.ts';
import { native } from '../../src/native.ts';
import { KernelLogSource } from '../../src/sources/kernel-log/kernel-log-source.ts';
import { until } from '../until.ts';

const RATE = 25_000;
const SECONDS = 1;
const LOST = "NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.";

const STORMS: Readonly<Record<string, (i: number) => string>> = {
  'the same line': () =>
    'pcieport 0000:16:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)',
  'numbers that vary': (i) =>
    `NVRM: Xid (PCI:0000:61:00): 13, pid=${4000 + i}, name=train, Graphics Exception: ESR 0x${i.toString(16)}=0x0`,
  'crashes of distinct processes': (i) =>
    `p${(i * 7919).toString(36)}[${i}]: segfault at ${i.toString(16)} ip 00007f${i.toString(16)} sp 7ffc error 4 in l${i}.so[7f0+1]`,
  'no two words alike': (i) =>
    `${(i + 1e9).toString(26).replace(/\d/g, 'q')} says error ${(i * 31 + 1e9).toString(26)}`,
};

for (const [name, line] of Object.entries(STORMS)) {
  test(`a lost GPU in a storm of 25,000 lines a second: ${name}`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'faultline-storm-'));
    const path = join(folder, 'kmsg');
    const file = openSync(path, 'a', 0o600);
    const core = new (native().Core)({ historySeconds: 10, maxSeries: 10 });
    const source = new KernelLogSource({ enabled: 'on', path, userLines: false }, 'node-1', core);
    t.after(async () => {
      await source.stop();
      core.close();
      closeSync(file);
      rmSync(folder, { recursive: true });
    });
    const detection = new TextDetection('node-1');
    let counted = 0;
    const lost: EventInput[] = [];
    let foundMs = Number.POSITIVE_INFINITY;
    source.start({
      text: (record) => {
        counted += 1 + Number(record.attributes.repeats ?? 0);
        for (const event of detection.decode(record).events) {
          if (event.kind !== 'gpu.lost') continue;
          foundMs = Math.min(foundMs, performance.now());
          lost.push(event);
        }
      },
      event: (event) => assert.fail(`${event.kind}: records were lost`),
      samples: () => undefined,
      discovery: () => undefined,
    });
    core.onWake(() => {
      const { records, notices } = core.drain();
      source.handleRecords(records);
      for (const notice of notices) source.handleNotice(notice);
    });
    await until(() => source.health()[0]?.detail === `reading ${path}`);
    let sequence = 0;
    let writtenMs = 0;
    const say = (text: string) => `4,${sequence++},${Math.floor(performance.now() * 1000)},-;${text}\n`;
    const startMs = performance.now();
    for (let i = 0; i < RATE * SECONDS; ) {
      const due = Math.min(RATE * SECONDS, ((performance.now() - startMs) / 1000) * RATE);
      let text = '';
      for (; i < due; i += 1) {
        if (i === (RATE * SECONDS) / 2) {
          text += say(LOST);
          writtenMs = performance.now();
        }
        text += say(line(i));
      }
      if (text !== '') writeSync(file, text);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await until(() => counted >= sequence && foundMs < Number.POSITIVE_INFINITY);
    assert.equal(counted, sequence, 'every line is counted');
    assert.equal(lost.length, 1);
    assert.equal(lost[0]?.component?.id, '0000:9b:00.0');
    assert.equal(lost[0]?.count ?? 1, 1, 'the storm is not counted as the loss');
    assert.ok(foundMs - writtenMs < 5000, `reported after ${Math.round(foundMs - writtenMs)} ms`);
    assert.match(source.health()[0]?.detail ?? '', /^reading .*; lines left out: \d+ like others in a storm/);
  });
}
