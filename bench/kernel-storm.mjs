// Benchmark of a storm in the kernel log: 20,000 lines a second for 5 s through reader, decoders and correlator, a lost GPU in its middle.
// `node bench/kernel-storm.mjs [LINES_A_SECOND]` ; each storm once with every line handed over, once folded.

import { fork } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pipeline } from '../src/daemon/pipeline.ts';
import { native } from '../src/native.ts';
import { KernelLogSource } from '../src/sources/kernel-log/kernel-log-source.ts';

const SECONDS = 5;
const LOST = "NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.";
const STORMS = {
  'the same line': () =>
    'pcieport 0000:16:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)',
  'numbers that vary': (i) =>
    `NVRM: Xid (PCI:0000:61:00): 13, pid=${4000 + (i % 50_000)}, name=train, Graphics Exception: ESR 0x${(i * 7919).toString(16)}=0x${i.toString(16)}`,
  'distinct crashes': (i) =>
    `p${(i * 7919).toString(36)}[${i}]: segfault at ${i.toString(16)} ip 00007f${i.toString(16)} sp 7ffc error 4 in l${i}.so[7f0+1]`,
};

/** The storm itself, in a process of its own so that its work is not counted. */
async function write(path, name, rate) {
  const file = openSync(path, 'a');
  const line = STORMS[name];
  let sequence = 0;
  const say = (text) => `4,${sequence++},${Math.floor(performance.now() * 1000)},-;${text}\n`;
  const startMs = performance.now();
  for (let i = 0; i < rate * SECONDS; ) {
    const due = Math.min(rate * SECONDS, ((performance.now() - startMs) / 1000) * rate);
    let text = '';
    let isLost = false;
    for (; i < due; i += 1) {
      if (i === (rate * SECONDS) / 2) {
        text += say(LOST);
        isLost = true;
      }
      text += say(line(i));
    }
    if (text !== '') writeSync(file, text);
    if (isLost) process.send({ lostMs: Date.now() });
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  process.send({ written: sequence, seconds: (performance.now() - startMs) / 1000 });
  process.disconnect();
}

async function storm(name, foldStorms, rate) {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-kernel-storm-'));
  const path = join(folder, 'kmsg');
  closeSync(openSync(path, 'a'));
  const core = new (native().Core)({ historySeconds: 60, maxSeries: 64 });
  const open = (core, options) => new (native().KernelLog)(core, { ...options, foldStorms });
  const source = new KernelLogSource({ enabled: 'on', path, userLines: false }, 'node-3', core, open);
  const seen = { lostMs: Number.NaN, toldMs: Number.NaN, dropped: 0, written: 0, seconds: 0 };
  const pipeline = new Pipeline({
    host: 'node-3',
    core,
    latenessMs: 30_000,
    holdMs: 30_000,
    links: [],
    now: () => core.now(),
    onEvent: ({ kind, component }) => {
      if (kind === 'gpu.lost' && component?.id === '0000:9b:00.0' && Number.isNaN(seen.toldMs))
        seen.toldMs = Date.now();
    },
    onIncident: () => undefined,
    onNative: ({ records, notices }) => {
      source.handleRecords(records);
      for (const notice of notices) {
        if (notice.name === 'queue_overflow') seen.dropped += notice.dropped;
        source.handleNotice(notice);
      }
    },
  });
  core.onWake(() => pipeline.drain());
  source.start(pipeline);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const before = process.cpuUsage();
  const writer = fork(import.meta.filename, ['--write', path, name, String(rate)]);
  writer.on('message', (message) => Object.assign(seen, message));
  await new Promise((resolve) => writer.once('exit', resolve));
  const used = process.cpuUsage(before);
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const [health] = source.health();
  await source.stop();
  core.close();
  rmSync(folder, { recursive: true });
  const cpu = (used.user + used.system) / 1e6 / seen.seconds;
  const delay = Number.isNaN(seen.toldMs)
    ? 'never reported'
    : `reported after ${Math.max(0, seen.toldMs - seen.lostMs)} ms`;
  const how = foldStorms ? 'folded' : 'every line';
  process.stdout.write(
    `${name.padEnd(18)} ${how.padEnd(10)} ${(seen.written / seen.seconds / 1000).toFixed(1)} k lines/s, ${(cpu * 100).toFixed(0).padStart(3)} % of a core, ${String(seen.dropped).padStart(6)} dropped, lost GPU ${delay}${health?.detail.replace(/^[^;]*/, '') ?? ''}\n`,
  );
}

if (process.argv[2] === '--write') {
  const [path, name, rate] = process.argv.slice(3);
  await write(path, name, Number(rate));
} else {
  const rate = Number(process.argv[2] ?? 20_000);
  for (const name of Object.keys(STORMS)) for (const fold of [false, true]) await storm(name, fold, rate);
}
