// What one entry of the journal is: a line of the kernel, of a program, of a job's unit; or the core dump of a process.

import { matchesWildcard } from '../../helpers/wildcard.ts';
import type { EventInput } from '../../model/record.ts';
import { safeText } from '../../model/safe-text.ts';
import type { LineIn } from '../text-in/line-in.ts';
import { authorTrust } from './author.ts';
import type { JournalEntry } from './file/journal-file.ts';
import type { UnitWork } from './settings.ts';

/** SD_MESSAGE_COREDUMP (systemd, src/systemd/sd-messages.h). */
const COREDUMP = 'fc2e22bc6ee647b6b90729ab34a250b1';
/** Signals by which a program itself, or its memory, is at fault: SIGILL, SIGBUS, SIGFPE, SIGSEGV. Who aborts says why in its own log. */
const CRASHES: ReadonlySet<number> = new Set([4, 7, 8, 11]);
const MOST_APART_MS = 60_000;

export interface EntryPlace {
  readonly stream: string;
  /** The file was written by another machine's sender, who may have written anything. */
  readonly remote: boolean;
  readonly history: boolean;
  /** Null where it is this machine's, whatever it is called. */
  readonly host: string | null;
}

export function entryLine(entry: JournalEntry, place: EntryPlace, work: readonly UnitWork[]): LineIn | null {
  const { fields, seqnum, row } = entry;
  const text = fields.get('MESSAGE');
  if (text === undefined) return null;
  const facility = numberOf(fields, 'SYSLOG_FACILITY') ?? 1;
  // What programs write into /dev/kmsg comes the same way, and keeps its facility.
  const kernel = fields.get('_TRANSPORT') === 'kernel' && facility === 0;
  const unit = unitWork(fields, work);
  return {
    stream: place.stream,
    position: seqnum,
    row,
    wallMs: timeOf(entry),
    digits: 6,
    host: place.host,
    kernel,
    facility,
    priority: numberOf(fields, 'PRIORITY') ?? 6,
    program: programOf(fields),
    text,
    trust: place.remote ? 'tenant' : kernel ? 'kernel' : unit === null ? authorTrust(fields) : 'tenant',
    job: unit?.job ?? null,
    service: unit?.service ?? null,
    history: place.history,
  };
}

/** Under the name by which a syslog has it: process 1 is "systemd[1]", since every user may have a systemd. */
function programOf(fields: ReadonlyMap<string, string>): string | null {
  const name = fields.get('SYSLOG_IDENTIFIER') ?? fields.get('_COMM') ?? null;
  return name === 'systemd' && fields.get('_PID') === '1' ? 'systemd[1]' : name;
}

/** The crash of a process that systemd-coredump kept; null for every other entry. A user can make any program of theirs crash. */
export function coreDump(
  entry: JournalEntry,
  place: EntryPlace,
  host: string,
  times: { wallMs: (wallMs: number) => number; observedMs: number },
): EventInput | null {
  const { fields, seqnum, row } = entry;
  if (fields.get('MESSAGE_ID') !== COREDUMP || place.host !== null) return null;
  const signal = numberOf(fields, 'COREDUMP_SIGNAL');
  const pid = numberOf(fields, 'COREDUMP_PID');
  if (signal === null || pid === null || !CRASHES.has(signal)) return null;
  const stampUs = numberOf(fields, 'COREDUMP_TIMESTAMP');
  const wallMs = stampUs === null ? entry.wallMs : stampUs / 1000;
  const timeMs = times.wallMs(Math.min(wallMs, entry.wallMs));
  const text = fields.get('MESSAGE')?.split('\n', 1)[0] ?? `process ${pid} dumped core`;
  const said = (name: string, field: string) => {
    const value = fields.get(field);
    return value === undefined ? {} : { [name]: safeText(value.slice(0, 256)) };
  };
  return {
    kind: 'process.segfault',
    component: { type: 'process', id: String(pid), host },
    timeMs,
    timeDigits: 6,
    observedMs: times.observedMs,
    trust: 'tenant',
    source: 'journal',
    attributes: {
      pid,
      signal,
      ...said('process', 'COREDUMP_COMM'),
      ...said('executable', 'COREDUMP_EXE'),
      ...said('core_file', 'COREDUMP_FILENAME'),
      ...said('unit', 'COREDUMP_UNIT'),
      ...(place.history ? { history: true } : {}),
    },
    evidence: [{ source: 'journal', timeMs, text: safeText(text.slice(0, 1024)) }],
    discriminator: `${place.stream}:${row}:${seqnum}`,
  };
}

function unitWork(fields: ReadonlyMap<string, string>, work: readonly UnitWork[]): UnitWork | null {
  if (work.length === 0) return null;
  const names = [fields.get('_SYSTEMD_UNIT'), fields.get('_SYSTEMD_USER_UNIT')].filter((name) => name !== undefined);
  return work.find(({ unit }) => names.some((name) => matchesWildcard(name, unit))) ?? null;
}

/** The source's own time, where it is not far from when it came. */
function timeOf({ fields, wallMs }: JournalEntry): number {
  const ownUs = numberOf(fields, '_SOURCE_REALTIME_TIMESTAMP');
  return ownUs !== null && Math.abs(ownUs / 1000 - wallMs) <= MOST_APART_MS ? ownUs / 1000 : wallMs;
}

function numberOf(fields: ReadonlyMap<string, string>, name: string): number | null {
  const text = fields.get(name);
  return text !== undefined && /^\d{1,20}$/.test(text) ? Number(text) : null;
}
