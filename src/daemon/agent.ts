// Agent: the daemon of one host. It builds its parts, starts them, and on a signal drains and stops them.

import { foreignFiles, OwnFolders } from '../api/own-folders.ts';
import { prepareSocketPath } from '../api/socket-path.ts';
import { CLOSED_PAGES } from '../incidents/lifecycle.ts';
import { type Recovered, recover } from '../incidents/log/recover.ts';
import { buildParts, type RecordingOptions } from './build.ts';
import { Parts, type PartsOptions } from './parts.ts';
import { startParts } from './start.ts';
import { stopParts } from './stop.ts';

export type AgentOptions = PartsOptions & RecordingOptions;

export class Agent {
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Starts everything; throws with an FL code when another instance runs or the addon is missing. */
  static async start({ config, reread, logger, version, ...recording }: AgentOptions): Promise<Agent> {
    const parts = new Parts({ config, logger, version, ...(reread === undefined ? {} : { reread }) });
    try {
      const recovered = await takeFolders(parts);
      await buildParts(parts, recovered, recording);
      await startParts(parts, recovered);
    } catch (error) {
      await stopParts(parts);
      parts.folders?.undo();
      throw error;
    }
    return new Agent(parts);
  }

  /** Opens the incident log again, as log rotation asks for. */
  reopenLog(): void {
    this.#parts.log?.reopen();
  }

  /** Takes up what changed in the configuration; what came of it is in the daemon's log. */
  reload(): Promise<void> {
    return this.#parts.reloads.takeAndLog();
  }

  /** Drains and stops everything within a few seconds, whatever hangs. Idempotent. */
  async stop(): Promise<void> {
    await stopParts(this.#parts);
    this.#parts.folders?.release();
  }
}

/** Takes the folders for this instance alone, and reads what the last one left in its log. */
async function takeFolders(parts: Parts): Promise<Recovered> {
  const { directories } = parts.config;
  for (const warning of foreignFiles(directories)) parts.logger.warn({ code: 'FL1207' }, warning);
  parts.folders = OwnFolders.take(directories);
  await prepareSocketPath(directories.runtime); // a path that cannot be used ends the start before anything is written
  const recovered = await recover(directories.log, CLOSED_PAGES);
  for (const warning of recovered.warnings) parts.logger.warn(warning);
  return recovered;
}
