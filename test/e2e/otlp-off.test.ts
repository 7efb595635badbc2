// Off is free: without an endpoint no module of OpenTelemetry, no TCP socket, no spool; the same looks find them where it is on.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Collector } from '../sinks/otlp/collector.ts';
import { DaemonUnderTest } from './daemon-under-test.ts';

const HOOK = pathToFileURL(join(import.meta.dirname, 'loaded-modules.mjs')).href;
const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0).reverse()) await each.close();
  delete process.env.NODE_OPTIONS;
  delete process.env.LOADED_MODULES;
});

/** What serves the export alone: shown by a module's address, or by what is in a part of the bundle. */
const PARTS = [
  { address: '@opentelemetry', text: '@opentelemetry/api' },
  { address: '@grpc', text: 'grpc-js/' },
  { address: 'sinks/otlp/otlp-sink', text: 'otlp.metrics.max_series' },
];
const shows = (url: string, part: (typeof PARTS)[number]) =>
  url.includes('/dist/') ? readFileSync(fileURLToPath(url), 'utf8').includes(part.text) : url.includes(part.address);

interface Looked {
  readonly daemon: DaemonUnderTest;
  readonly pid: number;
  /** Of PARTS those that are loaded. */
  readonly parts: readonly string[];
  readonly sockets: number;
  readonly spool: boolean;
}

/** A daemon with two GPUs and an incident behind it, once it is `ready`. */
async function look(extra: string, ready: () => boolean): Promise<Looked> {
  const daemon = new DaemonUnderTest({ gpus: 2, extra });
  closing.push(daemon);
  const list = join(daemon.folder, 'modules');
  process.env.NODE_OPTIONS = `--import=${HOOK}`;
  process.env.LOADED_MODULES = list;
  const pid = Number((await daemon.start()).pid);
  daemon.kernel('NVRM: Xid (PCI:0000:1b:00): 79, pid=1122, name=python, GPU has fallen off the bus.');
  await daemon.until('the incident is on disk', () => daemon.logged('incident').length > 0);
  await daemon.until('there is something to see', ready);
  const loaded = readFileSync(list, 'utf8').split('\n').filter(Boolean);
  return {
    daemon,
    pid,
    parts: PARTS.filter((part) => loaded.some((url) => shows(url, part))).map(({ address }) => address),
    sockets: tcpSockets(pid),
    spool: existsSync(join(daemon.folder, 'state', 'spool')),
  };
}

function tcpSockets(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  const table = ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/${pid}/net/${name}`, 'utf8').split('\n'));
  const inodes = new Set(table.map((line) => line.trim().split(/\s+/)[9]));
  return readdirSync(folder).filter((fd) => {
    try {
      return inodes.has(/^socket:\[(\d+)\]$/.exec(readlinkSync(join(folder, fd)))?.[1] ?? '-');
    } catch {
      return false; // closed since
    }
  }).length;
}

/** Calls that reach for the network in two seconds; null where there is no strace or it may not look. */
function networkCalls(pid: number): number | null {
  const strace = ['strace', '-f', '-q', '-e', 'trace=socket,connect', '-p', String(pid)];
  const { status, stderr } = spawnSync('timeout', ['2', ...strace], { encoding: 'utf8' });
  const looked = status === 124; // timeout ended it, and nothing else
  return looked ? stderr.split('\n').filter((line) => line.includes('AF_INET')).length : null;
}

test('without an endpoint nothing of it is there', async () => {
  const { pid, parts, sockets, spool } = await look('', () => true);
  assert.deepEqual({ parts, sockets, spool }, { parts: [], sockets: 0, spool: false });
  assert.equal(networkCalls(pid) ?? 0, 0);
});

test('over HTTP nothing of gRPC is there', async () => {
  const collector = await Collector.http();
  closing.push({ close: async () => collector.kill() });
  const { parts } = await look(
    `otlp: {endpoint: "http://127.0.0.1:${collector.port}", protocol: http/protobuf, metrics: {interval: 1s}}`,
    () => collector.taken.length > 0,
  );
  assert.deepEqual(parts, ['@opentelemetry', 'sinks/otlp/otlp-sink']);
});

test('with one it is all there, so that its absence means something', async () => {
  const collector = await Collector.grpc();
  closing.push({ close: async () => collector.kill() });
  const endpoint = `http://127.0.0.1:${collector.port}`;
  const { daemon, pid, parts, sockets, spool } = await look(
    `otlp: {endpoint: "${endpoint}", metrics: {interval: 1s}}`,
    () => collector.taken.some(({ headers }) => String(headers['user-agent']).includes('OTel-OTLP-Exporter')),
  );
  assert.deepEqual(parts, ['@opentelemetry', '@grpc', 'sinks/otlp/otlp-sink']);
  assert.ok(sockets >= 1);
  assert.ok(spool);
  collector.kill();
  await daemon.until('it is seen to look for the collector', () => (networkCalls(pid) ?? 1) > 0);
});
