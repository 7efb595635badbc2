// Settings of the source of run folders.

import { item, list, optionalPath, WORK_NAME } from '../../config/schema-parts.ts';
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
  run_folders: list(
    'Folders in which Weights & Biases or TensorBoard record a job: its numbers are read there.',
    folder,
    64,
  ),
} as const;

export interface RunFolderSettings {
  readonly folders: readonly { readonly job: string; readonly path: string }[];
}

export function resolve({ run_folders: raw }: RawOf<typeof schema>, { absolute }: Resolving): RunFolderSettings {
  return { folders: raw.map(({ job, path }) => ({ job, path: absolute(path) })) };
}
