// The frameworks whose progress lines are known.

export const JOB_FRAMEWORKS = [
  'auto',
  'megatron',
  'torchtitan',
  'transformers',
  'lightning',
  'nemo',
  'deepspeed',
  'maxtext',
  'verl',
  'composer',
] as const;
export type JobFramework = (typeof JOB_FRAMEWORKS)[number];
