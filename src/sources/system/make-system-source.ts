// The system source as a configuration asks for it.

import type { OwnProcesses } from '../../identity/own-processes.ts';
import type { SourcesConfig } from '../registry.ts';
import { takeInventory } from './inventory/take-inventory.ts';
import { SystemSource } from './system-source.ts';

/** `lasting` is false for a look of a moment: nothing is remembered, and no inventory is taken. */
export function systemSource(
  config: SourcesConfig,
  now: () => number,
  lasting: boolean,
  own?: OwnProcesses,
): SystemSource {
  const { state, log } = config.directories;
  return new SystemSource(config.sources.system, {
    host: config.host,
    roots: config.roots,
    filesystems: [...config.sources.system.filesystems, log, state],
    stateDirectory: lasting ? state : null,
    inventory: lasting ? (signal) => takeInventory(signal, undefined, own) : null,
    now,
  });
}
