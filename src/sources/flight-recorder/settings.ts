// Settings of the flight-recorder source.

import { durationMs } from '../../config/quantity.ts';
import { duration, enabled, item, list, optionalPath, section, WORK_NAME } from '../../config/schema-parts.ts';
import type { NameList, RawOf, Resolving } from '../../config/section.ts';
import type { Enabled } from '../switched.ts';

export const schema = {
  flight_recorder: section('Flight-recorder dumps of training jobs: which rank the others wait for.', {
    enabled: enabled('Dumps'),
    interval: duration('Time between two looks at the folders.', '2s', '500ms', '1m'),
    processes: {
      type: 'boolean',
      description:
        "Find jobs by the environment of this host's processes (a fixed list of variables); those of other users are read by faultline-environ.",
      default: true,
    },
    folders: list(
      "Folders that ranks write dumps to; those that the ranks' own environment names need not be listed.",
      item(
        {
          path: optionalPath(
            'The folder; its last part may hold * and ?: each match is a job of its own.',
            '/dumps/llama',
          ),
          pattern: {
            type: 'string',
            description: 'Names of the dumps, with * and ?.',
            pattern: '^[^/]{1,255}$',
            form: 'a name without "/"',
            default: '*',
            examples: ['nccl_trace_rank_*'],
          },
          job: {
            type: 'string',
            description:
              'Job id; where it is left out, the environment of the ranks or the name of the folder tells it.',
            ...WORK_NAME,
            examples: ['llama-70b'],
          },
        },
        ['path'],
      ),
      64,
    ),
    trigger: {
      type: 'boolean',
      description:
        'Ask the ranks on this host for dumps, through their debug-info pipe, when a fault of a GPU or NVLink is reported (XIDs too) and when a job stops; for each at most once in ten minutes.',
      default: false,
    },
  }),
} as const;

export interface DumpFolderSettings {
  /** Wildcards in its last part only. */
  readonly path: string;
  readonly pattern: string;
  /** Null: the ranks' environment or the folder's name say it. */
  readonly job: string | null;
}

export interface FlightRecorderSettings {
  readonly enabled: Enabled;
  readonly intervalMs: number;
  /** Look at the environment of processes. */
  readonly processes: boolean;
  readonly folders: readonly DumpFolderSettings[];
  readonly trigger: boolean;
}

export function resolve(
  { flight_recorder: raw }: RawOf<typeof schema>,
  { absolute }: Resolving,
): FlightRecorderSettings {
  return {
    enabled: raw.enabled,
    intervalMs: durationMs(raw.interval),
    processes: raw.processes,
    folders: raw.folders.map(({ path, pattern, job }) => ({ path: absolute(path), pattern, job: job ?? null })),
    trigger: raw.trigger,
  };
}

export const names: readonly NameList<FlightRecorderSettings>[] = [
  {
    type: 'job',
    key: 'flight_recorder.folders',
    list: ({ folders }) => folders.flatMap(({ job }) => (job === null ? [] : [{ id: job }])),
  },
];
