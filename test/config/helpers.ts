// Checks a configuration's text in surroundings that a test decides.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../src/config/config-error.ts';
import type { Surroundings } from '../../src/config/directories.ts';
import { checkConfig, type LoadedConfig } from '../../src/daemon/config.ts';

export function surroundings(environment: Surroundings['environment'] = {}): Surroundings {
  return { environment, uid: 1000, home: '/home/u', hostname: 'node-3' };
}

export function load(text: string, environment: Surroundings['environment'] = {}): Promise<LoadedConfig> {
  return checkConfig(text, 'faultline.yaml', surroundings(environment));
}

/** The lines of the ConfigError that `text` must end in. */
export async function complaints(text: string, environment: Surroundings['environment'] = {}): Promise<string[]> {
  try {
    await load(text, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  return [];
}

export function secretFile(content: string, mode = 0o600): string {
  const path = join(mkdtempSync(join(tmpdir(), 'fl-config-')), 'secret');
  writeFileSync(path, content, { mode });
  return path;
}
