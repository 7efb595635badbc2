// What a scan gives a ticket: a quiet day in a line, the host that the lines name, and commands that a shell takes whole.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const MARKDOWN = ['--format', 'markdown'];

test('a quiet log is a line, and no failure', async (t) => {
  const text = await scannedLogs(
    t,
    { 'kern.log': ['Nov 21 03:10:00 hx-70 kernel: EXT4-fs (sda2): mounted filesystem with ordered data mode.'] },
    ...MARKDOWN,
  );
  assert.match(text, /^No incident: /);
});

test('what is said of a host that a table names is on that host, wherever the table was asked for', async (t) => {
  const text = await scannedLogs(
    t,
    {
      'states.txt': [
        'REASON               USER      TIMESTAMP           NODELIST',
        'Not responding       slurm     2026-11-21T03:10:02 hx-71',
      ],
    },
    ...MARKDOWN,
  );
  assert.match(text, /\*\*INCIDENT \w+\*\* on hx-71, /);
  assert.doesNotMatch(text, /the host of states/);
  assert.match(text, /`ipmi='ipmitool [^'`]+'`; `\$ipmi /);
});
