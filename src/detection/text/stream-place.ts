// Stream place: where a line is in its stream, to tell equal lines apart; some streams count again from one in each of their rows.

import type { TextRecord } from '../../model/record.ts';

export function streamPlace({ stream, position, attributes: { row } }: TextRecord): string {
  return `${stream}:${typeof row === 'string' ? `${row}:` : ''}${position}`;
}
