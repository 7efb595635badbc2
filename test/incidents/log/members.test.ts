// Members: what one incident writes while its members come one after the other grows with their number, not with its square.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Correlator } from '../../../src/correlation/correlator.ts';
import { IncidentBook } from '../../../src/incidents/lifecycle.ts';
import { RevisionLines } from '../../../src/incidents/log/revision-lines.ts';
import { makeEvent } from '../../../src/model/make-event.ts';

const HOST = 'node-3';
const T0 = 1_790_000_000_000;

/** A GPU is lost and the ranks of its job crash, one in 1.1 s: bytes of all lines, revisions, links in the last one. */
function written(members: number): { bytes: number; revisions: number; links: number } {
  const correlator = new Correlator({ host: HOST, latenessMs: 30_000, holdMs: 30_000 });
  const book = new IncidentBook(HOST, []);
  const lines = new RevisionLines();
  const found = { bytes: 0, revisions: 0, links: 0 };
  const gpu = { type: 'gpu', id: '0000:45:00.0' } as const;
  for (let i = 0; i < members - 1; i += 1)
    correlator.link({ from: gpu, to: { type: 'rank', id: `llama/${i}` }, relation: 'runs', source: 'host' });
  for (let i = 0; i < members; i += 1) {
    const timeMs = T0 + i * 1100;
    const when = { timeMs, observedMs: timeMs + 2, discriminator: i };
    const event =
      i === 0
        ? makeEvent(HOST, { kind: 'gpu.lost', component: gpu, trust: 'kernel', source: 'kernel-log', ...when })
        : makeEvent(HOST, {
            kind: 'job.rank_crashed',
            component: { type: 'rank', id: `llama/${i - 1}` },
            trust: 'tenant',
            source: 'job-log',
            ...when,
          });
    for (const explanation of correlator.observe(event)) {
      const incident = book.apply(explanation);
      if (incident === null) continue;
      found.bytes += lines.line(incident).length;
      found.revisions += 1;
      found.links = incident.chain.length;
    }
  }
  return found;
}

test('twice the members take twice the log, and 60 of them less than 100 KB', () => {
  const [some, more] = [written(30), written(60)];
  assert.ok(some.links > 25 && more.links > 55, `${some.links} and ${more.links} links`);
  assert.ok(some.revisions > 20, `${some.revisions} revisions`);
  assert.ok(more.bytes < 100_000, `${more.bytes} bytes`);
  assert.ok(more.bytes < 2.2 * some.bytes, `${some.bytes} and ${more.bytes} bytes`);
});
