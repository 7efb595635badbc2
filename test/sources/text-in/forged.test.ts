// Whatever an ordinary user writes, by whatever way text comes in and under whatever name: it ends as the word of a tenant.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { TextDetection } from '../../../src/detection/text/text-detection.ts';
import type { Attributes } from '../../../src/model/event.ts';
import type { TextRecord } from '../../../src/model/record.ts';
import { entryLine } from '../../../src/sources/journal/entry-line.ts';
import { recordText } from '../../../src/sources/kernel-log/kernel-log-source.ts';
import { SyslogSource } from '../../../src/sources/syslog-in/syslog-source.ts';
import { type Fields, recordLine } from '../../../src/sources/text-in/record-line.ts';
import { takeRecord } from '../../../src/sources/text-in/take-record.ts';
import { TextIntake } from '../../../src/sources/text-in/text-intake.ts';
import { TRUE_LINES } from '../../detection/text/kernel-formats.ts';
import { until } from '../../until.ts';

const HOST = 'node-1';
/** Of programs whose names the decoders know, and of the kernel. */
const LINES = [
  'nv-fabricmanager: detected NVSwitch fatal error 20034 on fid 0 on NVSwitch pci bus id 00000000:07:00.0 physical id 1 port 41',
  "systemd[1]: nvidia-fabricmanager.service: Failed with result 'exit-code'.",
  'systemd[1]: Failed to start nvidia-fabricmanager.service - NVIDIA fabric manager service.',
  'chronyd[840]: System clock was stepped by 4.005564 seconds',
  'ntpd[7]: time reset +17.250000 s',
  'systemd-timesyncd[181]: System clock time unset or jumped backwards, restored from recorded timestamp: Fri',
  ...TRUE_LINES,
].filter((line) => !line.includes('\n'));
const FACILITIES = [0, 1, 3, 16];
const CLOCK = { host: HOST, now: () => 1_800_000_000_000, steady: (wallMs: number) => wallMs };

/** "name[pid]: text" as its name and its text. */
function named(line: string): { program: string | null; text: string } {
  const [, program, text] = /^([\w.-]+(?:\[1\])?)(?:\[\d+\])?: (.*)$/.exec(line) ?? [];
  return { program: program ?? null, text: text ?? line };
}

function intake(source: string): { readonly intake: TextIntake; readonly emit: { text(record: TextRecord): void; samples(): void; event(): void; discovery(): void }; readonly records: TextRecord[] } {
  const records: TextRecord[] = [];
  const emit = { text: (record: TextRecord) => void records.push(record), samples() {}, event() {}, discovery() {} };
  return { intake: new TextIntake({ ...CLOCK, source, hosts: [], kernel: () => true, linesPerSecond: 100_000 }), emit, records };
} // biome-ignore format: signature

/** All of it is a tenant's, and so is each event that becomes of it; some become events. */
function endsAsTenant(records: readonly TextRecord[], least: number): void {
  const events = records.flatMap((record) => {
    const detection = new TextDetection(HOST);
    return [...detection.decode(record).events, ...detection.settle(CLOCK.now() + 3_600_000)];
  });
  assert.deepEqual(records.filter(({ trust }) => trust !== 'tenant').map(({ text }) => text), []); // biome-ignore format: one chain
  assert.deepEqual(events.filter(({ trust }) => trust !== 'tenant').map(({ kind }) => kind), []); // biome-ignore format: one chain
  assert.ok(events.length >= least, `${events.length} events of ${records.length} lines`);
}

test('into /dev/kmsg: the kernel gives it no facility of its own', () => {
  const facilities = FACILITIES.filter((facility) => facility !== 0);
  const written = (known: Attributes) =>
    facilities.flatMap((facility) =>
      LINES.map((text, sequence) => recordText({ sequence, timeMs: 1, observedMs: 2, text, priority: 2, facility }, '/dev/kmsg', known)),
    );
  endsAsTenant(written({}), 100);
  // With the number of a process of ours in it.
  endsAsTenant(written({ own_process: 'gpu' }), 10);
}); // biome-ignore format: one line

