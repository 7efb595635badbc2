// Every row of the catalogues of kernel and daemon lines is read alike while it comes and from a file, whatever is before it there, and
// leads to a kind with an action and a runbook.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import servers from '#catalog/file-servers.json' with { type: 'json' };
import { FoundEvents } from '../../../src/commands/scan/found-events.ts';
import { Reading } from '../../../src/commands/scan/reading.ts';
import { Readings } from '../../../src/commands/scan/readings.ts';
import { Steps } from '../../../src/commands/scan/steps.ts';
import { wantedOf } from '../../../src/commands/scan/wanted.ts';
import { DEVICE_ROWS } from '../../../src/detection/text/kernel/device-line.ts';
import { SUBSYSTEM_ROWS } from '../../../src/detection/text/kernel/subsystem-line.ts';
import { PROGRAM_ROWS } from '../../../src/detection/text/programs/program-rows.ts';
import { TextDetection } from '../../../src/detection/text/text-detection.ts';
import { runbookOf } from '../../../src/incidents/report/advice.ts';
import { ACTIONS } from '../../../src/model/action.ts';
import { isKind, kindInfo } from '../../../src/model/kind.ts';
import { installationRoot } from '../../../src/native.ts';
import { kernelRecord, START_MS } from '../../detection/text/lines.ts';

const ISO = new Date(START_MS).toISOString();
const UP = '5000.000000';

/** What is before a line of the kernel in what people save and send. */
const OF_KERNEL: Readonly<Record<string, (text: string) => string>> = {
  'dmesg': (text) => `[${UP}] ${text}`,
  'dmesg -x': (text) => `kern  :warn  : [${UP}] ${text}`,
  'dmesg --time-format iso': (text) => `${ISO.slice(0, 19)},000000+00:00 ${text}`,
  'dmesg -T': (text) => `[Fri Nov 27 12:00:00 2026] ${text}`,
  'the device': (text) => `4,17,5000000000,-;${text}`,
  'short of the journal': (text) => `Nov 27 12:00:00 node-1 kernel: ${text}`,
  'short-iso of the journal': (text) => `2026-11-27T12:00:00+0000 node-1 kernel: ${text}`,
  'JSON of the journal': (text) => JSON.stringify({ MESSAGE: text, _HOSTNAME: 'node-1', _TRANSPORT: 'kernel', __REALTIME_TIMESTAMP: String(START_MS * 1000) }),
  'RFC 3164': (text) => `<4>Nov 27 12:00:00 node-1 kernel: [ ${UP}] ${text}`,
  'RFC 5424': (text) => `<4>1 ${ISO} node-1 kernel - - - ${text}`,
  'Talos': (text) => `192.0.2.7: kern: warning: [${ISO}]: ${text}`,
  'pdsh': (text) => `node-1: [${UP}] ${text}`,
  'nothing': (text) => text,
}; // biome-ignore format: one form a line

const OF_PROGRAMS: Readonly<Record<string, (program: string, text: string) => string>> = {
  'short of the journal': (program, text) => `Nov 27 12:00:00 node-1 ${program}[812]: ${text}`,
  'short-iso of the journal': (program, text) => `2026-11-27T12:00:00+0000 node-1 ${program}[812]: ${text}`,
  'JSON of the journal': (program, text) => JSON.stringify({ MESSAGE: text, _HOSTNAME: 'node-1', _TRANSPORT: 'syslog', SYSLOG_IDENTIFIER: program, SYSLOG_FACILITY: '3', _PID: '812', __REALTIME_TIMESTAMP: String(START_MS * 1000) }),
  'RFC 3164': (program, text) => `<28>Nov 27 12:00:00 node-1 ${program}[812]: ${text}`,
  'RFC 5424': (program, text) => `<28>1 ${ISO} node-1 ${program} 812 - - ${text}`,
  'pdsh': (program, text) => `node-1: Nov 27 12:00:00 node-1 ${program}[812]: ${text}`,
}; // biome-ignore format: one form a line

async function* once(text: string): AsyncGenerator<Buffer, void, undefined> {
  yield Buffer.from(text);
}

/** The kinds of the events that each line alone is, one input after the other: the words are looked for as in any scan. */
function scanner(): (line: string) => Promise<string[]> {
  const events: string[] = [];
  const found = new FoundEvents();
  found.add = (_host, { kind }) => void events.push(kind);
  const reading = new Reading({ found, steps: new Steps(), readings: new Readings(), wanted: wantedOf({}, START_MS) });
  return async (line) => {
    events.length = 0;
    await reading.read({ name: '/logs/messages', savedMs: START_MS, bytes: once(`${line}\n`) });
    return [...new Set(events)].sort();
  };
}

function live(text: string, facility: number): string[] {
  const detection = new TextDetection('node-1');
  const record = { ...kernelRecord(text), attributes: { priority: 4, facility } };
  const events = [...detection.decode(record).events, ...detection.settle(Number.POSITIVE_INFINITY)];
  return [...new Set(events.map(({ kind }) => kind))].sort();
}

const KERNEL_ROWS = [...SUBSYSTEM_ROWS, ...DEVICE_ROWS, ...servers.rows.filter(({ client }) => client !== 'mmfs')];

for (const [name, form] of Object.entries(OF_KERNEL))
  test(`a line of the kernel behind ${name} is read as it is while it comes`, async () => {
    const scanned = scanner();
    for (const { example, kind } of KERNEL_ROWS) {
      assert.deepEqual(live(example, 0), [kind], example);
      assert.deepEqual(await scanned(form(example)), [kind], form(example));
    }
  });

for (const [name, form] of Object.entries(OF_PROGRAMS))
  test(`a line of a daemon behind ${name} is read as it is while it comes`, async () => {
    const scanned = scanner();
    for (const { program, example, kind, state } of PROGRAM_ROWS) {
      const now = live(`${program}[812]: ${example}`, 3);
      // A clock that was not wrong before is not set right.
      const isEndAlone = kind === 'host.clock_wrong' && state === 'clear';
      assert.equal(now.length, isEndAlone ? 0 : 1, example);
      assert.deepEqual(await scanned(form(program, example)), now, form(program, example));
    }
  });

test('each row says where it is from, and its kind has an action and a section of a runbook', () => {
  const root = installationRoot();
  for (const row of [...KERNEL_ROWS, ...PROGRAM_ROWS, ...servers.rows]) {
    const { kind, example } = row;
    assert.ok('source' in row && typeof row.source === 'string' && row.source.length > 8, example);
    assert.ok(isKind(kind), example);
    assert.ok(ACTIONS.includes(kindInfo(kind).action), example);
    const [page = ''] = runbookOf(kind).split('#');
    assert.ok(readFileSync(join(root, page), 'utf8').includes(`\n## ${kind}\n`), example);
  }
});
