// Off is free: without an endpoint no module of OpenTelemetry, no TCP socket, no spool; the same looks find them where it is on.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Collector } from '../sinks/otlp/collector.ts';
import { DaemonUnderTest } from './daemon-under-test.ts';

const HOOK = pathToFileURL(join(import.meta.dirname, 'loaded-modules.mjs')).href;
const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0).reverse()) await each.close();
  delete process.env.NODE_OPTIONS;
  delete process.env.LOADED_MODULES;
});

interface Looked {
  readonly daemon: DaemonUnderTest;
  readonly pid: number;
  /** Addresses of what serves the export alone. */
  readonly modules: readonly string[];
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
  const loaded = readFileSync(list, 'utf8').split('\n');
  return {
    daemon,
    pid,
    modules: loaded.filter((url) => /@opentelemetry|@grpc|protobufjs|sinks\/otlp/.test(url)),
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
  const { pid, modules, sockets, spool } = await look('', () => true);
  assert.deepEqual({ modules, sockets, spool }, { modules: [], sockets: 0, spool: false });
  assert.equal(networkCalls(pid) ?? 0, 0);
});

test('with one it is all there, so that its absence means something', async () => {
  const collector = await Collector.grpc();
  closing.push({ close: async () => collector.kill() });
  const endpoint = `http://127.0.0.1:${collector.port}`;
  const { daemon, pid, modules, sockets, spool } = await look(
    `otlp: {endpoint: "${endpoint}", metrics: {interval: 1s}}`,
    () => collector.taken.length > 0,
  );
  const has = (part: string) => modules.some((url) => url.includes(part));
  assert.deepEqual(['@opentelemetry', '@grpc', 'sinks/otlp'].filter(has), ['@opentelemetry', '@grpc', 'sinks/otlp']);
  assert.ok(sockets >= 1);
  assert.ok(spool);
  collector.kill();
  await daemon.until('it is seen to look for the collector', () => (networkCalls(pid) ?? 1) > 0);
});
