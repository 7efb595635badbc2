// What a command line says of ranks: how many nodes a launcher starts on and which this is, the local rank that a launcher hands on, a
// number that an inference server puts into its title. Anyone may read a command line; a user wrote it, of the user's own processes.

import { launcherOf } from '../work/launcher.ts';

export interface SaidByCommand {
  /** Number among the ranks of this node. */
  readonly localRank: number | null;
  /** Of a launcher: nodes of the job, which of them this is, ranks that it starts here. */
  readonly nodes: number | null;
  readonly nodeRank: number | null;
  readonly perNode: number | null;
  /** Number over the whole of a server on one node, by its title. */
  readonly titleRank: number | null;
}

const MAX_WORDS = 512;
const MOST = 1_048_575;
const NOTHING: SaidByCommand = { localRank: null, nodes: null, nodeRank: null, perNode: null, titleRank: null };
/** vLLM and SGLang; with further parallel dimensions the number in one of them is not a rank. */
const TITLE = /^(?:VLLM::Worker|sglang::scheduler)_TP(\d{1,5})(?:_EP\d{1,5})?$/;

export function saidByCommand(command: readonly string[]): SaidByCommand | null {
  const words = command.slice(0, MAX_WORDS);
  const said = { ...NOTHING, ...ofLauncher(launcherOf(words), words) };
  const title = TITLE.exec(words[0]?.split(' ', 1)[0] ?? '')?.[1];
  if (title !== undefined) said.titleRank = number(title);
  if (launcherOf(words) === null) said.localRank = number(optionOf(words, ['--local_rank', '--local-rank']));
  return Object.values(said).some((value) => value !== null) ? said : null;
}

function ofLauncher(launcher: string | null, words: readonly string[]): Partial<SaidByCommand> {
  // What follows the program that it starts is not the launcher's.
  const own = words.slice(0, ownWords(words));
  switch (launcher) {
    case 'torchrun': {
      const nodes = own.includes('--standalone') ? '1' : (optionOf(own, ['--nnodes']) ?? '1');
      const count = number(/^(\d+):\1$/.exec(nodes)?.[1] ?? nodes);
      return {
        nodes: count,
        nodeRank: count === 1 ? 0 : given(own, ['--node_rank', '--node-rank']),
        perNode: given(own, ['--nproc_per_node', '--nproc-per-node']),
      };
    }
    case 'accelerate': {
      const nodes = number(optionOf(own, ['--num_machines', '--num-machines']) ?? null);
      const all = given(own, ['--num_processes', '--num-processes']);
      const nodeRank = nodes === 1 ? 0 : given(own, ['--machine_rank', '--machine-rank']);
      return { nodes, nodeRank, perNode: nodes === null || all === null || all % nodes !== 0 ? null : all / nodes };
    }
    case 'deepspeed': {
      const sizes = worldOf(optionOf(own, ['--world_info']));
      const same = sizes !== null && new Set(sizes).size === 1;
      return same ? { nodes: sizes.length, nodeRank: given(own, ['--node_rank']), perNode: sizes[0] ?? null } : {};
    }
    case 'mpi': {
      const elsewhere = own.some((word) => /^--?(?:H|host|hosts|hostfile|machinefile|f|default-hostfile)$/.test(word));
      return elsewhere ? {} : { nodes: 1, nodeRank: 0, perNode: given(own, ['-np', '-n', '--np', '-c']) };
    }
    default:
      return {};
  }
}

/** How many words come before the script: the first that ends in .py and is not the launcher itself. */
function ownWords(words: readonly string[]): number {
  const script = words.findIndex((word, at) => at > 1 && word.endsWith('.py') && !word.startsWith('-'));
  return script < 0 ? words.length : script;
}

/** DeepSpeed: base64 of {"host": [0, 1, …], …}. */
function worldOf(text: string | null): number[] | null {
  if (text === null) return null;
  try {
    const world: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (typeof world !== 'object' || world === null) return null;
    const lists = Object.values(world);
    return lists.length > 0 && lists.every(Array.isArray) ? lists.map((list) => list.length) : null;
  } catch {
    return null; // not what DeepSpeed writes
  }
}

function given(words: readonly string[], names: readonly string[]): number | null {
  return number(optionOf(words, names));
}

/** The word behind an option, or behind its equals sign. */
export function optionOf(words: readonly string[], names: readonly string[]): string | null {
  for (const [at, word] of words.entries()) {
    if (names.includes(word)) return words[at + 1] ?? null;
    const equals = word.indexOf('=');
    if (equals > 0 && names.includes(word.slice(0, equals))) return word.slice(equals + 1);
  }
  return null;
}

function number(text: string | null): number | null {
  if (text === null || !/^\d{1,7}$/.test(text)) return null;
  const value = Number(text);
  return value <= MOST ? value : null;
}
