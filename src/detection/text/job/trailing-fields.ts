// Trailing fields: what loggers of structured records put behind a message, " rank=1 gpu_id=3", which are not words of it.

import type { RankLabel } from '../../../model/rank-label.ts';

/** Each is a name and a value without blanks, or in quotes (tracing's and zerolog's text, logfmt). */
const FIELDS = /(?: {1,2}[a-z][\w.]{0,31}=(?:"[^"\n]{0,200}"|[\w.:/@+-]{1,80})){1,8}\s*$/;
const RANK = / rank="?(\d{1,7})"?(?=\s|$)/;

export interface Bare {
  readonly message: string;
  /** The rank that the fields name; null where they do not. */
  readonly label: RankLabel | null;
}

/** The message without them; null where it ends in none, or is nothing else. */
export function withoutFields(text: string): Bare | null {
  const fields = FIELDS.exec(text);
  if (fields === null || fields.index === 0) return null;
  const rank = RANK.exec(fields[0])?.[1];
  return {
    message: text.slice(0, fields.index),
    label: rank === undefined ? null : { number: Number(rank), means: 'global' },
  };
}
