// Held notifications: what people were not sent and why, as the running daemon remembers it; null where none answers.

import { ask, socketCandidates } from '../../api/client.ts';
import { parseTime } from '../../model/time.ts';
import { type LogOptions, runtimeDirectoryOf } from '../common/incident-context.ts';

const ANSWER_MS = 3000;

/** Reason → how many. */
export type HeldNotifications = ReadonlyMap<string, number>;

export async function heldNotifications(options: LogOptions, sinceMs: number): Promise<HeldNotifications | null> {
  // A log that is named may be of another host than the daemon here.
  if (options.logDirectory !== undefined) return null;
  try {
    const sockets = socketCandidates(await runtimeDirectoryOf(options));
    const answer = await ask('GET', '/v1/notifications?state=held', sockets, {}, undefined, ANSWER_MS);
    return countHeld(answer, sinceMs);
  } catch {
    return null;
  }
}

export function countHeld(answer: unknown, sinceMs: number): HeldNotifications {
  const { notifications = [] } = (answer ?? {}) as { notifications?: readonly Record<string, unknown>[] }; // of our own daemon
  const counts = new Map<string, number>();
  for (const { state, at, detail } of notifications) {
    const atMs = parseTime(String(at))?.epochMs ?? 0;
    if (state !== 'held' || atMs < sinceMs) continue;
    const why = typeof detail === 'string' && detail !== '' ? detail : 'no reason is kept';
    counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  return counts;
}
