// Site patterns: the daemon takes up the patterns of patterns.d; one that is wrong is reported, and leaves the others in force.

import type { Logger } from 'pino';
import { usePatternFolder } from '../correlation/patterns/user/pattern-folder.ts';
import type { Config } from './config.ts';

export async function takePatterns({
  config,
  logger,
}: {
  readonly config: Config;
  readonly logger: Logger;
}): Promise<void> {
  for (const text of await usePatternFolder(config.file))
    logger.warn({ code: 'FL1118' }, `FL1118 a pattern of this site is not in force: ${text}`);
}
