// The kernel log source: whose word a record is, what is lost, and what its health says to do.

import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Emit, EventInput, TextRecord } from '../../../src/model/record.ts';
import type { KernelLogOptions, KernelRecord, NativeCore } from '../../../src/native.ts';
import { KernelLogSource } from '../../../src/sources/kernel-log/kernel-log-source.ts';
import { probeKernelLog } from '../../../src/sources/kernel-log/probe-kernel-log.ts';
import { notice as rawNotice } from '../../model/raw-notice.ts';

function started(userLines = false, neverUp?: (port: string) => boolean) {
  const texts: TextRecord[] = [];
  const events: EventInput[] = [];
  const opened: KernelLogOptions[] = [];
  let stops = 0;
  const emit: Emit = {
    text: (record) => texts.push(record),
    event: (event) => events.push(event),
    samples: () => undefined,
    discovery: () => undefined,
  };
  const core = {} as NativeCore; // only handed through to the reader
  const source = new KernelLogSource(
    { enabled: 'auto', path: '/dev/kmsg', userLines },
    'node-1',
    core,
    (_, options) => {
      opened.push(options);
      return { stop: () => { stops += 1; } }; // biome-ignore format: short
    },
    null,
    neverUp,
  );
  source.start(emit);
  return { source, texts, events, opened, stops: () => stops };
}

const record = (facility: number, sequence = 7): KernelRecord => ({
  sequence,
  timeMs: 1000.25,
  observedMs: 1001,
  priority: 4,
  facility,
  text: 'NVRM: x',
});
const notice = (type: string, name: string, value = 0, text = '') => rawNotice({ type, name, text, value, timeMs: 5 });

test('the kernel’s own line is the kernel’s word, with its sequence number and time', () => {
  const { source, texts } = started();
  source.handleRecords([record(0)]);
  assert.equal(texts.length, 1);
  assert.deepEqual(
    { ...texts[0], attributes: { ...texts[0]?.attributes } },
    {
      source: 'kernel-log', trust: 'kernel', stream: '/dev/kmsg', position: 7, timeMs: 1000.25, timeDigits: 6,
      observedMs: 1001, text: 'NVRM: x', attributes: { priority: 4, facility: 0 },
    },
  ); // biome-ignore format: one record
});

test('a line on a port that was never up says so', () => {
  const { source, texts } = started(false, (port) => port === 'p0');
  const down = (port: string) => ({ ...record(0), text: `mlx5_core 0000:86:00.0 ${port}: Link down` });
  source.handleRecords([down('p0'), down('p1'), { ...down('p0'), facility: 1 }]);
  assert.deepEqual(
    texts.map(({ attributes }) => attributes.port_never_up),
    [true, undefined],
  );
});

test('a line that user space wrote is a tenant’s word, and only comes where configured', () => {
  const closed = started(false);
  closed.source.handleRecords([record(1), record(3)]);
  assert.deepEqual(closed.texts, []);
  const open = started(true);
  open.source.handleRecords([record(1)]);
  assert.deepEqual(
    open.texts.map(({ trust }) => trust),
    ['tenant'],
  );
  assert.deepEqual(open.opened, [{ path: '/dev/kmsg', userLines: true, fromStart: false, foldStorms: true }]);
});

test('a program that wrote into the kernel log has its own name where it is known, and never that of the kernel', () => {
  const { source, texts } = started(true);
  const said = [
    'apcupsd[811]: Power failure.',
    'kernel-log: NVRM: Xid (PCI:0000:1b:00): 79, pid=0',
    'kernel: NVRM: x',
    'gpu: NVRM: x',
    'NVRM: Xid (PCI:0000:1b:00): 79, pid=0',
  ];
  source.handleRecords(said.map((text) => ({ ...record(3), text })));
  assert.deepEqual(
    texts.map(({ writer }) => writer),
    ['apcupsd', 'a program', 'a program', 'a program', 'a program'],
  );
  source.handleRecords([{ ...record(0), text: 'apcupsd[811]: Power failure.' }]);
  assert.equal(texts.at(-1)?.writer, undefined);
});

test('records that were dropped because too many waited are reported and counted', () => {
  const { source, events } = started();
  source.handleNotice(notice('queue_overflow', '', 740_311));
  assert.deepEqual(events.map(({ kind, attributes }) => [kind, attributes?.code, attributes?.lost]), [['agent.records_lost', 'FL2205', 740_311]]); // biome-ignore format: a list
  assert.match(source.health()[0]?.detail ?? '', /at least 740311 records lost/);
  assert.equal(source.counts()[0]?.lost, 740_311);
});

test('an overrun is an event that says how many records were lost, or that the number is unknown', () => {
  const { source, events } = started();
  source.handleNotice(notice('kernel_overrun', '', 42));
  source.handleNotice(notice('kernel_overrun', '', 0));
  assert.deepEqual(
    events.map(({ kind, attributes }) => [kind, attributes?.lost]),
    [
      ['agent.records_lost', 42],
      ['agent.records_lost', null],
    ],
  );
  assert.notEqual(events[0]?.discriminator, events[1]?.discriminator);
  assert.match(source.health()[0]?.detail ?? '', /at least 42 records lost in 2 overruns/);
});

test('health follows what the reader tells, and says what fixes it', () => {
  const { source } = started();
  const seen = ['works', 'absent', 'no_permission', 'failed'].map((name) => {
    source.handleNotice(notice('kernel_state', name, 0, 'why'));
    const [health] = source.health();
    return [health?.status, /CAP_SYSLOG/.test(health?.remedy ?? '')];
  });
  assert.deepEqual(seen, [
    ['works', false],
    ['absent', false],
    ['no_permission', true],
    ['failed', false],
  ]);
  source.handleNotice(notice('rapl_state', 'works'));
  assert.equal(source.health()[0]?.status, 'failed', 'other readers’ notices are not this one’s');
});

test('a reader that does not open is a failed source, not an exception', () => {
  const core = {} as NativeCore; // never used: opening fails
  const source = new KernelLogSource({ enabled: 'auto', path: '/x', userLines: false }, 'node-1', core, () => {
    throw new Error('no addon');
  });
  source.start({ text() {}, event() {}, samples() {}, discovery() {} });
  assert.equal(source.health()[0]?.status, 'failed');
  assert.match(source.health()[0]?.detail ?? '', /^FL2201 .*\/x: no addon/);
});

test('after stop nothing is emitted and the reader is stopped', async () => {
  const { source, texts, events, stops } = started();
  await source.stop();
  source.handleRecords([record(0)]);
  source.handleNotice(notice('kernel_overrun', '', 1));
  assert.deepEqual([texts.length, events.length, stops()], [0, 0, 1]);
});

test('the probe tells a readable log from one that is absent or refused', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'kernel-log-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'kmsg');
  assert.deepEqual(await probeKernelLog(path), { status: 'absent', error: 'ENOENT' });
  await writeFile(path, '6,1,1,-;x\n');
  assert.deepEqual(await probeKernelLog(path), { status: 'works', error: null });
  await chmod(path, 0);
  const refused = await probeKernelLog(path);
  // The superuser may read everything.
  assert.equal(refused.status, process.getuid?.() === 0 ? 'works' : 'no_permission');
});
