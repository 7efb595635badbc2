// Bench: `faultline scan` of a host's log, of a quarter of the size and of all of it, and of the many files of a cluster: time of the
// processor, memory at most, open files at most.
// Run: node bench/scan-large.mjs [GIB] [FILES]   (default 4 and 10,000; needs `npm run build`, and as much room in the folder for temporary files)

import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'; // biome-ignore format: one line
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mixedLogs } from './lib/mixed-logs.mjs';

const [gib = 4, files = 10_000] = process.argv.slice(2).map(Number);
const ENTRY = join(import.meta.dirname, '../dist/faultline.js');
const LOOK_MS = 50;
const folder = mkdtempSync(join(tmpdir(), 'faultline-scan-large-'));

async function scan(what, path, bytes) {
  const began = performance.now();
  const child = spawn(process.execPath, [ENTRY, 'scan', path, '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let open = 0;
  let said = 0;
  child.stdout.on('data', (part) => {
    said += part.length;
  });
  const most = { rss: 0, cpu: 0 };
  const timer = setInterval(() => {
    try {
      open = Math.max(open, readdirSync(`/proc/${child.pid}/fd`).length);
      most.rss = Math.max(most.rss, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0)); // biome-ignore format: one line
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
      most.cpu = (Number(fields[11]) + Number(fields[12])) / 100;
    } catch {
      // It has just ended.
    }
  }, LOOK_MS);
  const status = await new Promise((resolve) => child.once('exit', resolve));
  clearInterval(timer);
  const seconds = (performance.now() - began) / 1000;
  const each = most.cpu / (bytes / 2 ** 30);
  console.log(`${what}: status ${status}, ${seconds.toFixed(1)} s, ${most.cpu.toFixed(1)} s of CPU (${each.toFixed(1)} a GiB), RSS at most ${(most.rss / 1024).toFixed(0)} MiB, ${open} open files at most, ${(said / 1024).toFixed(0)} KiB of JSON`); // biome-ignore format: one line
}

const ORDINARY = mixedLogs(4 << 20).toString().split('\n').filter((line) => /^Nov 28|^\[\d+\.\d+\] (IN=|audit)/.test(line)).map((line) => line.replace(/^Nov 28 [\d:]+ \S+/, '').replace(/^\[/, ' kernel: [')); // biome-ignore format: one line

/** A line of a host: twenty of them a second, and an Xid in each so many. */
function lineOf(number, host, faultEach) {
  const stamp = new Date(Date.UTC(2026, 10, 1) + Math.floor(number / 20) * 1000).toISOString().slice(0, 19);
  const fault = ` kernel: NVRM: Xid (PCI:0000:${16 + (number % 8)}:00): 79, pid=1, GPU has fallen off the bus.`;
  return `${stamp}Z ${host}${number % faultEach === faultEach - 1 ? fault : ORDINARY[number % ORDINARY.length]}\n`;
}

function writeHostLog(path, bytes) {
  const file = openSync(path, 'w');
  for (let written = 0, from = 0; written < bytes; from += 20_000) {
    written += writeSync(file, Array.from({ length: 20_000 }, (_, i) => lineOf(from + i, 'node-1', 100_000)).join(''));
  }
  closeSync(file);
}

/** Ten files of each host, with a fault in each hundredth of them. */
function writeCluster(many) {
  let bytes = 0;
  for (let i = 0; i < files; i += 1) {
    const host = `node-${Math.floor(i / 10)}`;
    if (i % 10 === 0) mkdirSync(join(many, host), { recursive: true });
    const text = Array.from({ length: 300 }, (_, at) => lineOf(i * 300 + at, host, 30_000)).join('');
    writeFileSync(join(many, host, `messages.${i % 10}`), text);
    bytes += text.length;
  }
  return bytes;
}

try {
  for (const size of gib > 0 ? [gib / 4, gib] : []) {
    const path = join(folder, 'messages');
    writeHostLog(path, size * 2 ** 30);
    await scan(`a host's log of ${size} GiB`, path, size * 2 ** 30);
    rmSync(path);
  }
  if (files > 0) {
    const many = join(folder, 'cluster');
    const bytes = writeCluster(many);
    await scan(`${files} files of ${Math.round(bytes / files / 1024)} KiB`, many, bytes);
  }
} finally {
  rmSync(folder, { recursive: true });
}
