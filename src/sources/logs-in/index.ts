// The receiver of log shippers: Fluent Bit, Fluentd, Vector. Off, it opens no socket and no timer.

import { defineSource } from '../define-source.ts';
import { unconfigured } from '../switched.ts';
import { EXAMPLE, resolve, schema } from './settings.ts';

export const logsIn = defineSource({
  name: 'logs-in',
  schema,
  resolve,
  idle: ({ listen }) => (listen.length === 0 ? unconfigured('address for log shippers', EXAMPLE) : null),
  isRequired: ({ listen }) => listen.length > 0,
  reads: 'log shippers',
  trust: 'tenant',
  components: {},
  async create(settings, { host, now, steady, identity, services }) {
    const { LogsSource } = await import('./logs-source.ts');
    const kernel = () => !services.kernelLog.works();
    return new LogsSource(settings, { host, now, steady, kernel, view: () => identity.work.view() });
  },
});
