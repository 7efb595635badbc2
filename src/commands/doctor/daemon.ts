// Whether a daemon runs on this host, as it says itself: what doctor sees is what this user sees, not what the daemon does.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ask, socketCandidates } from '../../api/client.ts';
import type { Config } from '../../daemon/config.ts';
import { errorText } from '../../helpers/error-text.ts';
import { formatTime } from '../../model/time.ts';
import type { SinkHealth } from '../../sinks/sink.ts';
import type { SourceHealth } from '../../sources/source.ts';
import { type StateTrouble, stateTroubles, viewOf } from './daemon-view.ts';

/** A daemon answers within a few ms; one that hangs is reported as such. */
const ANSWER_MS = 500;

export interface DaemonSeen {
  /** "unknown": one is there, and does not answer or may not be asked by this user. */
  readonly state: 'runs' | 'none' | 'unknown';
  readonly pid: number | null;
  /** RFC 3339, to the second. */
  readonly since: string | null;
  readonly version: string | null;
  /** Why its incident log is not written; null where it is. */
  readonly log_trouble: string | null;
  /** Files that are to be remembered over a restart, and what is wrong with them; empty where nothing is. */
  readonly state_trouble: readonly StateTrouble[];
  /** How far the wall clock was set ahead of the clock that its times are by, since it started; negative: back. */
  readonly wall_clock_ahead_s: number | null;
  /** As it sees them itself; null where it could not be asked. */
  readonly sources: readonly SourceHealth[] | null;
  readonly sinks: readonly SinkHealth[] | null;
  /** The configuration that it runs with; null for the built-in defaults, or where it does not say. */
  readonly config: string | null;
  /** It sends nothing; null where it does not say. */
  readonly shadow: boolean | null;
  /** What is printed of it, a few lines. */
  readonly lines: readonly string[];
}

const NO_DAEMON = {
  pid: null,
  since: null,
  version: null,
  log_trouble: null,
  state_trouble: [],
  wall_clock_ahead_s: null,
  sources: null,
  sinks: null,
  config: null,
  shadow: null,
} as const;

/** Never throws; takes at most half a second for each socket that is listened on. `uid`: of whoever asks. */
export async function seeDaemon(
  { roots, directories }: Pick<Config, 'roots' | 'directories'>,
  uid = process.geteuid?.() ?? null,
  nowMs = Date.now(),
): Promise<DaemonSeen> {
  let status: unknown;
  try {
    status = await ask('GET', '/v1/status', socketCandidates(directories.runtime), {}, undefined, ANSWER_MS);
  } catch (error) {
    const message = errorText(error);
    if (!message.startsWith('FL1203 '))
      return {
        ...NO_DAEMON,
        state: 'unknown',
        lines: [message, 'the table is what this user can read, not what the daemon does'],
      };
    const line = `none runs here: the table is what this user${uid === null ? '' : ` (uid ${uid})`} can read; one that runs as a service may have other rights`;
    return { ...NO_DAEMON, state: 'none', lines: [line] };
  }
  const { pid, uptime_s: uptime, version, log, wall_clock_ahead_s: ahead, config, shadow } = record(status);
  const { trouble } = record(log);
  const seen = {
    pid: typeof pid === 'number' ? pid : null,
    since:
      typeof uptime === 'number' && uptime >= 0 && uptime * 1000 < nowMs ? formatTime(nowMs - uptime * 1000, 0) : null,
    version: typeof version === 'string' ? version : null,
    log_trouble: typeof trouble === 'string' ? trouble : null,
    state_trouble: stateTroubles(record(status)),
    wall_clock_ahead_s: typeof ahead === 'number' && Number.isFinite(ahead) ? ahead : null,
    ...viewOf(record(status)),
    config: typeof config === 'string' ? config : null,
    shadow: typeof shadow === 'boolean' ? shadow : null,
  };
  const owner = seen.pid === null ? null : await ownerOf(join(roots.proc, String(seen.pid)));
  const since = seen.since === null ? '' : ` since ${seen.since}`;
  const runs = `runs${since}: pid ${seen.pid ?? 'unknown'}, version ${seen.version ?? 'unknown'}; ${rights(owner, uid, seen.sources !== null)}`;
  const lost = seen.log_trouble === null ? [] : [`its incident log is not written: ${seen.log_trouble}`];
  return {
    ...seen,
    state: 'runs',
    lines: [runs, ...lost, ...seen.state_trouble.flatMap(stateLines), ...clockLine(seen.wall_clock_ahead_s ?? 0)],
  };
}

function stateLines({ unwritten, damaged }: StateTrouble): string[] {
  return [
    ...(unwritten === null ? [] : [`what it remembers is lost with a restart (FL1208): ${unwritten}`]),
    ...(damaged === null ? [] : [`what earlier runs remembered is lost (FL1209): ${damaged}`]),
  ];
}

/** Less is not noticeable between two logs. */
const APART_S = 1;

function clockLine(aheadS: number): string[] {
  if (Math.abs(aheadS) < APART_S) return [];
  const way = aheadS < 0 ? 'back' : 'forward';
  const by = `the clock was set ${way} by ${Math.abs(aheadS).toFixed(1)} s since it started (host.clock_jump)`;
  return [`${by}: times of its incidents differ by that from other logs until it is started again`];
}

function rights(owner: number | null, uid: number | null, reports: boolean): string {
  const other = owner === null ? 'another user perhaps' : `uid ${owner}, not ${uid ?? 'this one'}`;
  const who = owner !== null && owner === uid ? 'this user' : other;
  const table = reports ? 'what it sees' : 'what this user can read, for it does not report what it sees';
  return `as ${who}. The table is ${table}`;
}

async function ownerOf(path: string): Promise<number | null> {
  return await stat(path).then(
    (found) => found.uid,
    () => null,
  );
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
