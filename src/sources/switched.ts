// Switched: what the sources have in common whose section has `enabled: auto | on | off`.

import type { Idle } from './define-source.ts';

export type Enabled = 'auto' | 'on' | 'off';

interface Switched {
  readonly enabled: Enabled;
}

/** `key`: of its section under `sources`. */
export function switchedBy(key: string) {
  return {
    idle: ({ enabled }: Switched): Idle | null =>
      enabled === 'off' ? { status: 'off', detail: `switched off by sources.${key}.enabled`, remedy: null } : null,
    isRequired: ({ enabled }: Switched): boolean => enabled === 'on',
  };
}

/** Why a source with nothing to read is not made; `line` is what to add to the configuration. */
export function unconfigured(what: string, line: string): Idle {
  return { status: 'absent', detail: `no ${what} is configured`, remedy: `add to the configuration: ${line}` };
}
