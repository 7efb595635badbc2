// A job in NCCL's manner, run in steps of a simulated clock: hosts enqueue ahead, each GPU ends operations in order.

export interface Group {
  readonly name: string;
  readonly desc: string;
  readonly ranks: readonly number[];
}

export interface Call {
  readonly group: Group;
  /** all_reduce, all_gather …; send and recv with `peer`. */
  readonly operation: string;
  readonly elements: number;
  readonly dtype: string;
  readonly peer?: number;
  readonly line: number;
  /** Lines of the model's code that called it, innermost first. */
  readonly callers?: readonly number[];
  /** Elements of what it gives back, where they are not what the operation makes of its input. */
  readonly outputs?: number;
  /** Operations that were launched together under one number, this call being their end. */
  readonly launched?: readonly { readonly operation: string; readonly elements: number }[];
}

export interface Faults {
  /** The host enqueues nothing from this call on. */
  readonly stopsAt?: ReadonlyMap<number, number>;
  /** The GPU never ends this call, though its peers do. */
  readonly gpuDiesAt?: ReadonlyMap<number, number>;
  /** The GPU never starts this call. */
  readonly blockedAt?: ReadonlyMap<number, number>;
  /** This call of the first rank's program never ends for anybody. */
  readonly fabricAt?: { readonly rank: number; readonly call: number };
  /** How long a rank's host is busy otherwise before it enters this call; the job continues. */
  readonly pauses?: (rank: number, call: number) => number;
}

export interface Entry {
  readonly call: Call;
  readonly sequence: number;
  readonly createdMs: number;
  /** Of a send or receive: collectives of its group before it. */
  readonly collectives: number;
  state: 'scheduled' | 'started' | 'completed';
  /** When it came to that state. */
  startedMs?: number;
  completedMs?: number;
}

/** How far hosts may run ahead of their GPU. */
export const AHEAD = 6;

export function run(programs: readonly (readonly Call[])[], faults: Faults): Entry[][] {
  const entries: Entry[][] = programs.map(() => []);
  const done = programs.map(() => 0);
  const counters = new Map<string, number>();
  const free = programs.map(() => 0);
  let now = 0;
  for (let moved = true; moved; ) {
    moved = false;
    now += 1;
    for (const [rank, program] of programs.entries()) {
      const own = entries[rank] ?? [];
      const stop = faults.stopsAt?.get(rank) ?? program.length;
      const next = program[own.length];
      if (next === undefined || own.length >= stop || own.length - (done[rank] ?? 0) >= AHEAD) continue;
      if ((free[rank] ?? 0) > now) {
        moved = true;
        continue;
      }
      const counter = `${rank} ${next.group.name} ${next.peer === undefined}`; // of groups with one name a rank has one
      const sequence = (counters.get(counter) ?? 0) + 1;
      counters.set(counter, sequence);
      const collectives = counters.get(`${rank} ${next.group.name} true`) ?? 0;
      own.push({ call: next, sequence, createdMs: now, collectives, state: 'scheduled' });
      free[rank] = now + (faults.pauses?.(rank, own.length) ?? 0);
      moved = true;
    }
    if (finish(entries, done, faults, now)) moved = true;
  }
  return entries;
}

function finish(entries: readonly Entry[][], done: number[], faults: Faults, now: number): boolean {
  let moved = false;
  const front = (rank: number): Entry | undefined => entries[rank]?.[done[rank] ?? 0];
  for (const rank of entries.keys()) {
    const entry = front(rank);
    if (entry === undefined || entry.state !== 'scheduled' || faults.blockedAt?.get(rank) === done[rank]) continue;
    entry.state = 'started';
    entry.startedMs = now;
    moved = true;
  }
  for (const rank of entries.keys()) {
    const entry = front(rank);
    if (entry?.state !== 'started') continue;
    const { call } = entry;
    // Whoever looks sees the same: the first member does for all.
    if (call.peer === undefined && call.group.ranks[0] !== rank) continue;
    const members = call.peer === undefined ? call.group.ranks : [rank, call.peer];
    const fronts = members.map(front);
    if (!fronts.every((other) => other?.state === 'started' && meets(entry, other, rank))) continue;
    const { fabricAt } = faults;
    if (fabricAt && members.includes(fabricAt.rank) && done[fabricAt.rank] === fabricAt.call) continue;
    for (const member of members) {
      const other = front(member);
      if (other === undefined) continue;
      // A GPU that died is taken for present by its peers, and never gets past this itself.
      if (faults.gpuDiesAt?.get(member) === done[member]) continue;
      other.state = 'completed';
      other.completedMs = now;
      done[member] = (done[member] ?? 0) + 1;
      moved = true;
    }
  }
  return moved;
}

function meets(a: Entry, b: Entry, rank: number): boolean {
  if (a === b) return true;
  if (a.call.group !== b.call.group) return false;
  if (a.call.peer !== undefined) {
    return b.call.peer === rank && a.call.operation !== b.call.operation && a.call.elements === b.call.elements;
  }
  const same = a.call.operation === b.call.operation && a.call.elements === b.call.elements;
  const uneven = a.call.operation === 'all_to_all' && b.call.operation === 'all_to_all';
  const together = JSON.stringify(a.call.launched) === JSON.stringify(b.call.launched);
  return a.sequence === b.sequence && (same || uneven) && together && a.call.dtype === b.call.dtype;
}
