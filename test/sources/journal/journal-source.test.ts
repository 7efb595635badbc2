// The journal source: each entry once through rotation and restarts, whose lines count and how far, core dumps, other machines.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { TextDetection } from '../../../src/detection/text/text-detection.ts';
import { makeEvent } from '../../../src/model/make-event.ts';
import type { EventInput, TextRecord } from '../../../src/model/record.ts';
import { JournalSource } from '../../../src/sources/journal/journal-source.ts';
import type { UnitWork } from '../../../src/sources/journal/settings.ts';
import { until } from '../../until.ts';
import { JournalBuilder } from './journal-builder.ts';

const BOOT = '1'.padStart(32, '0');
const BEFORE = 'c'.repeat(32);
const KERNEL = { _TRANSPORT: 'kernel', SYSLOG_FACILITY: '0', PRIORITY: '4', _HOSTNAME: 'node-3', _MACHINE_ID: 'm' };

class World {
  readonly root = mkdtempSync(join(tmpdir(), 'fl-journal-source-'));
  readonly journal = join(this.root, 'journal');
  readonly folder = join(this.journal, 'a'.repeat(32));
  readonly lines: TextRecord[] = [];
  readonly events: EventInput[] = [];

  constructor(t: TestContext) {
    t.after(() => rmSync(this.root, { recursive: true }));
    mkdirSync(join(this.root, 'proc/sys/kernel/random'), { recursive: true });
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(join(this.root, 'proc/sys/kernel/random/boot_id'), '00000000-0000-0000-0000-000000000001\n');
  }

  get texts(): string[] {
    return this.lines.map(({ text }) => text);
  }

  put(name: string, builder: JournalBuilder, folder = this.folder): void {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), builder.bytes());
  }

  start(t: TestContext, { kernel = true, work = [] as readonly UnitWork[] } = {}): JournalSource {
    const settings = { enabled: 'on', paths: [this.journal], hosts: [], work, linesPerSecond: 5000 } as const;
    const source = new JournalSource(settings, {
      host: 'node-3',
      now: Date.now,
      steady: (wallMs) => wallMs,
      proc: join(this.root, 'proc'),
      state: this.root,
      kernel: () => kernel,
      pollMs: 20,
    });
    t.after(() => source.stop());
    source.start({ samples() {}, text: (record) => void this.lines.push(record), event: (event) => void this.events.push(event), discovery() {}, failed: (error) => assert.fail(String(error)) }, new AbortController().signal); // biome-ignore format: one line
    return source;
  }
}

const entry = (fields: Record<string, string>, bootId = BOOT, wallMs = Date.now()) => ({ fields, bootId, wallMs });

test('each line of the kernel once: appended, rotated, and over a restart', async (t) => {
  const world = new World(t);
  const first = new JournalBuilder({ compact: true });
  for (let i = 0; i < 5; i += 1) first.add(entry({ ...KERNEL, MESSAGE: `line ${i}` }));
  world.put('system.journal', first);
  const one = world.start(t);
  await until(() => world.lines.length === 5);
  first.add(entry({ ...KERNEL, MESSAGE: 'line 5' }));
  world.put('system.journal', first);
  await until(() => world.lines.length === 6);
  // Rotated with a line at its end that was not read yet; the next one continues its numbers.
  first.add(entry({ ...KERNEL, MESSAGE: 'line 6' }));
  world.put('system.journal', first);
  renameSync(
    join(world.folder, 'system.journal'),
    join(world.folder, `system@${'5'.repeat(32)}-0000000000000001-0001.journal`),
  );
  const second = new JournalBuilder({ compact: true, firstSeqnum: 8 });
  second.add(entry({ ...KERNEL, MESSAGE: 'line 7' }));
  world.put('system.journal', second);
  // The folder is listed every five seconds: a start lists it at once.
  await one.stop();
  second.add(entry({ ...KERNEL, MESSAGE: 'line 8' }));
  world.put('system.journal', second);
  world.start(t);
  await until(() => world.lines.length === 9);
  assert.deepEqual(
    world.texts,
    Array.from({ length: 9 }, (_, i) => `line ${i}`),
  );
  for (const { trust, source, attributes } of world.lines)
    assert.deepEqual([trust, source, attributes.facility], ['kernel', 'journal', 0]);
});

