// Sent marks: the journal is never ahead of the spool, and behind it only while the disk is.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { SentJournal, type SentPart } from '../../../../src/sinks/delivery/journal/sent-journal.ts';
import { SentMarks } from '../../../../src/sinks/delivery/journal/sent-marks.ts';
import { DiskLane } from '../../../../src/sinks/delivery/spool/disk-lane.ts';
import { stateDirectory } from '../../otlp/harness.ts';

const lane = new DiskLane();
const at = (revision: number) => ({ id: '7f3c41d2a0b1', revision });

function parts(list: SentPart[]) {
  return {
    get unnoted() {
      return list.length;
    },
    takeUnnoted: (count: number) => list.splice(0, count),
  };
}

test('a revision is written down once what was handed over before it is on disk, and not while it waits in memory', async () => {
  const journal = new SentJournal(join(stateDirectory(), 'sent'), lane);
  const disk = { takes: false };
  const list = [{ incidentId: '7f3c41d2a0b1', part: 'e-1' }];
  const marks = new SentMarks(journal, async () => disk.takes, parts(list));
  marks.handedOver(at(1));
  await marks.write();
  assert.deepEqual([journal.mark, journal.parts.size, list.length], [null, 0, 1]);
  disk.takes = true;
  await marks.write();
  assert.deepEqual([journal.mark, journal.parts.size, list.length], [at(1), 1, 0]);
});

test('what comes during a flush is in the next mark, not in this one', async () => {
  const journal = new SentJournal(join(stateDirectory(), 'sent'), lane);
  const seen: (number | undefined)[] = [];
  const flushes = [Promise.withResolvers<boolean>(), Promise.withResolvers<boolean>()];
  let flushed = 0;
  const marks: SentMarks = new SentMarks(journal, () => {
    seen.push(journal.mark?.revision);
    const flush = flushes[flushed] ?? Promise.withResolvers<boolean>();
    flushed += 1;
    return flush.promise;
  });
  marks.handedOver(at(1));
  const first = marks.write();
  marks.handedOver(at(2));
  const second = marks.write();
  flushes[0]?.resolve(true);
  flushes[1]?.resolve(true);
  await Promise.all([first, second]);
  assert.deepEqual(seen, [undefined, 1]);
  assert.deepEqual(journal.mark, at(2));
});
