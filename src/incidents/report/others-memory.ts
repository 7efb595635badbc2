// Others' memory: who holds a GPU whose memory ran out, as PyTorch's own words have it: more often than not a process of an earlier job.

import type { Incident } from '../../model/incident.ts';
import type { Special } from './special-step.ts';

const HOLDS = /\b(?:Process (\d{1,10})|this process) has (\d{1,6}(?:\.\d{1,4})?) ([KMG]iB) memory in use/g;
const CAPACITY = /\btotal capacity of (\d{1,6}(?:\.\d{1,4})?) ([KMG]iB)/;
/** What PyTorch itself has of the GPU: in use, and kept for later. */
const OWN = [
  /(\d{1,6}(?:\.\d{1,4})?) ([KMG]iB) is allocated by PyTorch/,
  /(\d{1,6}(?:\.\d{1,4})?) ([KMG]iB) is reserved by PyTorch/,
];
const GIB: Readonly<Record<string, number>> = { KiB: 2 ** -20, MiB: 2 ** -10, GiB: 1 };
const MOST = 4;
/** Of a whole GPU: a program that was to have it for itself lacks this. */
const MUCH = 0.25;

export interface OthersMemory {
  /** At most four, the largest first. */
  readonly pids: readonly string[];
  readonly gib: number;
}

interface Held {
  /** Undefined for "this process". */
  readonly pid: string | undefined;
  readonly gib: number;
}

/** Null where others held less than the program itself and little of the GPU, or the lines do not say. */
export function othersMemory({ root, events }: Pick<Incident, 'root' | 'events'>): OthersMemory | null {
  if (root.kind !== 'job.gpu_oom') return null;
  const event = events.find(({ id }) => id === root.eventId);
  for (const each of event?.evidence ?? []) {
    if (!('text' in each)) continue;
    const held = withItself(each.text, heldIn(each.text));
    const others = held
      .flatMap(({ pid, gib }) => (pid === undefined ? [] : [{ pid, gib }]))
      .sort((a, b) => b.gib - a.gib);
    const pids = [...new Set(others.map(({ pid }) => pid))].slice(0, MOST);
    const [own, theirs] = [sumOf(held.filter(({ pid }) => pid === undefined)), sumOf(others)];
    if (pids.length > 0 && (theirs > own || theirs >= MUCH * capacityOf(each.text))) return { pids, gib: theirs };
  }
  return null;
}

function heldIn(text: string): Held[] {
  return [...text.matchAll(HOLDS)].map(([, pid, size, unit]) => ({ pid, gib: gibOf(size, unit) }));
}

/**
 * In a container PyTorch does not know its number on the host, and calls itself "Process N". It is one of those where what it has
 * would not fit into the GPU next to them: the smallest that holds as much as PyTorch says of itself.
 */
function withItself(text: string, held: readonly Held[]): readonly Held[] {
  if (held.some(({ pid }) => pid === undefined)) return held;
  const [, size, unit] = CAPACITY.exec(text) ?? [];
  const own = OWN.reduce((sum, pattern) => sum + gibOf(...(pattern.exec(text)?.slice(1) ?? [])), 0);
  if (size === undefined || own === 0 || sumOf(held) + own <= gibOf(size, unit)) return held;
  const [itself] = held.filter(({ gib }) => gib >= own).sort((a, b) => a.gib - b.gib);
  return held.map((each) => (each === itself ? { pid: undefined, gib: each.gib } : each));
}

function capacityOf(text: string): number {
  const [, size, unit] = CAPACITY.exec(text) ?? [];
  return size === undefined ? Number.POSITIVE_INFINITY : gibOf(size, unit);
}

function gibOf(size = '0', unit = ''): number {
  return Number(size) * (GIB[unit] ?? 0);
}

function sumOf(held: readonly { readonly gib: number }[]): number {
  return held.reduce((sum, { gib }) => sum + gib, 0);
}

/** The program that ran out is hardly at fault where another one holds more of the GPU than it did. */
export function memoryOfOthers(incident: Incident): Special | null {
  const others = othersMemory(incident);
  if (others === null) return null;
  const { pids, gib } = others;
  const who = `${pids.length === 1 ? 'process' : 'processes'} ${pids.join(', ')}`;
  const holds = `${pids.length === 1 ? 'holds' : 'hold'} ${gib.toFixed(2)} GiB`;
  return {
    does: `see whose ${who} ${pids.length === 1 ? 'is, which' : 'are, which'} ${holds} of the GPU`,
    now: `on @, ps -o pid,user,lstart,args -p ${pids.join(',')}: end what an earlier job left there; of a job that runs, two were given one GPU. Where ps knows no such number it was counted in a container: nvidia-smi`,
    call: 'who runs @',
  };
}
