// Writer: says whether a daemon writes the log that is shown, and up to when the log speaks where none does.

import { join } from 'node:path';
import { ask, socketCandidates } from '../../api/client.ts';
import { type SignOfLife, signOfLife } from '../../incidents/log/alive.ts';
import { CURRENT } from '../../incidents/log/files.ts';
import { clockText, dayText } from '../../incidents/report/when.ts';
import type { Incident } from '../../model/incident.ts';
import type { CommandIo } from '../common/command-io.ts';
import { type LogOptions, runtimeDirectoryOf } from '../common/incident-context.ts';

const LOOK_MS = 2_000;
const ANSWER_MS = 500;

/** A daemon that runs with this log and gives no sign of life in it. */
export interface Silenced {
  readonly pid: number | null;
  /** Why it does not write; null where it does not say. */
  readonly trouble: string | null;
}

/** Up to when what the log says holds: now while a daemon writes it, else its last sign of life. */
export function asOfMs({ writing, lastMs }: SignOfLife, nowMs: number): number {
  return writing || lastMs === null ? nowMs : Math.min(lastMs, nowMs);
}

/** Up to when an incident of this state is known to be open, where no daemon has written since; null where one does. */
export function silentSinceMs(state: Incident['state'], sign: SignOfLife | null, nowMs: number): number | null {
  return state === 'open' && sign?.writing === false ? asOfMs(sign, nowMs) : null;
}

/** Whether a daemon runs with this log and does not write it: its folder may be read-only. Asks only where no sign of life is there. */
export async function silenced(directory: string, sign: SignOfLife, options: LogOptions): Promise<Silenced | null> {
  if (sign.writing) return null;
  try {
    const sockets = socketCandidates(await runtimeDirectoryOf(options));
    const status = fields(await ask('GET', '/v1/status', sockets, {}, undefined, ANSWER_MS));
    if (status.incident_log !== join(directory, CURRENT)) return null;
    const { trouble } = fields(status.log);
    return {
      pid: typeof status.pid === 'number' ? status.pid : null,
      trouble: typeof trouble === 'string' ? trouble : null,
    };
  } catch {
    return null; // none listens, or this user may not ask it
  }
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Null while a daemon writes the log. `made` of its incidents: a demo's log has no daemon to be started. */
export function silentText(
  { writing, lastMs }: SignOfLife,
  timeZone: string,
  by: Silenced | null = null,
  made: readonly Incident['made'][] = [],
): string | null {
  if (writing) return null;
  if (by === null && made.length > 0 && made.every((each) => each === 'simulated'))
    return 'the demo that wrote this log is over';
  const since = lastMs === null ? '' : ` since ${dayText(lastMs, timeZone)} ${clockText(lastMs, timeZone)}`;
  if (by !== null) {
    const who = by.pid === null ? 'the daemon' : `the daemon (pid ${by.pid})`;
    const why = by.trouble ?? `it shows no sign of life in ${CURRENT}'s folder`;
    return `${who} runs, and has not written this log${since}: ${why}. What it found meanwhile is not listed here; faultline doctor shows its state`;
  }
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
