// What a rank's environment says about its job, its dumps and its devices: a fixed list of variables (variables.ts).

import type { KernelVariables } from './kernel-variables.ts';
import type { WorkVariable } from './variables.ts';

const MAX_RANK = 1_048_575;

export interface RankEnvironment {
  readonly rank: number;
  readonly worldSize: number | null;
  readonly localRank: number | null;
  /** Id that a launcher gave the job; null where none did. */
  readonly job: string | null;
  /** What dump files begin with, as the process sees it; the rank follows without a separator. */
  readonly dumpPrefixes: readonly string[];
  /** The debug-info pipe of this rank, as the process sees it. */
  readonly pipe: string | null;
  readonly devices: DeviceVariables;
  /** The setting that keeps this rank from recording, or from writing a dump by itself when it hangs; null where none does. */
  readonly off: string | null;
}

export interface DeviceVariables {
  readonly cuda: string | null;
  readonly nvidia: string | null;
  /** CUDA counts devices by PCI address; else the fastest come first. */
  readonly byPciAddress: boolean;
  /** What a scheduler gave to the step, else to the job: indices over the whole host. */
  readonly batch: string | null;
  /** Of the libraries of AMD and Intel. */
  readonly kernel: KernelVariables;
}

export function devicesOf(variables: Readonly<Record<string, string>>): DeviceVariables {
  const text = textOf(variables);
  return {
    cuda: text('CUDA_VISIBLE_DEVICES'),
    nvidia: text('NVIDIA_VISIBLE_DEVICES'),
    byPciAddress: text('CUDA_DEVICE_ORDER') === 'PCI_BUS_ID',
    batch: text('SLURM_STEP_GPUS') ?? text('SLURM_JOB_GPUS'),
    kernel: {
      rocr: text('ROCR_VISIBLE_DEVICES'),
      hip: text('HIP_VISIBLE_DEVICES'),
      mask: text('ZE_AFFINITY_MASK'),
      isComposite: text('ZE_FLAT_DEVICE_HIERARCHY')?.toUpperCase() === 'COMPOSITE',
      byPciAddress: text('ZE_ENABLE_PCI_ID_DEVICE_ORDER') === '1',
      selector: text('ONEAPI_DEVICE_SELECTOR'),
    },
  };
}

/** Null when this is not a rank of a job. `variables`: those of the list that its environment has. */
export function rankEnvironment(variables: Readonly<Record<string, string>>): RankEnvironment | null {
  const text = textOf(variables);
  const rank = number(text('RANK'));
  const worldSize = number(text('WORLD_SIZE'));
  if (rank === null || (worldSize !== null && rank >= worldSize)) return null;
  const stem = text('TORCH_FR_DEBUG_INFO_PIPE_FILE') ?? text('TORCH_NCCL_DEBUG_INFO_PIPE_FILE');
  return {
    rank,
    worldSize,
    localRank: number(text('LOCAL_RANK')),
    job: jobName(text('SLURM_JOB_ID')) ?? jobName(text('TORCHELASTIC_RUN_ID')),
    dumpPrefixes: dumpPrefixes(text),
    pipe: absolute(stem) ? `${stem}${rank}.pipe` : null,
    devices: devicesOf(variables),
    off: switchedOff(text),
  };
}

type Text = (name: WorkVariable) => string | null;

function textOf(variables: Readonly<Record<string, string>>): Text {
  return (name) => {
    const value = Object.hasOwn(variables, name) ? (variables[name] ?? '') : '';
    return value === '' ? null : value;
  };
}

/** Where the recorder writes: where the variable says, else the defaults that PyTorch had (facts: 2025 and today). */
function dumpPrefixes(text: Text): readonly string[] {
  const given = text('TORCH_FR_DUMP_TEMP_FILE') ?? text('TORCH_NCCL_DEBUG_INFO_TEMP_FILE');
  // A relative one counts from a working directory that the process may have left.
  if (given !== null) return absolute(given) ? [given] : [];
  const home = text('HOME');
  const cache = text('XDG_CACHE_HOME') ?? (home === null ? null : `${home}/.cache`);
  const standard = cache === null ? [] : [`${cache}/torch/comm_lib_trace_rank_`, `${cache}/torch/nccl_trace_rank_`];
  return [...standard, '/tmp/nccl_trace_rank_'].filter(absolute);
}

/** Said outright: releases differ in what they do when nothing is said. Dumps at a timeout are the monitor's work. */
function switchedOff(text: Text): string | null {
  const buffer = text('TORCH_FR_BUFFER_SIZE') === null ? 'TORCH_NCCL_TRACE_BUFFER_SIZE' : 'TORCH_FR_BUFFER_SIZE';
  if (text(buffer) === '0') return `${buffer}=0`;
  const never = (['TORCH_NCCL_DUMP_ON_TIMEOUT', 'TORCH_NCCL_ENABLE_MONITORING'] as const).find((name) =>
    ['0', 'false', 'n', 'no', 'off'].includes(text(name)?.toLowerCase() ?? ''),
  );
  return never === undefined ? null : `${never}=${text(never)}`;
}

/** A path that goes nowhere but down. */
function absolute(path: string | null): path is string {
  return path?.startsWith('/') === true && !path.split('/').includes('..');
}

function number(text: string | null): number | null {
  if (text === null || !/^\d{1,7}$/.test(text)) return null;
  const value = Number(text);
  return value <= MAX_RANK ? value : null;
}

/** torchrun's run id is "none" where none was given. */
function jobName(text: string | null): string | null {
  return text !== null && text !== 'none' && /^[^\s/\p{C}]{1,128}$/u.test(text) ? text : null;
}
