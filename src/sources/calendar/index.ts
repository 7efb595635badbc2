// The calendar source: planned work that operators keep in iCalendar files.

import { defineSource } from '../define-source.ts';
import { unconfigured } from '../switched.ts';
import { resolve, schema } from './settings.ts';

export const calendar = defineSource({
  name: 'calendar',
  schema,
  resolve,
  idle: ({ files }) =>
    files.length === 0 ? unconfigured('calendar', 'sources: {calendar: {files: [{path: /etc/faultline/maintenance.ics}]}}') : null, // biome-ignore format: one line
  reads: 'a calendar',
  trust: 'system',
  components: { host: {} },
  async create(settings, { host, now, steady }) {
    const { CalendarSource } = await import('./calendar-source.ts');
    return new CalendarSource(settings, { host, now, steady });
  },
});
