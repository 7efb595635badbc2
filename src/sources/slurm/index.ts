// The slurm source: which job, step and rank the processes of this host are, whose job it is, and how it ended.

import { join } from 'node:path';
import { defineSource } from '../define-source.ts';
import { switchedBy } from '../switched.ts';
import { resolve, schema } from './settings.ts';

const NAME = 'slurm';
const JOB_FOLDER = '/run/faultline-slurm';
const JOB_MAPPING = '/var/lib/dcgm-exporter/job-mapping';

export const slurm = defineSource({
  name: NAME,
  schema,
  resolve,
  ...switchedBy(NAME),
  reads: 'Slurm',
  trust: 'system',
  components: { job: {}, host: {} },
  async create(settings, { host, roots, now, steady, files, identity, services }) {
    const { SlurmSource } = await import('./slurm-source.ts');
    const { usualPlaces } = await import('./find/installation.ts');
    const source = new SlurmSource(settings, {
      host,
      places: usualPlaces(roots.proc, roots.sys),
      folders: {
        jobs: settings.jobFolder ?? JOB_FOLDER,
        mapping: settings.jobMapping ?? JOB_MAPPING,
        bootId: join(roots.proc, 'sys/kernel/random/boot_id'),
      },
      now,
      steady,
      files: files(),
      identity,
    });
    services.suspicion.listen(NAME, () => source.suspect());
    return source;
  },
});
