// Settings of the calendar source.

import { durationMs } from '../../config/quantity.ts';
import { choice, duration, item, list, path, section } from '../../config/schema-parts.ts';
import type { RawOf, Resolving } from '../../config/section.ts';

const file = item(
  {
    path: path('The file; only root or the daemon’s user may be able to change it.', '/etc/faultline/maintenance.ics'),
    applies: choice(
      'For which hosts its entries are: those that LOCATION, RESOURCES, CATEGORIES or X-FAULTLINE-HOSTS name, with * for any part; or all.',
      ['named', 'all'],
      'named',
    ),
  },
  ['path'],
);

export const schema = {
  calendar: section('Planned work from iCalendar files (.ics): what passes during an entry is explained by it.', {
    files: list('The files.', file, 16),
    interval: duration('Time between two looks for a changed file.', '1m', '5s', '1h'),
  }),
} as const;

export interface CalendarFile {
  readonly path: string;
  readonly applies: 'named' | 'all';
}

export interface CalendarSettings {
  readonly files: readonly CalendarFile[];
  readonly intervalMs: number;
}

export function resolve({ calendar: raw }: RawOf<typeof schema>, { absolute }: Resolving): CalendarSettings {
  const files = raw.files.map(({ path: written, applies }) => ({ path: absolute(written), applies }));
  return { files, intervalMs: durationMs(raw.interval) };
}
