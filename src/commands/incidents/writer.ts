// Writer: says whether a daemon writes the log that is shown, and up to when the log speaks where none does.

import { type SignOfLife, signOfLife } from '../../incidents/log/alive.ts';
import { clockText, dayText } from '../../incidents/report/when.ts';
import type { CommandIo } from '../common/command-io.ts';

const LOOK_MS = 2_000;

/** Up to when what the log says holds: now while a daemon writes it, else its last sign of life. */
export function asOfMs({ writing, lastMs }: SignOfLife, nowMs: number): number {
  return writing || lastMs === null ? nowMs : Math.min(lastMs, nowMs);
}

/** Null while a daemon writes the log. */
export function silentText({ writing, lastMs }: SignOfLife, timeZone: string): string | null {
  if (writing) return null;
  const since = lastMs === null ? '' : ` since ${dayText(lastMs, timeZone)} ${clockText(lastMs, timeZone)}`;
  return `no daemon writes this log${since}. Start it: systemctl start faultline, or faultline run`;
}

/** Looks on while a list is followed, and says on stderr when the daemon ends and when it writes again. */
export function watchWriter(directory: string, first: SignOfLife, io: CommandIo, signal: AbortSignal): void {
  let writing = first.writing;
  let busy = false;
  const look = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    const sign = await signOfLife(directory, io.now());
    busy = false;
    if (signal.aborted || sign.writing === writing) return;
    writing = sign.writing;
    const text = silentText(sign, io.timeZone);
    io.stderr.write(`${text ?? 'a daemon writes this log again'}\n`);
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
