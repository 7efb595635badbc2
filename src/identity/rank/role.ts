// What part of the work a rank does, as its command line says it: only ranks of one role are held against each other.

import { basename } from 'node:path';

const MAX_ARGUMENTS = 4096;
const MAX_WORD = 64;

/** Of a command line only the values of these are ever looked at, besides the program's name. */
const PIPELINE = [
  '--pipeline-model-parallel-size', // Megatron-LM
  '--parallelism.pipeline_parallel_degree', // torchtitan
  '--pipeline-parallel-size', // vLLM
  '--pp-size', // SGLang
];
const TENSOR = '--tensor-model-parallel-size';
const CONTEXT = '--context-parallel-size';
/** Megatron-LM: pipeline stages lie inside of data parallelism, not around it. */
const PIPELINE_INSIDE = '--use-tp-pp-dp-mapping';
/** SGLang: prefill or decode. */
const DISAGGREGATION = '--disaggregation-mode';

/**
 * `script.py`, `script.py stage 2/4`, `module prefill`; empty where nothing is known. A layout that is in a file that the
 * command line only names is not known: then all ranks of the program are of one role.
 */
export function roleOf(commandLine: readonly string[], rank: number, worldSize: number | null): string {
  const words = commandLine.slice(0, MAX_ARGUMENTS);
  const value = (name: string): string | null => {
    const at = words.findIndex((word) => word === name || word.startsWith(`${name}=`));
    const found = at < 0 ? undefined : words[at] === name ? words[at + 1] : words[at]?.slice(name.length + 1);
    return found === undefined || found.length > MAX_WORD ? null : found;
  };
  const size = (name: string): number => {
    const text = value(name) ?? '';
    return /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 1;
  };
  const stages = Math.max(...PIPELINE.map(size));
  const inside = words.includes(PIPELINE_INSIDE);
  const mode = value(DISAGGREGATION);
  const parts = [
    programOf(words),
    stages > 1 ? stageOf(rank, worldSize, stages, inside ? size(TENSOR) * size(CONTEXT) : null) : '',
    mode === 'prefill' || mode === 'decode' ? mode : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

/** Around everything else a stage is a block of ranks; inside of data parallelism stages take turns. */
function stageOf(rank: number, worldSize: number | null, stages: number, turn: number | null): string {
  const block = turn ?? (worldSize === null || worldSize % stages !== 0 ? null : worldSize / stages);
  return block === null ? '' : `stage ${Math.floor(rank / block) % stages}/${stages}`;
}

/** The script, or the module that Python runs; else the program itself. */
function programOf(words: readonly string[]): string {
  const script = words.find((word) => /^[^-].*\.py$/.test(word));
  const module = words.indexOf('-m');
  const name = script ?? (module > 0 ? words[module + 1] : undefined) ?? words[0] ?? '';
  const word = basename(name);
  return /^[\w.+-]{1,64}$/.test(word) ? word : '';
}
