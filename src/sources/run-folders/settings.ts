// Settings of the source of run folders.

import { choice, item, list, optionalPath, section, WORK_NAME } from '../../config/schema-parts.ts';
import type { RawOf, Resolving } from '../../config/section.ts';

export const EXAMPLE = 'sources: {run_folders: [{job: llama-70b, path: /data/runs/llama-70b}]}';

const folder = item(
  {
    job: { type: 'string', description: 'Job id; the component is job/<id>.', ...WORK_NAME, examples: ['llama-70b'] },
    path: optionalPath(
      'Folder of the run, or one with such folders: files of TensorBoard, and those of W&B (offline or not).',
      '/data/runs/llama-70b',
    ),
  },
  ['job', 'path'],
);

export const schema = {
  found_runs: section(
    'Runs that are found by themselves: folders of W&B and TensorBoard in which a process of a job writes.',
    {
      enabled: choice('off: only what is configured is read.', ['on', 'off'], 'on'),
    },
  ),
  run_folders: list(
    'Folders in which Weights & Biases or TensorBoard record a job: its numbers are read there.',
    folder,
    64,
  ),
} as const;

export interface RunFolderSettings {
  readonly folders: readonly { readonly job: string; readonly path: string }[];
  /** Those that processes of jobs write are read as well. */
  readonly found: boolean;
}

export function resolve(
  { run_folders: raw, found_runs: found }: RawOf<typeof schema>,
  { absolute }: Resolving,
): RunFolderSettings {
  return { folders: raw.map(({ job, path }) => ({ job, path: absolute(path) })), found: found.enabled === 'on' };
}
