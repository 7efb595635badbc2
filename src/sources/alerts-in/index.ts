// Alerts in: what other systems report of this host, as evidence. Off, it opens no socket and no timer.

import { defineSource } from '../define-source.ts';
import { unconfigured } from '../switched.ts';
import { EXAMPLE, resolve, schema } from './settings.ts';

export const alertsIn = defineSource({
  name: 'alerts-in',
  schema,
  resolve,
  idle: ({ listen }) => (listen.length === 0 ? unconfigured('address for alerts', EXAMPLE) : null),
  isRequired: ({ listen }) => listen.length > 0,
  reads: 'alerts of other systems',
  trust: 'tenant',
  components: {},
  async create(settings, { host, now, steady, identity, logger }) {
    const { AlertsSource } = await import('./alerts-source.ts');
    const { placeOf } = await import('./place.ts');
    const placing = {
      host,
      jobs: () => identity.work.view().works,
      resolve: (component: Parameters<typeof identity.resolve>[0]) => identity.resolve(component),
    };
    return new AlertsSource(settings, { now, steady, logger, placeOf: (labels) => placeOf(labels, placing) });
  },
});
