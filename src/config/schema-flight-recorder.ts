// The part of the configuration schema about flight-recorder dumps.

import { duration, enabled, type FromSchema, item, list, optionalPath, section } from './schema-parts.ts';

export const flightRecorder = section('Flight-recorder dumps of training jobs: which rank the others wait for.', {
  enabled: enabled('Dumps'),
  interval: duration('Time between two looks at the folders.', '2s', '500ms', '1m'),
  processes: {
    type: 'boolean',
    description:
      "Find jobs by the environment of this host's processes (a fixed list of variables); those of other users need CAP_SYS_PTRACE.",
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
          default: '*',
          examples: ['nccl_trace_rank_*'],
        },
        job: {
          type: 'string',
          description: 'Job id; where it is left out, the environment of the ranks or the name of the folder tells it.',
          pattern: '^[^\\s/]{1,128}$',
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
      'Ask the ranks on this host for dumps, through their debug-info pipe, when a GPU fault is told or a job stops; at most once in ten minutes.',
    default: false,
  },
});

export type RawFlightRecorder = FromSchema<typeof flightRecorder>;
