// logsOf: the files that a job's output goes to, and by whose rights each is read.

import type { NamedBy } from '../../model/native-files.ts';
import type { WrittenFile } from '../../native.ts';
import type { PodFact, ProcessFact, ScheduledJobFact } from './facts.ts';
import { containerOf } from './ranks.ts';
import type { WorkFile, WorkRank } from './work.ts';

type RankOfProcess = Pick<WorkRank, 'pid' | 'rank'>;

/** As many as a job's ranks have each their own here. */
const MOST = 32;
const KUBELET: NamedBy = [0];

interface Sayers {
  readonly scheduled: ScheduledJobFact | null;
  readonly pods: readonly PodFact[];
  readonly processes: readonly ProcessFact[];
}

/** What a user names is read by that user's rights; what the kubelet names by root's. Rising by path. `ranks`: of the job. */
export function logsOf({ scheduled, pods, processes }: Sayers, ranks: readonly RankOfProcess[] = []): WorkFile[] {
  const owner = processes.find(({ owner: [user] }) => user !== 0)?.owner ?? processes[0]?.owner ?? userOf(scheduled);
  const rankOf = new Map(ranks.flatMap(({ pid, rank }) => (pid === null ? [] : [[pid, rank] as const])));
  const ofPods = pods.flatMap(({ containers, knownBy: by }) =>
    containers.flatMap((container) => {
      if (container.log === null) return [];
      const here = processes.filter((each) => rankOf.has(each.pid) && containerOf(each, { pods }) === container);
      return [{ path: container.log, namedBy: KUBELET, knownBy: by, ...onlyRank(here, rankOf) }];
    }),
  );
  const printed = new Map(printedBy(processes, rankOf).map((file) => [file.path, file]));
  const logs = (scheduled?.logs ?? []).map((path): WorkFile => {
    const { rank, writer } = printed.get(path) ?? {};
    const known = { ...(rank === undefined ? {} : { rank }), ...(writer === undefined ? {} : { writer }) };
    return { path, namedBy: owner, knownBy: scheduled?.knownBy ?? '', ...known };
  });
  const paths = new Map([...printed.values(), ...logs, ...ofPods].map((file) => [file.path, file]));
  return [...paths.values()].sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, MOST);
}

function userOf(scheduled: ScheduledJobFact | null): NamedBy | null {
  return scheduled?.userId == null ? null : [scheduled.userId];
}

/** Of each process the nearest that there is. A file of several processes is one, whatever each of them calls it. */
function printedBy(processes: readonly ProcessFact[], rankOf: ReadonlyMap<number, number>): WorkFile[] {
  const files = new Map<string, WorkFile>();
  const writers = new Map<string, ProcessFact[]>();
  for (const process of processes) {
    const { pid, startTicks, owner, root, writes } = process;
    // Others may see other file systems than the process, and one that writes several files says nothing of one job.
    const others = root === '' ? [writes.filter(isOfReader), writes.filter(isOutputOfStarter)] : [];
    const nearest = [writes.filter(isOwnOutput), ...others.filter((found) => found.length === 1)];
    for (const { path, inode, by } of nearest.find((found) => found.length > 0) ?? []) {
      const key = inode === 0 ? root + path : `${inode} ${path}`;
      const writer = by === 'itself' ? { writer: { pid, startTicks, inode } } : {};
      if (!files.has(key)) files.set(key, { path: root + path, namedBy: owner, knownBy: HOW[by], ...writer });
      if (by === 'itself') writers.set(key, [...(writers.get(key) ?? []), process]);
    }
  }
  // Of a rank whose files are not known it may be the log as well.
  const all = processes.every(({ pid, writes }) => !rankOf.has(pid) || writes.length > 0);
  return [...files].map(([key, file]) => (all ? { ...file, ...onlyRank(writers.get(key) ?? [], rankOf) } : file));
}

/** What a rank starts prints where it prints. */
function onlyRank(processes: readonly ProcessFact[], rankOf: ReadonlyMap<number, number>): Pick<WorkFile, 'rank'> {
  const ranks = new Set(processes.map(({ pid, parent }) => rankOf.get(pid) ?? rankOf.get(parent)));
  const [rank] = ranks;
  return ranks.size === 1 && rank !== undefined ? { rank } : {};
}

const HOW: Readonly<Record<WrittenFile['by'], string>> = {
  itself: 'a process of the job prints into it',
  ancestor: 'what started a process of the job prints into it',
  pipe: 'what reads the output of a process writes it',
  group: 'a process of the same group writes it',
};

const isThere = ({ path }: WrittenFile): boolean => !path.endsWith(' (deleted)');
const isOwnOutput = (file: WrittenFile): boolean => file.by === 'itself' && file.output && isThere(file);
/** tee writes by a descriptor of its own. */
const isOfReader = (file: WrittenFile): boolean => file.by === 'pipe' && isThere(file);
const isOutputOfStarter = (file: WrittenFile): boolean => file.by === 'ancestor' && file.output && isThere(file);
