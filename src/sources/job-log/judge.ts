// Judges a job's log by what its lines meant: one that is read, and of which no line is understood, works in part at best.

import type { LineCount } from '../../detection/text/understood.ts';
import type { SourceHealth } from '../source.ts';
import type { JobLogSettings } from './settings.ts';

const MEGATRON = 'Megatron-LM "iteration 120/ 5000 | … | elapsed time per iteration (ms): 412.0 |"';
const TITAN = 'torchtitan "step: 120 loss: 2.1 …"';
const LIGHTNING = 'Lightning "Epoch 0:  12%|█▏ | 12/100 [00:10<01:20,  1.10it/s, train_loss=2.1]"';

const KNOWN: Readonly<Record<JobLogSettings['framework'], string>> = {
  auto: `${MEGATRON}, ${TITAN}, and those of Transformers, Lightning, NeMo, DeepSpeed, MaxText, veRL and Composer`,
  megatron: MEGATRON,
  torchtitan: TITAN,
  transformers: `Transformers "{'loss': 2.1, 'grad_norm': 0.4, 'learning_rate': 5e-05, 'epoch': 0.1}" and its progress bar`,
  lightning: LIGHTNING,
  nemo: `NeMo "Training epoch 0, iteration 120/5000 | … | train_step_timing in s: 0.41", ${LIGHTNING}`,
  deepspeed: 'DeepSpeed "[Rank 0] step=120, skipped=0, lr=[…], mom=[…]"',
  maxtext: 'MaxText "completed step: 120, seconds: 0.412, …, loss: 2.1"',
  verl: 'veRL "step:120 - … - timing_s/step:41.2"',
  composer: 'Composer "[batch=120/5000]:" and the lines below it',
};

/** `health`: of the log, as its source sees it. `count`: what came of its lines so far. */
export function judgeJobLog(
  health: SourceHealth,
  { job, path, framework }: JobLogSettings,
  count: Readonly<LineCount> | undefined,
): SourceHealth {
  if (count === undefined || health.status !== 'works') return health;
  if (count.steps > 0) return { ...health, detail: `${health.detail}, ${count.steps} of them progress` };
  if (count.others > 0) return { ...health, detail: `${health.detail}, no progress among them yet` };
  return {
    ...health,
    status: 'partial',
    detail: `job ${job}: ${path}, ${count.lines} lines, none recognised as progress`,
    remedy: `formats it knows: ${KNOWN[framework]}; check sources.job_log path and framework, or wait for the first step`,
  };
}
