// Quiet: of a text in which nothing needs anyone the report still says what was seen, as a job's end on purpose.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

test('a job that reached its time limit makes no incident, and the report says that it did', async (t) => {
  const line = 'slurmstepd: error: *** JOB 4711 ON hx-9 CANCELLED AT 2026-11-20T10:00:01 DUE TO TIME LIMIT ***';
  const text = await scannedLogs(t, { 'slurm-4711.out': [line] });
  assert.match(text, /^No incident: 1 event, of which none needs anyone\.$/m);
  assert.match(text, /^Seen: 10:00:01 job cancelled: ".*DUE TO TIME LIMIT \*\*\*"\.$/m);
});
