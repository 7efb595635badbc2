// The dump of one rank of a generated job, in the shape of format 2.10.

import type { Entry, Group } from './job.ts';
import { pickled, Tuple, type Value, Wide } from './pickle.ts';

export interface DumpOptions {
  readonly rank: number;
  readonly groups: readonly Group[];
  readonly version: string;
  /** Newest entries kept. */
  readonly ring: number;
  readonly onlyActive: boolean;
  readonly frames: boolean;
  /** Start events were recorded. */
  readonly timing: boolean;
  /** What the watchdog did with operations that hung: it dumped before, gave them up, or ended them by its abort. */
  readonly watchdog?: 'dumped' | 'gave_up' | 'aborted';
  /** Entries of a run before a restart in place, which the ring still holds. */
  readonly before?: readonly Entry[];
}

/** Time 0 of generated jobs, epoch ms. */
export const EPOCH_MS = 1_795_818_000_000n;
const shared = new Map<string, Value>();

function frame(name: string, filename: string, line: number): Value {
  const key = `${name} ${filename} ${line}`;
  const known = shared.get(key) ?? { name, filename, line };
  shared.set(key, known);
  return known;
}

const texts = new WeakMap<Group, string>();
function ranksText(group: Group): string {
  const text = texts.get(group) ?? `[${group.ranks.join(', ')}]`;
  texts.set(group, text);
  return text;
}

export function dumpOf(entries: readonly Entry[], options: DumpOptions): Buffer {
  const { groups, rank, timing } = options;
  const own = groups.filter((group) => group.ranks.includes(rank));
  const config: Record<string, Value> = {};
  const status: Record<string, Value> = {};
  for (const [id, group] of own.entries()) {
    config[group.name] = { name: group.name, desc: group.desc, ranks: ranksText(group) };
    const of = entries.filter((entry) => entry.call.group === group);
    const last = (wanted: readonly string[]): number =>
      of.filter((entry) => wanted.includes(entry.state)).at(-1)?.sequence ?? -1;
    status[`${id}`] = {
      last_enqueued_collective: of.at(-1)?.sequence ?? -1,
      last_started_collective: timing ? last(['started', 'completed']) : -1,
      last_completed_collective: last(['completed']),
    };
  }
  const kept = [
    ...(options.before ?? []).map((entry, record) => ({ entry, record })),
    ...entries.map((entry, record) => ({ entry, record })),
  ]
    .slice(-options.ring)
    .filter(({ entry }) => !options.onlyActive || entry.state !== 'completed');
  return pickled({
    version: options.version,
    pg_config: config,
    [options.version === '2.10' ? 'comm_lib_version' : 'nccl_version']: '2.27.3',
    pg_status: status,
    entries: kept.flatMap(({ entry, record }) => {
      const pg = own.indexOf(entry.call.group);
      const { launched = [], ...call } = entry.call;
      // What was launched together is never marked itself: its end is.
      const state = entry.state === 'completed' ? 'completed' : 'scheduled';
      const members = launched.map((each) =>
        entryValue({ ...entry, state, call: { ...call, ...each } }, record, pg, options),
      );
      return [...members, entryValue(entry, record, pg, options)];
    }),
  });
}

const TIMEOUT_MS = 600_000;

function entryValue(entry: Entry, record: number, pg: number, { rank, frames, timing, watchdog }: DumpOptions): Value {
  const { call, sequence, createdMs } = entry;
  const p2p = call.peer !== undefined;
  const local = (of: number): number => call.group.ranks.indexOf(of);
  const pair = p2p ? ` ${local(rank)}${call.operation === 'send' ? '->' : '<-'}${local(call.peer ?? 0)}` : '';
  const created = (EPOCH_MS + BigInt(createdMs)) * 1_000_000n;
  const completed = (EPOCH_MS + BigInt(entry.completedMs ?? createdMs)) * 1_000_000n;
  const whole = call.elements * call.group.ranks.length;
  const gathered = call.operation.includes('all_gather');
  const scattered = call.operation.includes('reduce_scatter');
  const hung = entry.state !== 'completed';
  const state = hung && watchdog === 'aborted' ? 'completed' : !timing && hung ? 'scheduled' : entry.state;
  const discovered = hung ? created + BigInt(TIMEOUT_MS + 60_000) * 1_000_000n : completed + 2000n;
  return {
    ...(frames
      ? {
          frames: [
            frame(call.operation, '/usr/lib/torch/distributed/c10d.py', 12),
            frame('step', '/srv/loop.py', call.line),
            ...(call.callers ?? []).map((line) => frame('forward', '/srv/model.py', line)),
          ],
        }
      : {}),
    record_id: record,
    pg_id: pg,
    process_group: new Tuple([call.group.name, call.group.desc]),
    collective_seq_id: p2p ? entry.collectives : sequence,
    p2p_seq_id: p2p ? sequence : 0,
    op_id: sequence,
    profiling_name: `nccl:${call.operation}${pair}`,
    time_created_ns: new Wide(created),
    input_sizes: call.operation === 'barrier' ? [] : [[scattered ? whole : call.elements]],
    input_dtypes: [call.dtype],
    output_sizes: call.operation === 'barrier' ? [] : [[call.outputs ?? (gathered ? whole : call.elements)]],
    output_dtypes: [call.dtype],
    state,
    time_discovered_started_ns: timing && state !== 'scheduled' ? new Wide(created + 1000n) : null,
    time_discovered_completed_ns: state === 'completed' ? new Wide(discovered) : null,
    retired: state === 'completed' || watchdog === 'gave_up',
    timeout_ms: TIMEOUT_MS,
    is_p2p: p2p,
  };
}
