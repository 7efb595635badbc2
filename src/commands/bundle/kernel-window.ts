// Kernel window: the kernel's log from before the incident to after it, out of the ring, or out of the journal where the ring is closed or too short.

import { errorText } from '../../helpers/error-text.ts';
import type { Incident } from '../../model/incident.ts';
import { safeLines } from '../../model/safe-text.ts';
import { type KernelRecord, native } from '../../native.ts';
import { askProgram } from '../../sources/ask-program.ts';
import { probeKernelLog } from '../../sources/kernel-log/probe-kernel-log.ts';
import { collect } from '../probe/collect.ts';
import type { Part, PartContext } from './part.ts';

const BEFORE_MS = 30 * 60_000;
const AFTER_MS = 10 * 60_000;
const LONGEST_MS = 24 * 3_600_000;
const MOST_LINES = 20_000;
const MOST_BYTES = 4 * 1024 * 1024;
const QUIET_MS = 200;
const RING_MS = 3_000;
const JOURNAL_MS = 20_000;
const LEVELS = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'];

export interface TimeWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

export function windowAround({ openedMs, updatedMs, resolvedMs, chain }: Incident): TimeWindow {
  const first = Math.min(openedMs, ...chain.map(({ interval }) => interval.earliestMs));
  const toMs = (resolvedMs ?? updatedMs) + AFTER_MS;
  const fromMs = first - BEFORE_MS;
  return { fromMs, toMs: Math.min(toMs, fromMs + LONGEST_MS) };
}

export const kernelWindow: Part = {
  name: 'kernel.log',
  async take(context) {
    if (context.elsewhere !== null) return { leftOut: context.elsewhere };
    const window = windowAround(context.incident);
    const ring = await fromRing(context, window).catch((error: unknown) => ({ why: errorText(error) }));
    const journal =
      'text' in ring ? ring : await fromJournal(context, window).catch((error: unknown) => ({ why: errorText(error) }));
    if (!('text' in journal)) return { leftOut: `${'why' in ring ? ring.why : ''}; journal: ${journal.why}` };
    const { fromMs, toMs } = window;
    const span = `${new Date(fromMs).toISOString()} to ${new Date(toMs).toISOString()}`;
    return [{ path: 'kernel.log', what: `kernel log of ${span}`, text: journal.text }];
  },
};

type Found = { readonly text: string } | { readonly why: string };

async function fromRing({ config }: PartContext, window: TimeWindow): Promise<Found> {
  const path = config?.config.sources['kernel-log'].path ?? '/dev/kmsg';
  const { status, error } = await probeKernelLog(path);
  if (status !== 'works') return { why: `${path} cannot be read (${error})` };
  let [seen, since] = [0, 0];
  const { records } = await collect(
    (core) => new (native().KernelLog)(core, { path, userLines: true, fromStart: true }),
    RING_MS,
    (soFar, elapsedMs) => {
      if (soFar.records.length !== seen) since = elapsedMs;
      seen = soFar.records.length;
      return elapsedMs - since >= QUIET_MS;
    },
  );
  const inside = records.filter(({ timeMs }) => timeMs >= window.fromMs && timeMs <= window.toMs);
  const [oldest] = records;
  if (inside.length === 0 || oldest === undefined) return { why: `${path} holds no line of that time` };
  const text = `${inside.slice(0, MOST_LINES).map(lineOf).join('\n')}\n`;
  const gap = oldest.timeMs > window.fromMs ? `# the ring begins at ${new Date(oldest.timeMs).toISOString()}\n` : '';
  return { text: gap + text.slice(0, MOST_BYTES) };
}

function lineOf({ timeMs, priority, text }: KernelRecord): string {
  return `${new Date(timeMs).toISOString()} ${LEVELS[priority & 7] ?? ''}: ${safeLines(text)}`;
}

async function fromJournal({ paths, signal }: PartContext, { fromMs, toMs }: TimeWindow): Promise<Found> {
  const at = (ms: number) => `@${Math.floor(ms / 1000)}`;
  const words = ['--dmesg', '--boot=all', '--no-pager', '--quiet', '--utc', '--output=short-iso-precise'];
  const { text, status, complaint } = await askProgram(
    [...words, `--lines=${MOST_LINES}`, `--since=${at(fromMs)}`, `--until=${at(toMs)}`],
    {
      program: paths.journalctl,
      signal,
      deadlineMs: JOURNAL_MS,
      maxBytes: 4 * MOST_BYTES,
      environment: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
    },
  );
  if (status !== 0) return { why: complaint.trim().split('\n').at(-1) ?? `status ${status}` };
  return text.trim() === ''
    ? { why: 'it shows this user no line of that time' }
    : { text: safeLines(text).slice(0, MOST_BYTES) };
}
