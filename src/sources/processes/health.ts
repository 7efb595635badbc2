// Health of the process source: what is known of the work here, and what each step that is missing would need.

import type { HostProcesses } from '../../identity/host-processes.ts';
import type { PodFact, ProcessFact } from '../../identity/work/facts.ts';
import { unknownInterface } from '../../identity/work/nics-of-rank.ts';
import { containerOf } from '../../identity/work/ranks.ts';
import type { WorkView } from '../../identity/work/work.ts';
import { safeText } from '../../model/safe-text.ts';
import type { SourceHealth } from '../source.ts';
import { throughReader } from './reader.ts';
import { lostSteps, type Rights } from './rights.ts';

export interface ProcessState {
  readonly looked: boolean;
  readonly processes: Pick<HostProcesses, 'hanging' | 'reader'>;
  readonly view: WorkView | null;
  readonly facts: readonly ProcessFact[];
  readonly pods: readonly PodFact[];
  readonly rights: Omit<Rights, 'closed' | 'reader'>;
}

const MOST_SHOWN = 3;

export function processHealth({ looked, processes, view, facts, pods, rights }: ProcessState): SourceHealth {
  const source = 'processes';
  if (!looked || view === null) return { source, status: 'absent', detail: 'starting', remedy: null };
  const jobs = view.works.filter(({ isOver }) => isOver !== true).length;
  const ranks = view.works.flatMap((work) => work.ranks).length;
  const closed = facts.filter(({ readable }) => !readable).length;
  const notes = [
    ...lostSteps({ ...rights, closed, reader: processes.reader }),
    ...processes.hanging
      .slice(0, MOST_SHOWN)
      .map((path) => `${path} does not answer: that process may hang in the kernel`),
    ...interfaceNotes(facts, pods),
    ...view.conflicts.slice(0, MOST_SHOWN).map(({ about, reason }) => safeText(`${about}: ${reason}`)),
  ];
  const known = notes.length === 0 ? {} : { notes };
  const detail = `${counted(jobs, 'job')} here, ${counted(ranks, 'rank')}, ${facts.length} of their processes${throughReader(processes.reader)}`;
  if (rights.hidepid !== null || (closed > 0 && ranks === 0 && jobs > 0)) {
    const remedy = 'docs/guide/jobs.md#rights says what to give the service, and what each right is for';
    return { source, status: 'partial', detail, remedy, ...known };
  }
  return { source, status: 'works', detail, remedy: null, ...known };
}

/** In a network of its own an interface of a name is another one than the host's. */
function interfaceNotes(facts: readonly ProcessFact[], pods: readonly PodFact[]): string[] {
  const unknown = facts.flatMap((fact) => unknownInterface(fact, containerOf(fact, { pods })) ?? []);
  const [name] = unknown;
  if (name === undefined) return [];
  const where = unknown.length === 1 ? '1 process of a container' : `${unknown.length} processes of containers`;
  return [
    `${name} of ${where} names an interface of a network of its own: which card that is, is not known without hostNetwork or the annotation k8s.v1.cni.cncf.io/network-status`,
  ];
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
