// Where state, log and socket live when the configuration does not say: systemd's folders, root's, or the user's.

import { isAbsolute, join } from 'node:path';

export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Effective user id; null where the platform has none. */
  readonly uid: number | null;
  readonly home: string;
  readonly hostname: string;
  /** Read where no other file is named; /etc/faultline/faultline.yaml when left out. */
  readonly standardFile?: string;
}

export interface Directories {
  readonly state: string;
  readonly log: string;
  readonly runtime: string;
}

/** The first absolute path of a list that systemd separates by colons. */
function first(list: string | undefined): string | undefined {
  return list?.split(':').find((path) => isAbsolute(path));
}

export function standardDirectories({ environment, uid, home }: Surroundings): Directories {
  const user = uid !== 0;
  const state = user
    ? join(first(environment.XDG_STATE_HOME) ?? join(home, '.local', 'state'), 'faultline')
    : '/var/lib/faultline';
  const runtime = first(environment.XDG_RUNTIME_DIR);
  return {
    state: first(environment.STATE_DIRECTORY) ?? state,
    log: first(environment.LOGS_DIRECTORY) ?? (user ? join(state, 'log') : '/var/log/faultline'),
    runtime:
      first(environment.RUNTIME_DIRECTORY) ??
      (user ? (runtime === undefined ? join(state, 'run') : join(runtime, 'faultline')) : '/run/faultline'),
  };
}
