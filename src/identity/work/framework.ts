// Frameworks: what a process trains or serves with, by its command line, its variables, and the libraries that it has mapped.

import type { ProcessFact } from './facts.ts';

interface Framework {
  readonly name: string;
  /** In a word of the command line. */
  readonly words?: RegExp;
  readonly variables?: readonly string[];
  readonly libraries?: readonly string[];
}

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
  { name: 'jax', variables: ['JAX_PROCESS_ID', 'JAX_COORDINATOR_ADDRESS'], libraries: ['/jaxlib/', 'xla_extension', 'libjax_common'] },
  { name: 'tensorflow', libraries: ['libtensorflow_framework', '_pywrap_tensorflow'] },
  { name: 'pytorch', libraries: ['libtorch_cpu', 'libtorch_python'] },
]; // biome-ignore format: one row a framework

/** What native code looks for among the libraries of a rank. */
export const FRAMEWORK_LIBRARIES: readonly string[] = FRAMEWORKS.flatMap(({ libraries }) => libraries ?? []);

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
