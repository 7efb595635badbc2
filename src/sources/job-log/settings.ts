// Settings of the job log source: the logs of training jobs, and those of inference servers.

import { choice, item, list, optionalPath, section, WORK_NAME } from '../../config/schema-parts.ts';
import type { NameList, RawOf, Resolving } from '../../config/section.ts';
import { unique } from '../../config/unique.ts';
import type { UserLine } from '../../detection/text/job/user-lines.ts';
import { JOB_FRAMEWORKS, type JobFramework } from '../../detection/text/job-framework.ts';
import { parseRanks } from './ranks.ts';
import { resolveUserLines, userLinesSchema } from './user-lines.ts';

const jobLog = item(
  {
    job: {
      type: 'string',
      description: 'Job id; the component is job/<id>.',
      ...WORK_NAME,
      examples: ['llama-70b'],
    },
    path: optionalPath('Log file that the job writes.', '/var/log/jobs/llama-70b.log'),
    framework: choice(
      "Whose progress lines to expect; auto reads all of them. transformers is also Axolotl's, LLaMA-Factory's and ms-swift's.",
      JOB_FRAMEWORKS,
      'auto',
    ),
    ranks: {
      type: ['string', 'array'],
      description: 'Global ranks on this host: a list, or text such as "16-23" or "0-3,8". Unknown when left out.',
      items: { type: 'integer', minimum: 0, maximum: 1_048_575 },
      maxItems: 4096,
      default: [],
      examples: ['16-23'],
    },
    world_size: {
      type: 'integer',
      description: 'Ranks of the whole job.',
      minimum: 1,
      maximum: 1_048_576,
      examples: [1024],
    },
  },
  ['job', 'path'],
);

const serviceLog = item(
  {
    service: {
      type: 'string',
      description: 'Name of the service; the component is service/<name>.',
      ...WORK_NAME,
      examples: ['llama-api'],
    },
    path: optionalPath('Log file that the server writes.', '/var/log/services/llama-api.log'),
  },
  ['service', 'path'],
);

/** A line to add to the configuration. */
export const EXAMPLE = 'sources: {job_log: [{job: llama-70b, path: /var/log/jobs/llama-70b.log}]}';

export const schema = {
  found_logs: section(
    'Logs of jobs that are found by themselves: what their processes print into, files of Slurm, logs of pods.',
    {
      enabled: choice('off: only what is configured is read.', ['on', 'off'], 'on'),
    },
  ),
  job_log: list('Logs of training jobs.', jobLog, 256),
  ...userLinesSchema,
  service_log: list('Logs of inference servers, vLLM or SGLang; the source job-log reads them.', serviceLog, 256),
} as const;

export interface JobLogSettings {
  /** Job id, used as component `job/<id>`. */
  readonly job: string;
  readonly path: string;
  readonly framework: JobFramework;
  /** Global ranks that run on this host; empty when unknown. */
  readonly ranks: readonly number[];
  /** Ranks of the whole job; null when unknown. */
  readonly worldSize: number | null;
  /** Of a log that was found: the only rank that writes it. */
  readonly onlyRank?: number;
}

export interface ServiceLogSettings {
  /** Name, used as component `service/<name>`. */
  readonly service: string;
  readonly path: string;
}

export interface LogSettings {
  /** Logs of jobs that were found are followed as well. */
  readonly found: boolean;
  readonly jobs: readonly JobLogSettings[];
  readonly services: readonly ServiceLogSettings[];
  /** Lines of jobs in a form of the user's own. */
  readonly lines: readonly UserLine[];
}

export function resolve(raw: RawOf<typeof schema>, at: Resolving): LogSettings {
  const { job_log: jobs, service_log: services } = raw;
  const { absolute, findings } = at;
  const jobPaths = jobs.map(({ job, path }) => `${job} ${absolute(path)}`);
  const servicePaths = services.map(({ service, path }) => `${service} ${absolute(path)}`);
  unique(jobPaths, '/sources/job_log', 'path', findings);
  unique(servicePaths, '/sources/service_log', 'path', findings);
  return {
    found: raw.found_logs.enabled === 'on',
    jobs: jobs.map((entry, i) => resolveJob(entry, `/sources/job_log/${i}`, at)),
    services: services.map(({ service, path }) => ({ service, path: absolute(path) })),
    lines: resolveUserLines(raw, at),
  };
}

type RawJobLog = RawOf<typeof schema>['job_log'][number];

function resolveJob(raw: RawJobLog, pointer: string, { absolute, findings }: Resolving): JobLogSettings {
  const { job, framework, world_size: worldSize } = raw;
  const ranks = parseRanks(raw.ranks);
  if (ranks === null) {
    // An example that the number of ranks allows.
    const example = worldSize === undefined || worldSize > 23 ? '16-23' : `0-${worldSize - 1}`;
    findings.problem('FL1106', `${pointer}/ranks`, `must be ranks, at most 4096. Write: ranks: ${example}`);
  }
  const last = ranks?.at(-1);
  if (last !== undefined && worldSize !== undefined && last >= worldSize) {
    findings.problem(
      'FL1110',
      `${pointer}/ranks`,
      `holds rank ${last}, but world_size ${worldSize} ends at rank ${worldSize - 1}`,
    );
  }
  return { job, path: absolute(raw.path), framework, ranks: ranks ?? [], worldSize: worldSize ?? null };
}

export const names: readonly NameList<LogSettings>[] = [
  {
    type: 'job',
    key: 'job_log',
    inHealth: true,
    list: ({ jobs }) => jobs.map(({ job, ranks, worldSize }) => ({ id: job, ranks, worldSize })),
  },
  {
    type: 'service',
    key: 'service_log',
    inHealth: true,
    list: ({ services }) => services.map(({ service }) => ({ id: service })),
  },
];