test('who could have written a line is what it counts for; programs that report nothing of devices are left out', async (t) => {
  const world = new World(t);
  const builder = new JournalBuilder()
    .add(entry({ ...KERNEL, MESSAGE: 'of the kernel' }))
    .add(
      entry({
        ...KERNEL,
        SYSLOG_FACILITY: '1',
        SYSLOG_IDENTIFIER: 'nv-fabricmanager',
        _UID: '1000',
        MESSAGE: 'written into /dev/kmsg',
      }),
    )
    .add(
      entry({
        _TRANSPORT: 'syslog',
        SYSLOG_IDENTIFIER: 'nv-fabricmanager',
        _UID: '0',
        _EXE: '/usr/bin/nv-fabricmanager',
        _SYSTEMD_UNIT: 'nvidia-fabricmanager.service',
        _HOSTNAME: 'node-3',
        MESSAGE: 'of the fabric manager',
      }),
    )
    .add(
      entry({
        _TRANSPORT: 'journal',
        SYSLOG_IDENTIFIER: 'nv-fabricmanager',
        _UID: '0',
        _EXE: '/usr/bin/nv-fabricmanager',
        _SYSTEMD_UNIT: 'nvidia-fabricmanager.service',
        CONTAINER_NAME: 'x',
        _HOSTNAME: 'node-3',
        MESSAGE: 'of a container',
      }),
    )
    .add(
      entry({ _TRANSPORT: 'stdout', SYSLOG_IDENTIFIER: 'cupsd', _UID: '0', _HOSTNAME: 'node-3', MESSAGE: 'of others' }),
    )
    .add(
      entry({
        _TRANSPORT: 'stdout',
        _SYSTEMD_UNIT: 'train@7.service',
        _UID: '0',
        _HOSTNAME: 'node-3',
        MESSAGE: 'step 7',
      }),
    )
    .add(
      entry({ ...KERNEL, _HOSTNAME: 'node-9', _MACHINE_ID: 'n', MESSAGE: 'of another boot of another host' }, BEFORE),
    );
  world.put('system.journal', builder);
  const source = world.start(t, { work: [{ unit: 'train@*.service', job: 'llama', service: null }] });
  await until(() => world.lines.length === 5);
  assert.deepEqual(
    world.lines.map(({ text, trust, attributes }) => [text, trust, attributes.job ?? null]),
    [
      ['of the kernel', 'kernel', null],
      ['nv-fabricmanager: written into /dev/kmsg', 'tenant', null],
      ['nv-fabricmanager: of the fabric manager', 'system', null],
      ['nv-fabricmanager: of a container', 'tenant', null],
      ['step 7', 'tenant', 'llama'],
    ],
  );
  await until(() => /left out/.test(source.health()[0]?.detail ?? ''));
  assert.match(source.health()[0]?.detail ?? '', /1 of other hosts \(node-9\), 1 of programs that report nothing/);
});

test('of this boot the kernel is read from the kernel; what it wrote before is history', async (t) => {
  const world = new World(t);
  const builder = new JournalBuilder()
    .add(entry({ ...KERNEL, _HOSTNAME: 'old-name', MESSAGE: 'before the reboot' }, BEFORE, Date.now() - 3_600_000))
    .add(entry({ ...KERNEL, MESSAGE: 'now' }));
  world.put('system.journal', builder);
  const source = world.start(t, { kernel: false });
  await until(() => /1 of the kernel/.test(source.health()[0]?.detail ?? ''));
  assert.deepEqual(world.texts, []); // no boot that both had says yet that this is the same machine
  builder.add(
    entry(
      { ...KERNEL, _HOSTNAME: 'old-name', MESSAGE: 'of the boot before, read late' },
      BEFORE,
      Date.now() - 3_600_000,
    ),
  );
  world.put('system.journal', builder);
  await until(() => world.lines.length === 1);
  assert.equal(world.lines[0]?.attributes.history, true);
});

