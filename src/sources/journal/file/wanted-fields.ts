// Which fields of an entry are read, and how much of each; the others may be as large and as many as a program likes.

import { OF_CONTAINERS } from '../author.ts';

const MOST_MESSAGE = 65_536;
const MOST_OTHER = 1024;
export const MOST_NAME = 64;

const WANTED: ReadonlySet<string> = new Set([
  ...OF_CONTAINERS,
  'MESSAGE',
  'MESSAGE_ID',
  'PRIORITY',
  'SYSLOG_FACILITY',
  'SYSLOG_IDENTIFIER',
  '_COMM',
  '_EXE',
  '_HOSTNAME',
  '_MACHINE_ID',
  '_SOURCE_REALTIME_TIMESTAMP',
  '_SYSTEMD_UNIT',
  '_SYSTEMD_USER_UNIT',
  '_TRANSPORT',
  '_UID',
  'COREDUMP_COMM',
  'COREDUMP_EXE',
  'COREDUMP_FILENAME',
  'COREDUMP_PID',
  'COREDUMP_SIGNAL',
  'COREDUMP_TIMESTAMP',
  'COREDUMP_UNIT',
]);

/** Of a field: its name, "=", and as much of its value. */
export const MOST_FIELD = MOST_NAME + 1 + MOST_MESSAGE;

/** The name of the field that begins so; null where it is not read. */
export function wantedName(head: Buffer): string | null {
  const equals = head.subarray(0, MOST_NAME + 1).indexOf(0x3d);
  const name = equals < 1 ? '' : head.toString('latin1', 0, equals);
  return WANTED.has(name) ? name : null;
}

/** "MESSAGE=text"; what is binary is shown as it is read. */
export function wantedField(payload: Buffer): readonly [string, string] | null {
  const name = wantedName(payload);
  if (name === null) return null;
  const from = name.length + 1;
  return [name, payload.toString('utf8', from, from + (name === 'MESSAGE' ? MOST_MESSAGE : MOST_OTHER))];
}
