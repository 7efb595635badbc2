// Own processes: known by pid or control group, never by name; what the kernel reports them is Faultline's own trouble.

import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { processOf } from '../../src/detection/text/kernel/named-process.ts';
import { TextDetection } from '../../src/detection/text/text-detection.ts';
import { serviceControlGroup } from '../../src/identity/control-group.ts';
import { OwnProcesses } from '../../src/identity/own-processes.ts';
import type { EventInput, TextRecord } from '../../src/model/record.ts';
import type { KernelRecord, NativeCore } from '../../src/native.ts';
import { nativePath } from '../../src/native.ts';
import { readDumps } from '../../src/sources/flight-recorder/dumps/reader-child.ts';
import { KernelLogSource } from '../../src/sources/kernel-log/kernel-log-source.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-own-'));
after(() => rmSync(root, { recursive: true }));
const GROUP = '/system.slice/faultline.service';

/** A daemon whose control group procfs reports in these words. */
function ownIn(cgroup: string): OwnProcesses {
  const own = new OwnProcesses();
  own.runsIn(serviceControlGroup(cgroup));
  return own;
}

const killed = (pid: number, name: string): string =>
  `Memory cgroup out of memory: Killed process ${pid} (${name}) total-vm:9000kB, anon-rss:8000kB, file-rss:0kB, shmem-rss:0kB, UID:65534 pgtables:60kB oom_score_adj:0`;
const summary = (pid: number, group: string): string =>
  `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=${group},task_memcg=${group},task=faultline-fr,pid=${pid},uid=65534`;
const crashed = (pid: number, name: string): string =>
  `${name}[${pid}]: segfault at 0 ip 00007f1c sp 00007ffd error 4 in libc.so.6[7f00+195000]`;

/** What kernel lines become, through the source and the decoder. */
function eventsOf(own: OwnProcesses, texts: readonly string[], facility = 0): EventInput[] {
  const records: TextRecord[] = [];
  const config = { enabled: 'on', path: '/dev/kmsg', userLines: true } as const;
  const source = new KernelLogSource(config, 'node-3', {} as NativeCore, () => ({ stop() {} }), own);
  source.start({ samples() {}, event() {}, discovery() {}, text: (record) => records.push(record) });
  const now = Date.now();
  source.handleRecords(texts.map((text, i): KernelRecord => ({ sequence: i, timeMs: now, observedMs: now, priority: 3, facility, text }))); // biome-ignore format: one record
  void source.stop();
  const detection = new TextDetection('node-3');
  return records.flatMap((record) => [...detection.decode(record).events]);
}

const reported = (events: readonly EventInput[]): string[] =>
  events.map(({ kind, component, trust }) => `${kind} ${component?.type}/${component?.id} ${trust}`);

test('the kill of a process of our own is reported the agent, with what to do, and of no host and no job', () => {
  const own = ownIn('0::/');
  own.add('flight-recorder', () => [4711, 4712]);
  const events = eventsOf(own, [killed(4712, 'faultline-fr'), crashed(4711, 'faultline-fr')]);
  assert.deepEqual(reported(events), Array(2).fill('agent.source_failed host/node-3 system'));
  const [first] = events;
  assert.deepEqual([first?.attributes?.source, first?.attributes?.code, first?.attributes?.pid], ['flight-recorder', 'FL2209', 4712]); // biome-ignore format: one line
  assert.match(JSON.stringify(first?.evidence), /FL2209.*Faultline/);
});

test('a name is nothing: a user who calls his process like ours hides neither his crash nor one of others', () => {
  const own = ownIn(`0::${GROUP}`);
  own.add('flight-recorder', () => [4711]);
  for (const name of ['faultline-fr', 'faultline', 'node', '4711', `x pid=4711`, '(4711)']) {
    assert.deepEqual(reported(eventsOf(own, [killed(900, name)])), ['host.oom process/900 kernel'], name);
    assert.deepEqual(reported(eventsOf(own, [crashed(900, name)])), ['process.segfault process/900 tenant'], name);
  }
  const elsewhere = ['/system.slice/faultline.service.d', `/user.slice/u${GROUP}`, `/x${GROUP}`, '/system.slice'];
  for (const group of elsewhere) {
    assert.deepEqual(reported(eventsOf(own, [summary(900, group)])), ['host.oom process/900 kernel'], group);
  }
  // What a program wrote to /dev/kmsg says nothing of us.
  assert.ok(eventsOf(own, [killed(4711, 'faultline-fr')], 1).every(({ kind }) => !kind.startsWith('agent.')));
});

