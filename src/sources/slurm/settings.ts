// Settings of the slurm source.

import { durationMs } from '../../config/quantity.ts';
import { duration, enabled, item, optionalPath, section } from '../../config/schema-parts.ts';
import type { RawOf, Resolving } from '../../config/section.ts';
import type { Enabled } from '../switched.ts';

export const schema = {
  slurm: section('Slurm on this host: which job, step and rank a process is, whose job it is, and how it ended.', {
    enabled: enabled('Slurm'),
    interval: duration('Time between two looks for jobs that came or went.', '2s', '1s', '1m'),
    spread: duration(
      'Questions to the controller are put off by a random part of this, so that the hosts of a large job do not all ask at once; in a cluster of less than a thousand nodes by as much less.',
      '10s',
      '0s',
      '5m',
    ),
    node_interval: duration(
      'Time between two questions about this node: whether it is drained, and which jobs have it.',
      '5m',
      '10s',
      '1h',
    ),
    planned_reasons: {
      type: 'array',
      description:
        'Words of a reason by which a drain is planned work, which explains what passes under it; any other drain follows a fault, or says nothing.',
      items: {
        type: 'string',
        pattern: '^[A-Za-z0-9][A-Za-z0-9 ]{0,63}$',
        form: 'words without signs',
        examples: ['planned'],
      },
      maxItems: 64,
      default: ['maint', 'maintenance', 'planned', 'scheduled', 'upgrade', 'reboot asap', 'reimage', 'firmware update'],
    },
    conf: optionalPath(
      "Slurm's configuration file; left out, it is found where slurmd and distributions have it.",
      '/opt/slurm/etc/slurm.conf',
    ),
    programs: optionalPath(
      "Folder with scontrol and squeue; left out, /usr/bin and kin. The programs must be root's.",
      '/opt/slurm/bin',
    ),
    rest: item(
      {
        socket: optionalPath(
          'Unix socket of slurmrestd, which is asked about jobs in place of scontrol.',
          '/run/slurmrestd/slurmrestd.socket',
        ),
        url: {
          type: 'string',
          description: 'Its address where it listens on TCP.',
          pattern: '^https?://[^\\s/@]{1,255}$',
          form: 'http or https with a host and a port',
          examples: ['http://127.0.0.1:6820'],
          origin: true,
        },
        user: {
          type: 'string',
          description: 'User of the token.',
          pattern: '^[\\w.-]{1,64}$',
          form: 'a user name',
          examples: ['faultline'],
        },
        token_file: optionalPath(
          'File with the JWT of that user; left out, slurmrestd decides by the user of this process (auth/local).',
          '/etc/faultline/slurm.jwt',
        ),
      },
      [],
    ),
    job_folder: optionalPath(
      'Where the optional prologue script leaves a file for each job; left out, /run/faultline-slurm where that exists.',
      '/run/faultline-slurm',
    ),
    job_mapping: optionalPath(
      'Folder of the DCGM_HPC_JOB_MAPPING_DIR convention: a file for each GPU index with job ids; left out, /var/lib/dcgm-exporter/job-mapping where that exists.',
      '/var/lib/dcgm-exporter/job-mapping',
    ),
  }),
} as const;

export interface RestSettings {
  readonly socket: string | null;
  readonly url: string | null;
  readonly user: string | null;
  readonly tokenFile: string | null;
}

export interface SlurmSettings {
  readonly enabled: Enabled;
  readonly intervalMs: number;
  readonly spreadMs: number;
  readonly nodeIntervalMs: number;
  readonly plannedReasons: readonly string[];
  readonly conf: string | null;
  readonly programs: string | null;
  readonly rest: RestSettings | null;
  readonly jobFolder: string | null;
  readonly jobMapping: string | null;
}

export function resolve({ slurm: raw }: RawOf<typeof schema>, { absolute, findings }: Resolving): SlurmSettings {
  const path = (written: string | undefined): string | null => (written === undefined ? null : absolute(written));
  const { rest } = raw;
  if (rest !== undefined && (rest.socket === undefined) === (rest.url === undefined))
    findings.problem('FL1110', '/sources/slurm/rest', 'needs one of socket and url: write where slurmrestd listens');
  if (rest?.token_file !== undefined && rest.user === undefined)
    findings.problem('FL1110', '/sources/slurm/rest', 'has a token_file without user: write whose token it is');
  return {
    enabled: raw.enabled,
    intervalMs: durationMs(raw.interval),
    spreadMs: durationMs(raw.spread),
    nodeIntervalMs: durationMs(raw.node_interval),
    plannedReasons: raw.planned_reasons,
    conf: path(raw.conf),
    programs: path(raw.programs),
    rest:
      rest === undefined
        ? null
        : {
            socket: path(rest.socket),
            url: rest.url ?? null,
            user: rest.user ?? null,
            tokenFile: path(rest.token_file),
          },
    jobFolder: path(raw.job_folder),
    jobMapping: path(raw.job_mapping),
  };
}
