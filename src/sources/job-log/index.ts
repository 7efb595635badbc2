// The job log source: logs of training jobs and inference servers.

import { defineSource } from '../define-source.ts';
import { unconfigured } from '../switched.ts';
import { EXAMPLE, names, resolve, schema } from './settings.ts';

export const jobLog = defineSource({
  name: 'job-log',
  schema,
  resolve,
  names,
  idle: ({ jobs, services, found }) =>
    jobs.length + services.length === 0 && !found ? unconfigured('job log', EXAMPLE) : null,
  silenceMatters: ({ jobs }) => jobs.length > 0,
  reads: 'job log',
  trust: 'tenant',
  components: { job: { lag: 'source' }, rank: { lag: 'source' }, service: {} },
  async create(settings, { host, now, identity, services, directories, lasting }) {
    const { JobLogSource } = await import('./job-log-source.ts');
    const { LogWords } = await import('./log-words.ts');
    const { attends, passed } = services.outside.textWatch ?? {};
    const { LogPlaces } = await import('./places.ts');
    const words = new LogWords(settings.lines);
    const linesOf = (job: string) => services.outside.linesOf?.(job);
    identity.jobs.configured(settings.jobs);
    services.outside.expectLines?.(settings.lines);
    return new JobLogSource([...settings.jobs, ...settings.services], {
      host,
      now,
      linesOf,
      ...(lasting ? { places: new LogPlaces(directories.state) } : {}),
      ...(settings.found
        ? { work: () => identity.work.view(), lend: (writer) => identity.processes.lend(writer) }
        : {}),
      ...(attends === undefined || passed === undefined ? {} : { heed: { words, attends, passed } }),
      onLines: (lines) => {
        words.expect(lines);
        services.outside.expectLines?.(lines);
      },
      onJobs: (jobs) => identity.jobs.configured(jobs),
      onLog: (log) => identity.jobs.follows(log),
    });
  },
});
