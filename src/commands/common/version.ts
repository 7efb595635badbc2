// The version, from package.json.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installationRoot } from '../../native.ts';

function read(): string {
  try {
    const parsed: unknown = JSON.parse(readFileSync(join(installationRoot(), 'package.json'), 'utf8'));
    return typeof parsed === 'object' && parsed !== null && 'version' in parsed ? String(parsed.version) : 'unknown';
  } catch {
    return 'unknown';
  }
}

export const version = read();
