// Runs the agent until a signal ends it; shared by `run` and `record`.

import { surroundingsOfProcess } from '../config/load-config.ts';
import { Agent, STOP_MS } from '../daemon/agent.ts';
import { readConfig } from '../daemon/config.ts';
import { configInThread } from '../daemon/config-in-thread.ts';
import { native } from '../native.ts';
import { continueAsOwner } from './act-as-owner.ts';
import { daemonLog } from './daemon-log.ts';
import { version } from './version.ts';

/** SIGTERM is answered within this, whatever hangs: after all that the agent allows its parts, so that the spool is kept. */
const EXIT_MS = STOP_MS + 500;

export interface RunOverrides {
  readonly recordPath?: string;
  /** Ends by itself after this long. */
  readonly durationMs?: number;
}

export async function runDaemon(configPath: string | undefined, overrides: RunOverrides): Promise<number> {
  native().keepMallocSmall();
  native().hideMemory();
  const { config: loaded, warnings } = await readConfig(configPath, surroundingsOfProcess(), configInThread);
  const record = { ...loaded.record, path: overrides.recordPath ?? loaded.record.path };
  const config = { ...loaded, record };
  const { acts, recordTo } = await continueAsOwner(config.directories, overrides.recordPath);
  const logger = daemonLog(config.logLevel, config.host);
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
  const agent = await Agent.start({ config, logger, version, mustRecord, ...given });
  const reason = await ended(overrides.durationMs, () => agent.reopenLog());
  logger.info({ reason }, 'stopping');
  // A native thread or the disk may hang: leave without waiting for the event loop to run dry.
  setTimeout(() => native().exitNow(0), EXIT_MS).unref();
  await agent.stop();
  return native().exitNow(0);
}

function ended(durationMs: number | undefined, onHangup: () => void): Promise<string> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (asked && signal === 'SIGINT') native().exitNow(130);
        asked = true;
        resolve(signal);
      });
    }
    process.on('SIGHUP', onHangup);
    if (durationMs !== undefined) setTimeout(() => resolve('the time is over'), durationMs);
  });
}
