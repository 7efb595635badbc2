// The words of all rules over mixed logs: our scanner, a copy of the same memory, one alternation of V8, and vectorscan's block mode
// where it is there (apt-get install libvectorscan-dev; or FAULTLINE_HS=FOLDER, where its package was unpacked); then job logs
// and kernel lines to the decoders as the live sources hand them over, with the scanner and without it.
// usage: node bench/scan.mjs [MIB] [ROUNDS]

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TextDetection } from '../src/detection/text/text-detection.ts';
import { JOB_WORDS, SERVER_LOG_WORDS } from '../src/detection/text/words/job-words.ts';
import { KERNEL_WORDS } from '../src/detection/text/words/kernel-words.ts';
import { joined, scannerOf } from '../src/detection/text/words/word-set.ts';
import { LineSplitter } from '../src/sources/job-log/line-splitter.ts';
import { wantedLines } from '../src/sources/job-log/wanted-lines.ts';
import { mixedLogs } from './lib/mixed-logs.mjs';
import { PROGRESS_FORMS, progressLines } from './lib/progress-lines.mjs';

const [mib = 128, rounds = 5] = process.argv.slice(2).map(Number);
const ROOT = join(import.meta.dirname, '..');
const CHUNK = 262_144;
const words = joined(KERNEL_WORDS, SERVER_LOG_WORDS);
const text = mixedLogs(mib * 2 ** 20);
const folder = mkdtempSync(join(tmpdir(), 'fl-scan-'));

try {
  console.log(
    `${(text.length / 2 ** 20).toFixed(0)} MiB, ${words.words.length + words.anyCase.length} words, medians of ${rounds} rounds`,
  );
  const native = nativeFigures();
  for (const { what, gb_s: speed, ...rest } of native) console.log(`${what}: ${speed} GB/s ${JSON.stringify(rest)}`);
  const v8 = alternation();
  console.log(`v8 alternation: ${v8.toFixed(4)} GB/s`);
  const of = (name) => native.find(({ what }) => what === name)?.gb_s;
  const ours = of('scanner_colours');
  console.log(`ours: ${(ours / of('memcpy')).toFixed(2)} of memcpy, ${(ours / v8).toFixed(0)} times V8`);
  if (of('vectorscan') !== undefined) console.log(`ours: ${(ours / of('vectorscan')).toFixed(2)} of vectorscan`);
  ripgrep(native.find(({ what }) => what === 'scanner_colours'));
  live();
} finally {
  rmSync(folder, { recursive: true });
}

function nativeFigures() {
  const wordFile = join(folder, 'words');
  const textFile = join(folder, 'text');
  const program = join(folder, 'bench');
  writeFileSync(
    wordFile,
    [...words.words, ...words.anyCase.map((word) => `~${word}`)].map((word) => `${word}\n`).join(''),
  );
  writeFileSync(textFile, text);
  const scan = join(ROOT, 'native/core/scan');
  const sources = readdirSync(scan).filter((name) => name.endsWith('.cc')).map((name) => join(scan, name)); // biome-ignore format: one line
  run('c++', ['-std=c++20', '-O3', '-DNDEBUG', `-I${join(ROOT, 'native')}`, join(ROOT, 'native/bench/word_scanner.cc'), ...sources, ...vectorscan(), '-o', program]); // biome-ignore format: one line
  const said = run(program, [wordFile, textFile, String(rounds)]);
  return said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The same lines by ripgrep, of the same file: CPU of its whole process, which also maps it and compiles the words. */
function ripgrep(scanner) {
  const patterns = join(folder, 'patterns');
  const escaped = (word) => word.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');
  writeFileSync(patterns, [...words.words.map(escaped), ...words.anyCase.map((word) => `(?i:${escaped(word)})`)].map((word) => `${word}\n`).join('')); // biome-ignore format: one line
  const command = `TIMEFORMAT='%U %S'; time rg --no-config -a -j1 -c -f ${patterns} ${join(folder, 'text')}`;
  const runs = Array.from({ length: rounds }, () => spawnSync('bash', ['-c', command], { encoding: 'utf8' }));
  if (runs[0].status !== 0) return console.log(`ripgrep: not measured: ${runs[0].stderr.trim().split('\n')[0]}`);
  const lines = Number(runs[0].stdout);
  if (lines !== scanner.lines) throw new Error(`ripgrep finds ${lines} lines, ours ${scanner.lines}`);
  const seconds = runs.map(({ stderr }) => stderr.trim().split(' ').reduce((sum, one) => sum + Number(one), 0)).sort((a, b) => a - b)[rounds >> 1]; // biome-ignore format: one line
  const speed = text.length / seconds / 1e9;
  console.log(`ripgrep: ${speed.toFixed(2)} GB/s of CPU, ${lines} lines`);
  console.log(`ours: ${(scanner.gb_s / speed).toFixed(2)} of ripgrep`);
}

function vectorscan() {
  const { FAULTLINE_HS: unpacked } = process.env;
  const root = unpacked ?? '/';
  if (!existsSync(join(root, 'usr/include/hs/hs.h'))) return [];
  const library = readdirSync(join(root, 'usr/lib')).map((name) => join(root, 'usr/lib', name)).find((at) => existsSync(join(at, 'libhs.so'))); // biome-ignore format: one line
  if (library === undefined) return [];
  return ['-DFAULTLINE_BENCH_HS', `-I${join(root, 'usr/include')}`, `-L${library}`, `-Wl,-rpath,${library}`, '-lhs'];
}

function run(program, args) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(`${program} ended with status ${status}: ${stderr}`);
  return stdout;
}