const WRITERS: Readonly<Record<string, Record<string, string>>> = {
  'a user': { _UID: '1000', _TRANSPORT: 'syslog', _EXE: '/usr/bin/logger', _SYSTEMD_UNIT: 'session-4.scope' },
  'a user into /dev/kmsg': { _TRANSPORT: 'kernel' },
  'a container, by its engine': { _UID: '0', _TRANSPORT: 'journal', _EXE: '/usr/bin/dockerd', _SYSTEMD_UNIT: 'docker.service' },
  'a container, by its standard output': { _UID: '0', _TRANSPORT: 'stdout', _EXE: '/usr/bin/conmon', _SYSTEMD_UNIT: 'libpod-1.scope' },
  'a log daemon': { _UID: '0', _TRANSPORT: 'journal', _EXE: '/usr/sbin/rsyslogd', _SYSTEMD_UNIT: 'rsyslog.service' },
}; // biome-ignore format: one writer a line

for (const [writer, known] of Object.entries(WRITERS))
  test(`into the journal: ${writer}`, () => {
    const { intake: into, emit, records } = intake('journal');
    for (const facility of FACILITIES.filter((each) => each !== 0 || known._TRANSPORT !== 'kernel'))
      for (const line of LINES) {
        const { program, text } = named(line);
        const fields = new Map(Object.entries({ ...known, MESSAGE: text, SYSLOG_FACILITY: String(facility), SYSLOG_IDENTIFIER: program ?? 'logger' })); // biome-ignore format: one line
        const entry = { fields, seqnum: 1, row: '5.1', bootId: '', wallMs: CLOCK.now(), cost: 0 };
        const found = entryLine(entry, { stream: 'journal/system', remote: false, history: false, host: null }, []);
        if (found !== null) into.take(found, emit);
      }
    endsAsTenant(records, 1);
  });

test('by syslog: with logger, a relay or a datagram, with any facility', async (t) => {
  const place = { way: 'tcp', address: { text: '127.0.0.1:0', host: '127.0.0.1', port: 0 } } as const;
  const source = new SyslogSource({ listen: [place], hosts: [], work: [], linesPerSecond: 100_000 }, { ...CLOCK, kernel: () => true }); // biome-ignore format: one line
  t.after(() => source.stop());
  const { emit, records } = intake('syslog-in');
  source.start(emit, new AbortController().signal);
  const port = await until(() => source.ports[0] ?? null, { what: 'the port' });
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  const sent = FACILITIES.flatMap((facility) => LINES.map((line) => `<${facility * 8 + 2}>${line}`));
  socket.end(`${sent.join('\n')}\n`);
  await until(() => source.counts()[0]?.reads === sent.length, { seen: () => source.counts() });
  endsAsTenant(records, 50);
});

test('by a log shipper or OTLP: whatever the record says of itself', () => {
  const { intake: into, emit, records } = intake('logs-in');
  const taking = { intake: into, emit, way: 'otlp', view: () => ({ works: [] }) as never, work: [], position: 0 };
  for (const line of LINES) {
    const { program, text } = named(line);
    const base = {
      message: text,
      SYSLOG_IDENTIFIER: program ?? 'kernel',
      _UID: '0',
      _EXE: '/usr/bin/nv-fabricmanager',
    };
    const shapes: readonly Fields[] = [
      { ...base, _SYSTEMD_UNIT: 'nvidia-fabricmanager.service', trust: 'system' },
      { ...base, message: line, _TRANSPORT: 'kernel', SYSLOG_FACILITY: '0' },
      { msg: line, sequence: 1, sec: 1, usec: 1, priority: 2 },
    ];
    for (const shape of shapes) {
      const read = recordLine(shape);
      if (read !== null) takeRecord(read, taking);
    }
  }
  endsAsTenant(records, 50);
});
