// The syslog receiver: lines that a log daemon, a switch or a program sends. Off, it opens no socket and no timer.

import { defineSource } from '../define-source.ts';
import { unconfigured } from '../switched.ts';
import { EXAMPLE, resolve, schema } from './settings.ts';

export const syslogIn = defineSource({
  name: 'syslog-in',
  schema,
  resolve,
  idle: ({ listen }) => (listen.length === 0 ? unconfigured('address for syslog', EXAMPLE) : null),
  isRequired: ({ listen }) => listen.length > 0,
  reads: 'syslog',
  trust: 'tenant',
  components: {},
  async create(settings, { host, now, steady, services }) {
    const { SyslogSource } = await import('./syslog-source.ts');
    return new SyslogSource(settings, { host, now, steady, kernel: () => !services.kernelLog.works() });
  },
});
