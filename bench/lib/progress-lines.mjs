// Progress lines: the lines of steps as each framework that `sources.job_log[].framework` names prints them, with numbers drawn again.

import { drawer } from './mixed-logs.mjs';

/** By framework: the lines of a step. */
const FORMS = {
  torchtitan: (i, d) => [
    `2026-11-28 12:${two(i / 60)}:${two(i)} - root - INFO - step: ${i}  loss: 2.${d(99_999)}  grad_norm: 0.${d(9999)}  memory: 40.1${d(9)}GiB(50.2${d(9)}%)  tps: ${7000 + d(999)}  tflops: 400.${d(99)}  mfu: 40.${d(99)}%`,
  ],
  'Megatron-LM': (i, d) => [
    ` [2026-11-28 12:${two(i / 60)}:${two(i)}] iteration ${String(i).padStart(8)}/  500000 | consumed samples: ${String(i * 2048).padStart(12)} | elapsed time per iteration (ms): ${5300 + d(99)}.${d(9)} | throughput per GPU (TFLOP/s/GPU): 412.${d(9)} | learning rate: 3.7${d(9999)}E-04 | global batch size:  2048 | lm loss: 1.9${d(9999)}E+00 | loss scale: 1.0 | grad norm: 0.${d(999)} | number of skipped iterations:   0 | number of nan iterations:   0 |`,
  ],
  Primus: (i, d) => [
    `[[32m20261128 12:${two(i / 60)}:${two(i)}[0m][[36mrank-7/8[0m][[1mINFO [0m] [1m[--------trainer.py:2560] : iteration ${i}/ 500000 | consumed samples: ${i * 128} | elapsed time per iteration (ms): ${13_300 + d(99)}.${d(9)}/13364.${d(9)} | hip mem usage/free/total/usage_ratio: 153.${d(99)}GB/102.17GB/255.98GB/60.${d(99)}% | throughput per GPU (TFLOP/s/GPU): 567.${d(9)}/568.${d(9)} | tokens per GPU (tokens/s/GPU): 9801.${d(9)}/9807.${d(9)} | learning rate: 9.98${d(9999)}E-06 | global batch size: 128 | lm loss: 6.54${d(9999)}E-03 | loss scale: 1.0 | grad norm: 0.0${d(99)} | number of skipped iterations: 0 | number of nan iterations: 0 |[0m`,
  ],
  NeMo: (i, d) => [
    `Epoch 0: :  ${10 + (Math.floor(i / 1000) % 90)}%|${'█'.repeat(Math.floor(i / 10_000))}▏${' '.repeat(9 - Math.floor(i / 10_000))}| ${i}/100000 [1:${two(i / 60)}:${two(i)}<14:13:07, v_num=0, reduced_train_loss=11.${d(99)}, global_step=${i}.0, consumed_samples=${i * 128}.0, train_step_timing in s=49.${d(99)}]`,
  ],
  'NeMo, its lines': (i, d) => [
    `Training epoch 0, iteration ${i}/100000 | lr: 3.${d(9)}e-05 | consumed_samples: ${i * 128} | global_batch_size: 128 | global_step: ${i} | reduced_train_loss: 1.${d(9999)} | train_step_timing in s: 0.${d(9999)}`,
  ],
  Lightning: (i, d) => [
    `Epoch 0:  ${10 + (Math.floor(i / 1000) % 90)}%|${'█'.repeat(Math.floor(i / 10_000))}▏${' '.repeat(9 - Math.floor(i / 10_000))}| ${i}/100000 [1:${two(i / 60)}:${two(i)}<14:13:07,  1.${10 + d(89)}it/s, v_num=3, train_loss=2.${d(999)}]`,
  ],
  DeepSpeed: (i, d) => [
    `[2026-11-28 12:${two(i / 60)}:${two(i)},100] [INFO] [logging.py:96:log_dist] [Rank 0] step=${i}, skipped=2, lr=[${d(9)}e-05, 5e-05], mom=[(0.9, 0.999), (0.9, 0.999)]`,
    `[2026-11-28 12:${two(i / 60)}:${two(i)},101] [INFO] [timer.py:260:stop] epoch=0/micro_step=${4 * i}/global_step=${i}, RunningAvgSamplesPerSec=25.${d(99)}, CurrSamplesPerSec=25.${d(99)}, MemAllocated=4.0GB, MaxMemAllocated=38.49GB`,
  ],
  MaxText: (i, d) => [
    `I1128 12:${two(i / 60)}:${two(i)}.000000 1 metric_logger.py:196] completed step: ${i}, seconds: 6.${d(999)}, TFLOP/s/device: 451.${d(999)}, Tokens/s/device: 8123.${d(999)}, total_weights: 393216, loss: 6.${d(999)}, lm_loss: 6.7, perplexity: 812.4`,
  ],
  Transformers: (i, d) => [
    ` ${10 + (Math.floor(i / 1000) % 90)}%|█▏        | ${i}/100000 [1:${two(i / 60)}:${two(i)}<14:13:07,  2.0${d(9)}s/it]`,
    `{'loss': 1.${d(9999)}, 'grad_norm': 0.${d(9999)}, 'learning_rate': 4.${d(99)}e-05, 'epoch': 0.${10 + Math.floor(i / 1000)}}`,
  ],
  veRL: (i, d) => [
    `step:${i} - global_seqlen/min:41${d(99)}.000 - global_seqlen/max:48${d(99)}.000 - actor/entropy:0.${d(999)} - actor/pg_loss:-0.${d(999)} - actor/pg_clipfrac:0.${d(999)} - actor/ppo_kl:0.${d(999)} - actor/grad_norm:0.${d(999)} - actor/lr:1e-06 - response_length/mean:81${d(9)}.25 - timing_s/gen:20.${d(99)} - timing_s/update_actor:18.${d(99)} - timing_s/step:45.${d(99)} - perf/throughput:1204.${d(99)}`,
  ],
  Composer: (i, d) => [
    `[batch=${i}/100000]:`,
    '\t Train time/epoch: 0',
    `\t Train time/batch: ${i - 1}`,
    `\t Train loss/train/total: 2.${d(9999)}`,
    '\t Train throughput/batches_per_sec: 0.5',
    `\t Train throughput/samples_per_sec: 16.${d(99)}`,
    `\t Train throughput/device/tokens_per_sec: 4096.${d(99)}`,
    `\t Train l2_norm/grad/global: 1.${d(999)}`,
  ],
}; // biome-ignore format: a line of a log a line

export const PROGRESS_FORMS = Object.keys(FORMS);

/** So many lines of steps of one of them, each a second behind the one before. */
export function progressLines(form, count) {
  const draw = drawer(5);
  const lines = [];
  for (let i = 1; lines.length < count; i += 1) lines.push(...FORMS[form](i, draw));
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}

function two(n) {
  return String(Math.floor(n) % 60).padStart(2, '0');
}
