// Read rules: those of files, alone and checked as the configuration would, or those of the configuration in force.

import { readText, surroundingsOfProcess } from '../../config/load-config.ts';
import { checkConfig, readConfig } from '../../daemon/config.ts';
import type { RulesConfig } from '../../detection/user-rules/index.ts';

export interface ReadRules {
  readonly config: RulesConfig;
  readonly warnings: readonly string[];
}

/** Of each file, else of the configuration. Rejects with ConfigError: everything that is wrong, by file, line and column. */
export async function readRules(
  files: readonly string[],
  configuration: string | undefined,
): Promise<readonly ReadRules[]> {
  if (files.length === 0) {
    const { config, warnings } = await readConfig(configuration);
    return [{ config: config.detection, warnings }];
  }
  const read: ReadRules[] = [];
  for (const file of files) {
    const { config, warnings } = await checkConfig(readText(file, false, true) ?? '', file, surroundingsOfProcess());
    read.push({ config: config.detection, warnings });
  }
  return read;
}