/** GB/s over a part of the text: more would take minutes. */
function alternation() {
  const part = text.subarray(0, Math.min(text.length, 8 << 20));
  const escaped = (word) => word.replace(/[^\w\s]/g, '\\$&');
  const cased = (word) => escaped(word).replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
  const pattern = new RegExp([...words.words.map(escaped), ...words.anyCase.map(cased)].join('|'), 'g');
  const strings = [];
  for (let at = 0; at < part.length; at += CHUNK)
    strings.push(part.toString('latin1', at, Math.min(at + CHUNK, part.length)));
  const speeds = Array.from({ length: 3 }, () => {
    const began = performance.now();
    for (const string of strings) {
      pattern.lastIndex = 0;
      while (pattern.exec(string) !== null) {
        const end = string.indexOf('\n', pattern.lastIndex);
        pattern.lastIndex = end < 0 ? string.length : end + 1;
      }
    }
    return part.length / (performance.now() - began) / 1e6;
  });
  return speeds.sort((a, b) => a - b)[1];
}

function live() {
  const part = text.subarray(0, Math.min(text.length, 8 << 20));
  for (const scanner of [null, scannerOf(JOB_WORDS, true)]) {
    const { lines, ms } = decodeJob(part, scanner);
    console.log(
      `job log ${scanner === null ? 'line by line' : 'with the scanner'}: ${(part.length / ms / 1e3).toFixed(1)} MB/s of its own time, ${lines} lines to the decoders`,
    );
  }
  const each = PROGRESS_FORMS.map((form) => [microsecondsOf(progressLines(form, 50_000)), form]).sort(
    ([a], [b]) => a - b,
  );
  for (const [us, form] of each) console.log(`progress lines of ${form}: ${us.toFixed(2)} us each, to their samples`);
  const [us, slowest] = each.at(-1);
  console.log(`progress lines: ${us.toFixed(2)} us each, of the slowest of ${each.length} forms, ${slowest}`);
}

/** Of each line, once they have been read before. */
function microsecondsOf(lines) {
  const scanner = scannerOf(JOB_WORDS, true);
  decodeJob(lines, scanner);
  return (decodeJob(lines, scanner).ms * 1e3) / 50_000;
}

function decodeJob(buffer, scanner) {
  const detection = new TextDetection('node-1');
  const splitter = new LineSplitter(0);
  const attention = { scanner, attends: () => detection.attends('j', 'job'), passed: () => undefined };
  const attributes = { job: 'j', framework: 'auto' };
  const from = { source: 'job-log', trust: 'tenant', stream: 'job/j:/x', timeMs: null, timeDigits: 0, attributes };
  let lines = 0;
  const began = process.threadCpuUsage();
  for (let at = 0; at < buffer.length; at += CHUNK) {
    for (const line of wantedLines(splitter, buffer.subarray(at, at + CHUNK), attention)) {
      lines += 1;
      detection.decode({ ...from, position: line.offset, observedMs: 1.8e12 + line.offset, text: line.text });
    }
  }
  const { user, system } = process.threadCpuUsage(began);
  return { lines, ms: (user + system) / 1000 };
}
