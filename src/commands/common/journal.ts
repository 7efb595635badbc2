// Journal: whether standard error goes to systemd's journal, and what each level is called there.

import { fstatSync } from 'node:fs';

/** sd-daemon(3): the priority that a line begins with, by the level of pino. */
const PRIORITIES: readonly (readonly [atLeast: number, priority: number])[] = [
  [60, 2],
  [50, 3],
  [40, 4],
  [30, 6],
];
const DEBUG = 7;

/** systemd.exec(5), $JOURNAL_STREAM: device and inode of the stream, for programs whose output is redirected meanwhile. */
export function goesToJournal(stream: string | undefined, descriptor: number): boolean {
  const [, device, inode] = /^(\d{1,20}):(\d{1,20})$/.exec(stream ?? '') ?? [];
  if (device === undefined || inode === undefined) return false;
  try {
    const { dev, ino } = fstatSync(descriptor, { bigint: true });
    return dev === BigInt(device) && ino === BigInt(inode);
  } catch {
    return false;
  }
}

/** `<4>` for a warning. */
export function journalPrefix(level: number): string {
  return `<${PRIORITIES.find(([atLeast]) => level >= atLeast)?.[1] ?? DEBUG}>`;
}
