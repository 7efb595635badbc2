// Health of the process source: what is known of the work here, and what each step that is missing would need.

import type { HostProcesses } from '../../identity/host-processes.ts';
import type { ProcessFact } from '../../identity/work/facts.ts';
import type { WorkView } from '../../identity/work/work.ts';
import { safeText } from '../../model/safe-text.ts';
import type { SourceHealth } from '../source.ts';

export interface ProcessState {
  readonly looked: boolean;
  readonly processes: Pick<HostProcesses, 'refused' | 'hanging'>;
  readonly view: WorkView | null;
  readonly facts: readonly ProcessFact[];
}

const MOST_SHOWN = 3;

export function processHealth({ looked, processes, view, facts }: ProcessState): SourceHealth {
  const source = 'processes';
  if (!looked || view === null) return { source, status: 'absent', detail: 'starting', remedy: null };
  const ranks = view.works.flatMap((work) => work.ranks);
  const closed = facts.filter(({ readable }) => !readable).length;
  const notes = [
    ...(closed === 0
      ? []
      : [
          `environment: ${closed} processes of jobs and containers may not be read; ranks that only it tells are not known`,
        ]),
    ...processes.hanging
      .slice(0, MOST_SHOWN)
      .map((path) => `${path} does not answer: that process may hang in the kernel`),
    ...view.conflicts.slice(0, MOST_SHOWN).map(({ about, reason }) => safeText(`${about}: ${reason}`)),
  ];
  const known = notes.length === 0 ? {} : { notes };
  const detail = `${view.works.length} jobs here, ${ranks.length} ranks, ${facts.length} processes of work`;
  if (closed > 0 && ranks.length === 0) {
    const remedy = 'add CAP_PERFMON (before Linux 6.15: CAP_SYS_PTRACE) to the service: docs/guide/jobs.md';
    return { source, status: 'partial', detail, remedy, ...known };
  }
  return { source, status: 'works', detail, remedy: null, ...known };
}
