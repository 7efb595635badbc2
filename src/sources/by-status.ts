// By status: which sources work, which do in part, which not and why, as fields of one line of the daemon's log.

import type { SourceHealth, SourceStatus } from './source.ts';

/** `needsFix`: something is there that should work and does not. */
export function byStatus(health: readonly SourceHealth[]): { readonly fields: object; readonly needsFix: boolean } {
  const of = (status: SourceStatus): string[] =>
    health.filter((entry) => entry.status === status).map(({ source, detail }) => `${source}: ${detail}`);
  return {
    fields: {
      works: of('works'),
      in_part: of('partial'),
      not_here: of('absent'),
      no_rights: of('no_permission'),
      failed: of('failed'),
    },
    needsFix: health.some(({ status }) => status === 'failed' || status === 'no_permission'),
  };
}