test('a core dump is the crash of its process, once; one that a signal of others ended is none', async (t) => {
  const world = new World(t);
  const dump = (signal: number) => ({
    MESSAGE_ID: 'fc2e22bc6ee647b6b90729ab34a250b1',
    MESSAGE: 'Process 4711 (python3) of user 1000 dumped core.\n\nStack trace of thread 4711:',
    COREDUMP_PID: '4711',
    COREDUMP_SIGNAL: String(signal),
    COREDUMP_COMM: 'python3',
    COREDUMP_FILENAME: '/var/lib/systemd/coredump/core.python3.1000.zst',
    _HOSTNAME: 'node-3',
  });
  world.put('system.journal', new JournalBuilder({ pack: 'zstd' }).add(entry(dump(11))).add(entry(dump(6))));
  world.start(t);
  await until(() => world.events.length === 1);
  const [event] = world.events;
  assert.deepEqual([event?.kind, event?.component?.id, event?.trust, event?.attributes?.process], ['process.segfault', '4711', 'tenant', 'python3']); // biome-ignore format: one line
  assert.equal(event?.attributes?.core_file, '/var/lib/systemd/coredump/core.python3.1000.zst');
  assert.equal(
    event?.evidence?.[0] && 'text' in event.evidence[0] ? event.evidence[0].text : '',
    'Process 4711 (python3) of user 1000 dumped core.',
  );
});

test('namespaces and remote senders are streams of their own; a sender is believed no more than a tenant', async (t) => {
  const world = new World(t);
  world.put(
    'system.journal',
    new JournalBuilder().add(entry({ ...KERNEL, MESSAGE: 'in a namespace' })),
    `${world.folder}.jobs`,
  );
  world.put(
    'remote-10.0.0.4.journal',
    new JournalBuilder().add(entry({ ...KERNEL, MESSAGE: 'of a sender' })),
    join(world.journal, 'remote'),
  );
  world.start(t);
  await until(() => world.lines.length === 2);
  const seen = world.lines.map(({ stream, trust }) => [stream, trust]).sort();
  assert.deepEqual(seen, [
    [`journal/${'a'.repeat(32)}.jobs/system`, 'kernel'],
    ['journal/remote/remote-10.0.0.4', 'tenant'],
  ]);
});

test('a damaged file and no files at all are said, with what to do', async (t) => {
  const world = new World(t);
  writeFileSync(join(world.folder, 'system.journal'), 'x'.repeat(500));
  const source = world.start(t);
  await until(() => source.health()[0]?.status === 'partial');
  assert.match(source.health()[0]?.detail ?? '', /system.journal: .*is not a journal file/);
  assert.match(source.health()[0]?.remedy ?? '', /journalctl --verify/);
  rmSync(world.journal, { recursive: true });
  const none = world.start(t);
  await until(() => none.health()[0]?.detail !== 'starting');
  assert.equal(none.health()[0]?.status, 'absent');
});

test('entries of one number and time are events of their own, of each boot and of each row of numbers', async (t) => {
  const world = new World(t);
  const wallMs = Date.now();
  const xid = { ...KERNEL, MESSAGE: 'NVRM: Xid (PCI:0000:17:00): 79, GPU has fallen off the bus.' };
  const rotated = (row: string): string => `system@${row}-0000000000000001-000${row[0]}.journal`;
  const rows: [name: string, seqnumId: string, bootId: string][] = [
    [rotated('6'.repeat(32)), '6'.repeat(32), BEFORE],
    [rotated('7'.repeat(32)), '7'.repeat(32), BEFORE],
    ['system.journal', '7'.repeat(32), BOOT],
  ];
  for (const [name, seqnumId, bootId] of rows)
    world.put(name, new JournalBuilder({ compact: true, seqnumId, firstSeqnum: 4 }).add(entry(xid, bootId, wallMs)));
  world.start(t);
  await until(() => world.lines.length > 0);
  const [line] = world.lines;
  assert.ok(line !== undefined);
  const idOf = (row: string): string | undefined => {
    const record = { ...line, attributes: { ...line.attributes, row } };
    return new TextDetection('node-3').decode(record).events.map((event) => makeEvent('node-3', event).id)[0];
  };
  const ids = ['6.c', '7.c', '7.1'].map(idOf);
  assert.equal(new Set(ids).size, 3);
  assert.equal(idOf('7.1'), ids[2]);
  assert.match(String(line.attributes.row), /^[67]{12}\.(?:c{12}|0{12})$/);
});
