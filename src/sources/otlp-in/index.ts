// The OTLP receiver: spans, metrics and logs that services and jobs of this host send. Off, it opens no socket and no timer.

import { defineSource } from '../define-source.ts';
import { unconfigured } from '../switched.ts';
import { EXAMPLE, resolve, schema } from './settings.ts';

const NAME = 'otlp-in';

export const otlpIn = defineSource({
  name: NAME,
  schema,
  resolve,
  idle: ({ listen }) => (listen.length === 0 ? unconfigured('address for OTLP', EXAMPLE) : null),
  isRequired: ({ listen }) => listen.length > 0,
  reads: 'OTLP',
  trust: 'tenant',
  components: { service: {} },
  async create(settings, { host, now, steady, identity, logger, services }) {
    const { OtlpSource } = await import('./otlp-source.ts');
    const { openDoors } = await import('./doors.ts');
    const { TextIntake } = await import('../text-in/text-intake.ts');
    const { maxServices, hosts, work, linesPerSecond, shippers = [], histograms = [] } = settings;
    const kernel = () => !services.kernelLog.works();
    const intake = new TextIntake({ source: NAME, host, hosts, now, steady, kernel, linesPerSecond });
    const doors = openDoors({
      source: NAME,
      host,
      mostServices: maxServices,
      steady,
      view: () => identity.work.view(),
      intake,
      work,
      shippers,
      histograms,
    });
    return new OtlpSource(settings, { logger, doors });
  },
});
