// Authored: how far what a report or a log of entries says is believed, by who could have written the file.

import type { EventInput } from '../../model/record.ts';
import type { Author } from '../../sources/saved-text/author.ts';

/** Logs and tables in which a daemon speaks of nodes; any program can print a line like theirs. */
const OF_DAEMONS: ReadonlySet<string> = new Set(['program-log', 'slurm', 'kubectl']);

export function asAuthored(event: EventInput, author: Author): EventInput {
  if (author === 'user') return { ...event, trust: 'tenant' };
  if (author === 'system' || !OF_DAEMONS.has(event.source)) return event;
  return { ...event, attributes: { ...event.attributes, as_logged: true } };
}
