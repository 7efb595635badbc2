// RankLabel: the number by which a line names the rank that wrote it, and what that number counts.

/**
 * `global` over the whole job, `local` on this host, or `either`: "[rank3]:" is written by PyTorch's own logger with the
 * global number and by torchrun's tee under `--role rank`, as torchtitan starts it, with the local one.
 * `task`: as srun counts its tasks: one is a rank, or a node whose launcher starts the ranks.
 */
export interface RankLabel {
  readonly number: number;
  readonly means: 'global' | 'local' | 'either' | 'task';
}
