// Tests of the rehearsal: it goes through real incidents, ends when the daemon does, and changes nothing for what comes after it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pipeline } from '../../src/daemon/pipeline.ts';
import { REHEARSED, rehearse } from '../../src/daemon/rehearsal.ts';
import { decodeKernelLine, kernelContext } from '../../src/detection/text/kernel.ts';
import { incidentToDocument } from '../../src/model/documents/incident.ts';
import type { TextRecord } from '../../src/model/record.ts';
import { native } from '../../src/native.ts';

const START_MS = 1_800_000_000_000;
const OPTIONS = { host: 'node-3', latenessMs: 30_000, holdMs: 30_000, now: () => START_MS };

function record(text: string, timeMs = START_MS): TextRecord {
  const attributes = { priority: 3, facility: 0 };
  const read = { timeMs, timeDigits: 6, observedMs: timeMs };
  return { source: 'kernel-log', trust: 'kernel', stream: '/dev/kmsg', position: timeMs, ...read, text, attributes };
}

/** All revisions that these lines lead to. */
function published(lines: readonly string[]): object[] {
  const core = new (native().Core)({ historySeconds: 10, maxSeries: 64 });
  const revisions: object[] = [];
  const pipeline = new Pipeline({
    ...OPTIONS,
    core,
    links: [],
    onEvent: () => undefined,
    onIncident: (incident) => revisions.push(incidentToDocument(incident)),
  });
  for (const [index, line] of lines.entries()) pipeline.text(record(line, START_MS + index));
  pipeline.resolveOpen(START_MS + 60_000);
  core.close();
  return revisions;
}

test('each line that is rehearsed means something', () => {
  const meant = REHEARSED.map((line) => decodeKernelLine(record(line), kernelContext('node-3')).length > 0);
  assert.deepEqual(meant, REHEARSED.map(() => true)); // biome-ignore format: one line
});

test('the rehearsal goes through incidents that open and end, and changes nothing for those after it', async () => {
  const before = published(REHEARSED);
  const incidents = await rehearse({ ...OPTIONS, signal: new AbortController().signal });
  assert.ok(incidents > REHEARSED.length, `${incidents} revisions`);
  assert.deepEqual(published(REHEARSED), before);
});

test('the rehearsal ends with the daemon', async () => {
  const abort = new AbortController();
  abort.abort();
  assert.equal(await rehearse({ ...OPTIONS, signal: abort.signal }), 0);
});
