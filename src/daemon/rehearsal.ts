// Rehearsal: goes once through what a kernel line leads to, up to the bytes of its incident, so that the first real one does not
// wait for the compiler. On a pipeline of its own; nothing of it is written, published or kept.

import { IncidentLines } from '../incidents/log/incident-lines.ts';
import { RevisionLines } from '../incidents/log/revision-lines.ts';
import type { TextRecord } from '../model/record.ts';
import { native } from '../native.ts';
import { Pipeline } from './pipeline.ts';

/** Of the kinds that come first on most hosts; each leads through other decoders, rows and sentences. */
export const REHEARSED: readonly string[] = [
  'NVRM: Xid (PCI:0000:01:00): 48, pid=5000, name=train, DBE (double bit error)',
  'NVRM: Xid (PCI:0000:02:00): 79, pid=5000, name=train, GPU has fallen off the bus.',
  'nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0xffff',
  'EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x1 offset:0x0 grain:32 syndrome:0x0)',
  'mlx5_core 0000:03:00.0: poll_health:829:(pid 0): Fatal error 1 detected',
  'Out of memory: Killed process 5000 (python) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:1kB oom_score_adj:0',
  'INFO: task python:5000 blocked for more than 120 seconds.',
];
/** A line may be new to the compiler in two ways: as an incident of its own, and next to those that are open. */
const ROUNDS = 2;
/** Nothing is sampled: its detectors have no series. */
const CORE = { historySeconds: 10, maxSeries: 64 };

export interface RehearsalOptions {
  readonly host: string;
  readonly latenessMs: number;
  readonly holdMs: number;
  /** The steady clock, epoch ms. */
  readonly now: () => number;
  /** Aborted where the daemon ends meanwhile. */
  readonly signal: AbortSignal;
}

/** Resolves with the number of revisions that it went through; one line a turn of the thread, so that nothing waits for all of it. */
export async function rehearse({ host, latenessMs, holdMs, now, signal }: RehearsalOptions): Promise<number> {
  const core = new (native().Core)(CORE);
  const events = new IncidentLines([], 1000);
  const revisions = new RevisionLines();
  let revisionCount = 0;
  const pipeline = new Pipeline({
    host,
    core,
    latenessMs,
    holdMs,
    links: [],
    now,
    onEvent: () => undefined,
    onIncident: (incident) => {
      revisionCount += 1;
      events.newEvents(incident);
      revisions.line(incident);
    },
  });
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, text] of REHEARSED.entries()) {
        await new Promise((resolve) => setImmediate(resolve));
        if (signal.aborted) return revisionCount;
        pipeline.text(recordOf(text, round * REHEARSED.length + index, now()));
      }
    }
    pipeline.advance(now());
    pipeline.resolveOpen(now());
    return revisionCount;
  } finally {
    core.close();
  }
}

function recordOf(text: string, position: number, nowMs: number): TextRecord {
  return {
    source: 'kernel-log',
    trust: 'kernel',
    stream: 'rehearsal',
    position,
    timeMs: nowMs,
    timeDigits: 6,
    observedMs: nowMs,
    text,
    attributes: { priority: 3, facility: 0 },
  };
}
