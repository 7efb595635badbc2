// Which lines of a job's log mean something to the daemon: lines that are read and not understood are no source.

import type { JobLogConfig } from '../../config/config.ts';
import { JobLineDecoder } from '../../detection/text/job.ts';
import type { TextRecord } from '../../model/record.ts';
import type { SourceHealth } from '../../sources/source.ts';

const MEGATRON = 'Megatron-LM "iteration 120/ 5000 | … | elapsed time per iteration (ms): 412.0 |"';
const TITAN = 'torchtitan "step: 120 loss: 2.1 …"';
const LIGHTNING = 'Lightning "Epoch 0:  12%|█▏ | 12/100 [00:10<01:20,  1.10it/s, train_loss=2.1]"';

const KNOWN: Readonly<Record<JobLogConfig['framework'], string>> = {
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

interface Counted {
  readonly decoder: JobLineDecoder;
  lines: number;
  steps: number;
  /** Events and pauses: a job that starts up tells of them before its first step. */
  others: number;
}

/** Takes the lines as the daemon's detection would, and counts what it makes of them. */
export class JobLines {
  readonly #configs: readonly JobLogConfig[];
  readonly #counted = new Map<string, Counted>();

  constructor(configs: readonly JobLogConfig[]) {
    this.#configs = configs;
  }

  take(record: TextRecord): void {
    const { job } = record.attributes;
    const config = this.#configs.find((each) => each.job === job);
    if (record.source !== 'job-log' || config === undefined) return;
    const fresh = { decoder: new JobLineDecoder(config.job, config.framework), lines: 0, steps: 0, others: 0 };
    const counted = this.#counted.get(config.job) ?? fresh;
    this.#counted.set(config.job, counted);
    counted.lines += 1;
    const { steps, events, pauses } = counted.decoder.decode(record);
    counted.steps += steps.length;
    counted.others += events.length + pauses.length;
  }

  /** `health`: of the job logs, in the order of their configuration, as their source gives it. */
  judge(health: readonly SourceHealth[]): SourceHealth[] {
    let next = 0;
    return health.map((one) => {
      const config = one.source === 'job-log' ? this.#configs[next++] : undefined;
      const counted = config === undefined ? undefined : this.#counted.get(config.job);
      if (config === undefined || counted === undefined || one.status !== 'works') return one;
      if (counted.steps > 0) return { ...one, detail: `${one.detail}, ${counted.steps} of them progress` };
      if (counted.others > 0) return { ...one, detail: `${one.detail}, no progress among them yet` };
      const { job, path, framework } = config;
      return {
        ...one,
        status: 'absent',
        detail: `job ${job}: ${path}, ${counted.lines} lines, none recognised as progress`,
        remedy: `formats it knows: ${KNOWN[framework]}; check sources.job_log path and framework, or wait for the first step`,
      };
    });
  }
}
