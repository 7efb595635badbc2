// Known: what is contradictory, and what is not known here and for want of which right, in words.

import { labelled } from '../../incidents/report/layout.ts';
import type { Known } from '../../model/documents/jobs.ts';
import { plain } from '../../model/plain.ts';

const MOST_SHOWN = 8;

export interface Layout {
  readonly width: number;
  readonly timeZone: string;
  readonly nowMs: number;
}

/** Facts that speak against each other; nothing was joined for them. */
export function conflictLines({ conflicts }: Known, width: number): string[] {
  if (conflicts.length === 0) return [];
  const lines = conflicts
    .slice(0, MOST_SHOWN)
    .flatMap(({ about, reason }) => labelled('conflict', `${plain(about, 128)}: ${plain(reason, 300)}`, 10, width));
  const more = conflicts.length - MOST_SHOWN;
  return ['', ...lines, ...(more > 0 ? [`and ${more} more conflicts: faultline jobs --json`] : [])];
}

function noneText(known: Known): string {
  if (!('devices' in known)) return 'no job was found on this host';
  const isEmpty = Array.isArray(known.devices) && known.devices.length === 0;
  return isEmpty
    ? 'no GPU and no network device is known on this host'
    : 'no device of this host is known to be in use';
}

/**
 * Why there is nothing, or not all: which source lacks what, with the line that gives it; null where that is not worth a word.
 * What is just not there, as a scheduler on a host without one, hides nothing from what was found.
 */
export function nothingText(known: Known, count: number, width: number): string | null {
  const { lacking: all } = known;
  const lacking = count === 0 ? all : all.filter(({ status }) => status !== 'absent');
  if (count > 0 && lacking.length === 0) return null;
  const none = noneText(known);
  const head = count === 0 ? none : 'more may be here than was found';
  if (lacking.length === 0) return `${head}; every source that knows of jobs works`;
  const lines = lacking.slice(0, MOST_SHOWN).flatMap(({ source, status, detail, remedy }) => {
    const fix = remedy === null ? '' : `. To change it: ${plain(remedy, 200)}`;
    return labelled(`  ${plain(source, 32)}`, `${plain(status, 16).replace('_', ' ')}: ${plain(detail, 300)}${fix}`, 16, width); // biome-ignore format: one line
  });
  return [`${head}:`, ...lines, 'faultline doctor says what each right gives'].join('\n');
}
