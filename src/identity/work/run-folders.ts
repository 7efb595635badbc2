// Run folders: where a job's runs are recorded by Weights & Biases or TensorBoard, by their names. Nothing here opens one: what is
// in it belongs to the user.

import type { NamedBy } from '../../model/native-files.ts';
import type { WrittenFile } from '../../native.ts';
import { optionOf } from '../rank/said-by-command.ts';

export interface RunFolder {
  readonly tool: 'wandb' | 'tensorboard';
  /** As the job sees it, or as its user wrote it. */
  readonly path: string;
  readonly knownBy: string;
  /** By whose rights it is read; left out where it is only named, or seen by the job alone: it is shown, and not read. */
  readonly namedBy?: NamedBy;
}

interface Tool {
  readonly tool: RunFolder['tool'];
  /** Megatron's options, those of the trainers of Transformers, and of the programs that follow either. */
  readonly options: readonly string[];
  readonly variable: string;
  /** A file that the tool writes; the folder is the first group. */
  readonly file: RegExp;
}

const TOOLS: readonly Tool[] = [
  {
    tool: 'wandb',
    options: ['--wandb-save-dir', '--wandb_save_dir', '--wandb-dir', '--wandb_dir'],
    variable: 'WANDB_DIR',
    file: /^(\/.*\/\.?wandb\/(?:offline-)?run-\d{8}_\d{6}-[^/]+)\//,
  },
  {
    tool: 'tensorboard',
    options: ['--tensorboard-dir', '--tensorboard_dir', '--logging_dir', '--logging-dir'],
    variable: 'TENSORBOARD_LOGGING_DIR',
    file: /^(\/.*)\/events\.out\.tfevents\.[^/]+$/,
  },
];
const MOST = 16;
const NAME = /^[^-\p{C}][^\p{C}]{0,1023}$/u;

/** What a process's command line and variables name. */
export function namedFolders(command: readonly string[], variables: Readonly<Record<string, string>>): RunFolder[] {
  return TOOLS.flatMap(({ tool, options, variable }) => {
    const [option, value] = [optionOf(command, options), variables[variable]];
    return [
      ...(option !== null && NAME.test(option) ? [{ tool, path: option, knownBy: 'command line' }] : []),
      ...(value !== undefined && NAME.test(value) ? [{ tool, path: value, knownBy: variable }] : []),
    ];
  });
}

interface Process {
  readonly owner?: NamedBy;
  /** What its own paths begin with for us. */
  readonly root?: string;
  readonly folders: readonly RunFolder[];
  readonly writes: readonly WrittenFile[];
}

/** Of a job, rising by path. What is written counts before what is only named. */
export function runFoldersOf(processes: readonly Process[]): RunFolder[] {
  const named = processes.flatMap(({ folders }) => folders);
  const found = new Map([...named, ...written(processes)].map((folder) => [`${folder.path}\n${folder.tool}`, folder]));
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, MOST).map(([, folder]) => folder); // biome-ignore format: one line
}

/** W&B writes its record in a process of its own, in the control group of the job. */
function written(processes: readonly Process[]): RunFolder[] {
  return processes.flatMap(({ writes, owner, root }) => {
    const read = owner !== undefined && root === '' ? { namedBy: owner } : {};
    const files = writes.filter(({ by }) => by === 'itself' || by === 'group');
    return files.flatMap(({ path }) =>
      TOOLS.flatMap(({ tool, file }) => {
        const folder = file.exec(path)?.[1];
        if (folder === undefined || !NAME.test(folder)) return [];
        return [{ tool, path: folder, knownBy: 'files that a process of the job writes', ...read }];
      }),
    );
  });
}
