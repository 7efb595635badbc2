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

export function dumpOf(entries: readonly Entry[], options: DumpOptions): Buffer {
  const { groups, rank, timing } = options;
  const own = groups.filter((group) => group.ranks.includes(rank));
  const config: Record<string, Value> = {};
  const status: Record<string, Value> = {};
  for (const [id, group] of own.entries()) {
    config[group.name] = { name: group.name, desc: group.desc, ranks: `[${group.ranks.join(', ')}]` };
    const of = entries.filter((entry) => entry.call.group === group);
    const last = (wanted: readonly string[]): number =>
      of.filter((entry) => wanted.includes(entry.state)).at(-1)?.sequence ?? -1;
    status[`${id}`] = {
      last_enqueued_collective: of.at(-1)?.sequence ?? -1,
      last_started_collective: timing ? last(['started', 'completed']) : -1,
      last_completed_collective: last(['completed']),
    };
  }
  const kept = entries
    .map((entry, record) => ({ entry, record }))
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

function entryValue(entry: Entry, record: number, pg: number, { rank, frames, timing }: DumpOptions): Value {
  const { call, sequence, createdMs } = entry;
  const p2p = call.peer !== undefined;
  const local = (of: number): number => call.group.ranks.indexOf(of);
  const pair = p2p ? ` ${local(rank)}${call.operation === 'send' ? '->' : '<-'}${local(call.peer ?? 0)}` : '';
  const created = (EPOCH_MS + BigInt(createdMs)) * 1_000_000n;
  const completed = (EPOCH_MS + BigInt(entry.completedMs ?? createdMs)) * 1_000_000n;
  const whole = call.elements * call.group.ranks.length;
  const gathered = call.operation.includes('all_gather');
  const scattered = call.operation.includes('reduce_scatter');
  const state = !timing && entry.state === 'started' ? 'scheduled' : entry.state;
  return {
    ...(frames
      ? {
          frames: [
            frame(call.operation, '/usr/lib/torch/distributed/c10d.py', 12),
            frame('step', '/srv/loop.py', call.line),
          ],
        }
      : {}),
    record_id: record,
    pg_id: pg,
    process_group: new Tuple([call.group.name, call.group.desc]),
    collective_seq_id: p2p ? 0 : sequence,
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
    time_discovered_completed_ns: state === 'completed' ? new Wide(completed + 2000n) : null,
    retired: state === 'completed',
    timeout_ms: 600_000,
    is_p2p: p2p,
  };
}
