// Frameworks: what a process trains or serves with, by its command line, its variables, and the libraries that it has mapped.

import allowed from '#catalog/process-variables.json' with { type: 'json' };
import type { ProcessFact } from './facts.ts';

interface Framework {
  readonly name: string;
  /** In a word of the command line. */
  readonly words?: RegExp;
  readonly variables?: readonly string[];
  readonly libraries?: readonly string[];
}

/** What native code may look for among the libraries of a rank: a part of the path → the framework that it tells. */
const LIBRARIES: Readonly<Record<string, string>> = allowed.libraries;

export const FRAMEWORK_LIBRARIES: readonly string[] = Object.keys(LIBRARIES);

const librariesOf = (framework: string) => FRAMEWORK_LIBRARIES.filter((part) => LIBRARIES[part] === framework);

/** The first that fits counts: what is built on others comes before them. Names as `sources.job_log[].framework` has them. */
const FRAMEWORKS: readonly Framework[] = [
  { name: 'vllm', words: /(?:^|\/)vllm(?:$|[./])|^vllm\.|^VLLM::/ },
  { name: 'sglang', words: /^sglang(?:$|[.:])|(?:^|\/)sglang(?:$|\/)/ },
  { name: 'verl', words: /^verl\.|(?:^|\/)verl\// },
  { name: 'nemo', words: /(?:^|\/)(?:nemo|megatron_gpt_[\w]+\.py)(?:$|[./])|^nemo\./ },
  { name: 'megatron', words: /(?:^|\/)(?:pretrain_(?:gpt|bert|t5|llama|mamba|vlm)\w*\.py$|[Mm]egatron)|^--(?:tensor|pipeline)-model-parallel-size/ },
  { name: 'torchtitan', words: /^torchtitan(?:\.|$)|(?:^|\/)torchtitan\// },
  { name: 'maxtext', words: /(?:^|\/)[Mm]ax[Tt]ext(?:$|[./])/ },
  { name: 'llama-factory', words: /(?:^|\/)(?:llamafactory|LLaMA-Factory|llamafactory-cli)(?:$|[./])/ },
  { name: 'deepspeed', words: /^--deepspeed(?:$|[_=])|(?:^|\/)deepspeed(?:$|[./])/, variables: ['ACCELERATE_USE_DEEPSPEED'] },
  { name: 'ray', words: /^ray::/ },
  { name: 'jax', variables: ['JAX_PROCESS_ID', 'JAX_COORDINATOR_ADDRESS'], libraries: librariesOf('jax') },
  { name: 'tensorflow', libraries: librariesOf('tensorflow') },
  { name: 'pytorch', libraries: librariesOf('pytorch') },
]; // biome-ignore format: one row a framework

const MAX_WORDS = 64;

export function frameworkOf(
  command: readonly string[],
  variables: Readonly<Record<string, string>>,
  libraries: readonly string[],
): ProcessFact['framework'] {
  const words = command.slice(0, MAX_WORDS);
  for (const { name, words: pattern, variables: names, libraries: parts } of FRAMEWORKS) {
    if (pattern !== undefined && words.some((word) => pattern.test(word))) return { name, knownBy: 'command line' };
    if (names?.some((each) => variables[each] !== undefined)) return { name, knownBy: 'environment' };
    if (parts?.some((part) => libraries.includes(part))) return { name, knownBy: 'libraries that it has mapped' };
  }
  return null;
}