test('by the control group of the service a process is ours whose pid was not known, and the lines after it follow', () => {
  const own = ownIn(`3:cpu:/\n4:memory:${GROUP}\n0::/\n`);
  for (const lines of [[summary(77, GROUP), killed(77, 'faultline-fr')], [summary(78, `${GROUP}/reader`)]]) {
    const events = reported(eventsOf(own, lines));
    assert.deepEqual([...new Set(events)], ['agent.source_failed host/node-3 system']);
  }
});

test('a session, a container and the root group are shared with others: there pids alone count', () => {
  for (const group of ['/', '/user.slice/user-1000.slice/session-3.scope', '/kubepods/pod1/abc']) {
    const own = ownIn(`0::${group}`);
    assert.deepEqual(reported(eventsOf(own, [summary(900, group)])), ['host.oom process/900 kernel'], group);
  }
});

test('threads are known, and processes are remembered a little while after their end', async () => {
  let nowMs = Date.now();
  const threads = async (pid: number) => (pid === 500 ? [500, 501] : []);
  const own = new OwnProcesses({ now: () => nowMs, threads });
  const partOf = (line: string) => own.partOf(processOf(line));
  let alive = [500];
  const forget = own.add('gpu', () => alive);
  await own.look();
  assert.equal(partOf('INFO: task faultline-vendo:501 blocked for more than 120 seconds.'), 'gpu');
  alive = [];
  forget();
  assert.equal(partOf(crashed(501, 'faultline-vendo')), 'gpu');
  nowMs += 31_000;
  assert.equal(partOf(crashed(501, 'faultline-vendo')), null);
  assert.equal(partOf(crashed(500, 'faultline-vendo')), null);
});

test('a list of threads that never comes holds up neither the answers nor the stop of a look', async () => {
  let asked = 0;
  const threads = (): Promise<number[]> => {
    asked += 1;
    return new Promise(() => {});
  };
  const own = new OwnProcesses({ threads });
  own.add('gpu', () => [500]);
  void own.look();
  await own.look(); // the first one waits still: this one returns at once
  assert.equal(asked, 1);
  assert.equal(own.partOf({ pid: 500, memcg: null }), 'gpu');
});

test('a hung task of our own is a source that is stalled', () => {
  const own = ownIn('0::/');
  own.add('gpu', () => [500]);
  const lines = ['INFO: task faultline-vendo:500 blocked for more than 120 seconds.'];
  assert.deepEqual(reported(eventsOf(own, lines)), ['agent.source_stalled host/node-3 system']);
});

test('both processes of the dump reader are known while they run', async () => {
  const seen: (readonly number[])[] = [];
  class Watched extends OwnProcesses {
    override add(part: string, pids: () => readonly number[]): () => void {
      const forget = super.add(part, pids);
      return () => {
        seen.push(pids());
        forget();
      };
    }
  }
  const own = new Watched();
  await readDumps([], new AbortController().signal, { program: nativePath('faultline-fr'), own });
  const [pids = []] = seen;
  assert.equal(new Set(pids).size, 2, String(pids));
  for (const pid of pids) assert.equal(own.partOf(processOf(killed(pid, 'faultline-fr'))), 'flight-recorder');
});

test('a reader whose memory did not do says how much it had', async () => {
  const program = join(root, 'reader');
  writeFileSync(program, '#!/bin/sh\ncat >/dev/null\nprintf "pid 1\\n\\n143"\nexit 4\n');
  chmodSync(program, 0o755);
  await assert.rejects(
    readDumps(['/a', '/b'], new AbortController().signal, { program }),
    /2 files need more memory than the 143 MiB that the reader may take/,
  );
});
