// Where acting keeps its files: the switch that stops it, and the record of what it did.

import { join } from 'node:path';

export function stopFileIn(stateDirectory: string): string {
  return join(stateDirectory, 'acting.stop');
}

export function auditFileIn(logDirectory: string): string {
  return join(logDirectory, 'acting.jsonl');
}
