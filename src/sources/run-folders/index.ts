// The source of run folders: numbers that W&B and TensorBoard record where they lie, without either program.

import { defineSource } from '../define-source.ts';
import { unconfigured } from '../switched.ts';
import { EXAMPLE, resolve, schema } from './settings.ts';

export const runFolders = defineSource({
  name: 'run-folders',
  schema,
  resolve,
  idle: ({ folders, found }) => (folders.length === 0 && !found ? unconfigured('folder of a run', EXAMPLE) : null),
  reads: 'run folders',
  trust: 'tenant',
  components: {},
  async create({ folders, found }, { now, steady, identity }) {
    const { RunFoldersSource } = await import('./run-folders-source.ts');
    return new RunFoldersSource(folders, { now, steady, ...(found ? { work: () => identity.work.view() } : {}) });
  },
});
