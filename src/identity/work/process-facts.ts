// ProcessFacts: what a look at the processes of a host found → facts of those that may be work.

import { join } from 'node:path';
import { recall, remember } from '../../helpers/remember.ts';
import type { EndedNow } from '../../model/native-processes.ts';
import type { ProcessRow, ProcessScan, WrittenFile } from '../../native.ts';
import { roleOf } from '../rank/role.ts';
import { saidByCommand } from '../rank/said-by-command.ts';
import { RANK_MARKERS } from '../rank/variables.ts';
import type { GroupPlace, ProcessFact } from './facts.ts';
import { frameworkOf } from './framework.ts';
import { groupPlace } from './group-place.ts';
import { launcherOf } from './launcher.ts';
import { numberOf } from './rank-belief.ts';
import { namedFolders } from './run-folders.ts';
import { processKey, type Works } from './works.ts';

/** Processes of a container share one text. */
const MAX_PLACES = 4096;
const MAX_ENDED = 4096;

export type Gone = Pick<ProcessFact, 'pid' | 'place'>;

interface Known {
  row: ProcessRow;
  writes: readonly WrittenFile[];
  libraries: readonly string[];
  devices: readonly string[];
}

export class ProcessFacts {
  readonly #proc: string;
  readonly #works: Works;
  readonly #known = new Map<number, Known>();
  readonly #places = new Map<string, GroupPlace>();
  /** Keys of those of which the end was known before a look found them gone. */
  readonly #ended = new Map<string, true>();

  /** `proc`: root of the procfs that was looked at. */
  constructor(proc: string, works: Works) {
    this.#proc = proc;
    this.#works = works;
  }

  /** Returns those that are gone. */
  take({ present, changed, writes }: ProcessScan): Gone[] {
    const there = new Set(present);
    const gone: Gone[] = [];
    for (const [pid, { row }] of this.#known) if (!there.has(pid)) gone.push(this.#drop(row));
    const news = new Set<Known>();
    for (const row of changed) {
      // It ended while the look was under way.
      if (this.#ended.has(processKey(row))) continue;
      const before = this.#known.get(row.pid);
      const same = before?.row.startTicks === row.startTicks ? before : undefined;
      if (before !== undefined && same === undefined) this.#drop(before.row);
      const known = { row, writes: same?.writes ?? [], libraries: same?.libraries ?? [], devices: same?.devices ?? [] }; // biome-ignore format: one line
      this.#known.set(row.pid, known);
      news.add(known);
    }
    for (const { pid, files, libraries, devices } of writes) {
      const known = this.#known.get(pid);
      if (known === undefined) continue;
      known.writes = files;
      known.devices = devices;
      // A library that was mapped once says what the process is.
      known.libraries = [...new Set([...known.libraries, ...libraries])];
      news.add(known);
    }
    for (const known of news) this.#works.processes.set(this.#factOf(known));
    return gone;
  }

  /** What ended since the last look, as far as it is known here; of a control group that is empty all that were in it. */
  ended({ processes, groups }: EndedNow): (Gone & { readonly agoMs: number })[] {
    const ends = new Map<Known, number>();
    for (const { pid, startTicks, agoMs } of processes) {
      const known = this.#known.get(pid);
      if (known?.row.startTicks === startTicks) ends.set(known, agoMs);
    }
    for (const { group, agoMs } of groups)
      for (const known of this.#known.values())
        if (!ends.has(known) && isIn(known.row.group, group)) ends.set(known, agoMs);
    for (const { row } of ends.keys()) remember(this.#ended, processKey(row), true, MAX_ENDED);
    return [...ends].map(([{ row }, agoMs]) => ({ ...this.#drop(row), agoMs }));
  }

  /**
   * Parents of those of whom nothing says which rank they are: what started them may, by its command line. Of Flux's tasks as well: what is
   * above their shell says in which instance the job runs.
   */
  startersOf(pids: readonly number[]): number[] {
    const isSaid = (variables: ProcessRow['variables']): boolean =>
      !('FLUX_JOB_ID' in variables) && RANK_MARKERS.some((name) => name in variables);
    const parents = pids.flatMap((pid) => {
      const row = this.#known.get(pid)?.row;
      return row === undefined || row.parent <= 1 || isSaid(row.variables) ? [] : row.parent;
    });
    return [...new Set(parents)];
  }

  #drop(row: ProcessRow): Gone {
    this.#known.delete(row.pid);
    this.#works.processes.drop(processKey(row));
    return { pid: row.pid, place: this.#placeOf(row.group) };
  }

  #placeOf(group: string): GroupPlace {
    return recall(this.#places, group, () => groupPlace(group), MAX_PLACES);
  }

  #factOf({ row, writes, libraries, devices }: Known): ProcessFact {
    const { pid, startTicks, startedMs, parent, owner, innerPid, group, variables, readable, ownMounts, command } = row;
    const rank = RANK_MARKERS.map((name) => numberOf(variables[name])).find((number) => number !== null);
    return {
      pid,
      startTicks,
      startedMs,
      parent,
      owner,
      innerPid,
      place: this.#placeOf(group),
      variables,
      readable,
      root: ownMounts ? join(this.#proc, String(pid), 'root') : '',
      role: roleOf(command, rank ?? 0, numberOf(variables.WORLD_SIZE)),
      launcher: launcherOf(command),
      said: saidByCommand(command),
      framework: frameworkOf(command, variables, libraries),
      folders: namedFolders(command, variables),
      writes,
      devices,
    };
  }
}

/** Whether a process with these control groups is below the one of this path. */
function isIn(groups: string, path: string): boolean {
  return groups.split('\n').some((line) => {
    const at = line.indexOf(':/');
    return at >= 0 && `${line.slice(at + 1)}/`.startsWith(`${path}/`);
  });
}
