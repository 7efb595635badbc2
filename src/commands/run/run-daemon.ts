// Runs the agent until a signal ends it; shared by `run` and `record`.

import type { Logger } from 'pino';
import type { CheckTree } from '../../config/check-tree.ts';
import { surroundingsOfProcess } from '../../config/load-config.ts';
import { Agent } from '../../daemon/agent.ts';
import { readConfig } from '../../daemon/config.ts';
import { configInThread } from '../../daemon/config-in-thread.ts';
import { STOP_MS } from '../../daemon/stop.ts';
import { native } from '../../native.ts';
import { continueAsOwner } from '../common/act-as-owner.ts';
import { version } from '../common/version.ts';
import { keepHeapSmall } from '../small-heap.ts';
import { daemonLog } from './daemon-log.ts';
import { watchConfig } from './watch-config.ts';

/** SIGTERM is answered within this, whatever hangs: after all that the agent allows its parts and its log, so that the spool is kept. */
const EXIT_MS = STOP_MS + 500;

export interface RunOverrides {
  readonly recordPath?: string;
  /** Whether a changed configuration file is taken up without a signal. */
  readonly watch?: boolean;
  /** Ends by itself after this long. */
  readonly durationMs?: number;
}

export async function runDaemon(configPath: string | undefined, overrides: RunOverrides): Promise<number> {
  native().keepMallocSmall();
  native().hideMemory();
  const read = async (check?: CheckTree) => {
    const loaded = await readConfig(configPath, surroundingsOfProcess(), check);
    const record = { ...loaded.config.record, path: overrides.recordPath ?? loaded.config.record.path };
    return { ...loaded, config: { ...loaded.config, record } };
  };
  const { config, warnings } = await read();
  // The start waits for it, and a thread would take longer than the reading; later nothing else may wait for a long file.
  const reread = () => read(configInThread);
  const { acts, recordTo } = await continueAsOwner(config.directories, overrides.recordPath);
  const { logger, settled } = daemonLog(config.logLevel, config.host);
  for (const warning of warnings) logger.warn(warning);
  if (acts) {
    const uid = process.geteuid?.();
    logger.info(
      { uid },
      `started by root; runs as uid ${uid}, who owns the folders of state, log and socket or one above`,
    );
  }
  const mustRecord = overrides.recordPath !== undefined;
  const given = recordTo === undefined ? {} : { recordTo };
  // Listened for before the start: a signal that comes during it must not end the process with half of its parts open.
  const asked = new EndRequest();
  let agent: Agent | null = null;
  process.on('SIGHUP', () => {
    agent?.reopenLog();
    void agent?.reload();
  });
  agent = await Agent.start({ config, reread, logger, version, mustRecord, ...given });
  keepHeapSmall();
  if (overrides.watch === true) {
    if (config.file === null) logger.warn('there is no configuration file to watch');
    else
      watchConfig(config.file, {
        changed: () => void agent?.reload(),
        emptied: () => warnOfEmpty(logger, config.file),
      });
  }
  const reason = await asked.heard(overrides.durationMs);
  logger.info({ reason }, 'stopping');
  await agent.stop();
  await settled();
  return native().exitNow(0);
}

function warnOfEmpty(logger: Logger, file: string | null): void {
  logger.warn(
    { code: 'FL1211' },
    `FL1211 ${file} is empty: the configuration is as it was. Write it again; faultline config reload takes up an empty one on purpose`,
  );
}

/** SIGTERM or SIGINT, of which a second one ends the process at once. */
class EndRequest {
  readonly #asked = Promise.withResolvers<string>();
  #signalled = false;

  constructor() {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.#hear(signal));
  }

  /** Resolves with the reason to stop; `durationMs` from now at the latest. */
  heard(durationMs: number | undefined): Promise<string> {
    if (durationMs !== undefined) setTimeout(() => this.#end('the time is over'), durationMs);
    return this.#asked.promise;
  }

  #hear(signal: 'SIGTERM' | 'SIGINT'): void {
    if (this.#signalled && signal === 'SIGINT') native().exitNow(130);
    this.#signalled = true;
    this.#end(signal);
  }

  #end(reason: string): void {
    // A native thread or the disk may hang: leave without waiting for the event loop to run dry.
    setTimeout(() => native().exitNow(0), EXIT_MS).unref();
    this.#asked.resolve(reason);
  }
}
