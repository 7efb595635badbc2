// A scan of long logs: lines without a word of any rule are passed over, and what is found is the same as when every line is read.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FoundEvents } from '../../../src/commands/scan/found-events.ts';
import { Reading } from '../../../src/commands/scan/reading.ts';
import { Readings } from '../../../src/commands/scan/readings.ts';
import { Steps } from '../../../src/commands/scan/steps.ts';
import { wantedOf } from '../../../src/commands/scan/wanted.ts';
import { readLine } from '../../../src/sources/saved-text/form/read-line.ts';
import { drawer, linesOfTests, mutated } from '../../detection/text/words/known-lines.ts';
import { runs } from '../../runs.ts';

const SAVED_MS = Date.UTC(2026, 10, 28, 18);
/** A host that only lines which are passed over name stays unknown (SavedText), so that none of these names one. */
const KNOWN = [...linesOfTests('kernel-'), ...linesOfTests('job-')].filter(
  (line) => line.length < 400 && readLine(line).host === null && !line.includes('192.0.2.119'),
);
/**
 * Where few lines have a time, the last one that has may be passed over further above than is looked for it (skim.ts), and a line
 * without time is dated by the one before that: in a log without times no line has one.
 */
const UNDATED = KNOWN.filter((line) => readLine(line).stamp === null);

/** `zoned`: its lines have times that leave nothing to be assumed. */
async function found(bytes: Buffer, everyLine: boolean, zoned: boolean, pieces = 65_536): Promise<object> {
  const [events, steps, readings] = [new FoundEvents(), new Steps(), new Readings()];
  const reading = new Reading({ found: events, steps, readings, wanted: wantedOf({}, SAVED_MS), everyLine });
  async function* parts() {
    for (let at = 0; at < bytes.length; at += pieces) yield bytes.subarray(at, at + pieces);
  }
  await reading.read({ name: 'messages', savedMs: SAVED_MS, bytes: parts() });
  const { inputs } = reading;
  const [{ format, lines, assumed } = { format: '', lines: 0, assumed: [] }] = inputs;
  const of = Object.fromEntries(events.hosts.map((host) => [host, events.of([host])]));
  return {
    of,
    steps: steps.all,
    readings: readings.readings,
    states: readings.states,
    format,
    lines,
    // A line that is passed over may be the only one that has such a time: nothing is dated by it then.
    assumed: assumed.filter((what) => what !== 'boot_time' && !zoned),
  };
}

const CLOCK = (i: number): string => new Date(SAVED_MS - 36_000_000 + 500 * i).toISOString();
const HEADS: Readonly<Record<string, (i: number) => string>> = {
  rsyslog: (i) => `${CLOCK(i).slice(0, 23)}+00:00 node-a kernel: `,
  'syslog without a year': (i) => `Nov 28 ${CLOCK(i).slice(11, 19)} node-a kernel: `,
  dmesg: (i) => `[${(1000 + i / 2).toFixed(6)}] `,
  'a job with times': (i) => `[${CLOCK(i).slice(0, 19).replace('T', ' ')}] `,
  'a job without times': () => '',
  containers: (i) => `${CLOCK(i).slice(0, 23)}000001Z stdout F `,
};

for (const [form, head] of Object.entries(HEADS)) {
  test(`the same is found: ${form}`, async () => {
    const draw = drawer(form.length);
    const known = head(0) === '' ? UNDATED : KNOWN;
    for (let round = 0; round < runs(1, 40); round += 1) {
      const lines = Array.from({ length: 2500 }, (_, i) => {
        const changed = draw(30) === 0 ? mutated(known, draw) : '';
        // A head without its bracket may name one: "[kern.warning]"; a time without a year in it is of another log than the rest.
        const { host, stamp } = readLine(changed);
        const named = changed === '' || host !== null || (stamp?.kind === 'wall' && stamp.yearless);
        const line = named ? `connection ${draw(9999)} of port ${draw(65_535)} closed` : changed;
        return `${draw(9) === 0 ? '' : head(i)}${line}`;
      });
      const bytes = Buffer.from(`${lines.join('\n')}\n`);
      const zoned = /\+00:00 |Z stdout/.test(head(0));
      const whole = await found(bytes, true, zoned);
      assert.deepEqual(await found(bytes, false, zoned), whole);
      assert.deepEqual(await found(bytes, false, zoned, 7919), whole);
    }
  });
}
