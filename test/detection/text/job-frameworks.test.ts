// Step lines of each framework, made by hand in its format: what is printed is read, in SI units, and nothing else is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Progress } from '../../../src/detection/text/job/progress.ts';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { jobRecord, START_MS } from './lines.ts';

/** The steps that a log reports, with the fields that they hold. */
function read(lines: readonly string[], decoder = new JobLineDecoder('llama')): Partial<Progress>[] {
  const decoded = lines.map((line, index) => decoder.decode(jobRecord(line, index, START_MS + index * 1000)));
  decoded.push(decoder.flush());
  return decoded.flatMap(({ steps }) => steps.map(({ progress }) => reported(progress)));
}

function reported({ time, rank, framework, ...progress }: Progress): Partial<Progress> {
  return Object.fromEntries(Object.entries({ framework, ...progress }).filter(([, value]) => value !== null));
}

test('Transformers: the dictionary takes its step from the bar before it, and the bar continues by itself', () => {
  assert.deepEqual(
    read([
      '  1%|▏         | 10/1000 [00:12<20:38,  1.25s/it]',
      "{'loss': 2.3104, 'grad_norm': 1.52, 'learning_rate': 4.95e-05, 'epoch': 0.01}",
      '  1%|▏         | 11/1000 [00:13<20:36,  1.25s/it]',
      '  2%|▏         | 20/1000 [00:17<08:10,  2.00it/s]',
      "{'loss': '2.2004', 'grad_norm': '1.31', 'learning_rate': '4.9e-05', 'epoch': '0.02'}",
    ]),
    [
      { framework: 'transformers', iteration: 10, target_iteration: 1000, step_time_ms: 1250, step_time_from: 'printed', loss: 2.3104, grad_norm: 1.52, learning_rate: 4.95e-5 },
      { framework: 'transformers', iteration: 11, target_iteration: 1000, step_time_ms: 1250, step_time_from: 'printed' },
      { framework: 'transformers', iteration: 20, target_iteration: 1000, step_time_ms: 500, step_time_from: 'printed' },
      { framework: 'transformers', iteration: 20, target_iteration: 1000, step_time_ms: 500, step_time_from: 'printed', loss: 2.2004, grad_norm: 1.31, learning_rate: 4.9e-5 },
    ],
  ); // biome-ignore format: one step a line
});

test('Transformers: without a bar the dictionary has no step, and its loss is read all the same', () => {
  assert.deepEqual(read(["{'loss': 1.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.3}"]), [
    { framework: 'transformers', loss: 1.5, grad_norm: 0.5, learning_rate: 1e-5 },
  ]);
});

test('Transformers: bars of data sets, downloads and evaluations count no steps', () => {
  assert.deepEqual(
    read([
      'Map: 100%|██████████| 5000/5000 [00:02<00:00, 2411.26 examples/s]',
      'Loading checkpoint shards:  50%|█████     | 2/4 [00:03<00:03,  1.51s/it]',
      'model.safetensors:  12%|█▏        | 1.2G/9.9G [00:10<01:20, 110MB/s]',
      '  1%|          | 1/100 [00:02<03:18,  2.00s/it]',
      "{'loss': 2.0, 'learning_rate': 1e-05, 'epoch': 0.01}",
      ' 33%|███▎      | 4/12 [00:01<00:02,  3.90it/s]',
      '100%|██████████| 12/12 [00:03<00:00,  3.90it/s]',
      "{'eval_loss': 1.9, 'eval_runtime': 3.1, 'eval_samples_per_second': 8.1, 'epoch': 0.01}",
      '  2%|▏         | 2/100 [00:07<03:16,  2.00s/it]',
    ]).map(({ iteration }) => iteration),
    [1, 2],
  );
});

test('Transformers: what Axolotl, LLaMA-Factory and ms-swift add', () => {
  const [axolotl] = read([
    "{'loss': 1.1, 'grad_norm': 0.3, 'learning_rate': 2e-04, 'memory/max_active (GiB)': 10.0, 'tokens_per_second_per_gpu': 4321.5, 'epoch': 0.2}",
  ]);
  assert.equal(axolotl?.tokens_per_second_per_gpu, 4321.5);
  assert.equal(axolotl?.memory_used_gb, 10.73741824);
  const [factory] = read(["[INFO|2026-11-27 12:00:00] llamafactory.train.callbacks:143 >> {'loss': 1.2, 'learning_rate': 1e-5, 'epoch': 0.5, 'throughput': 5000.25}"]);
  assert.equal(factory?.tokens_per_second, 5000.25);
  const swift = read([
    "Train:   2%|▏         | 1/60 [00:55<54:36, 55.53s/it]{'loss': '0.6647', 'grad_norm': '0.8371', 'learning_rate': '3.333e-05', 'epoch': '0.08421', 'global_step/max_steps': '1/60', 'memory(GiB)': '14.34'}",
  ]);
  assert.deepEqual(swift.map(({ iteration, step_time_ms: ms, loss }) => [iteration, ms, loss]), [[1, 55_530, undefined], [1, undefined, 0.6647]]);
  assert.deepEqual(
    read(['{"current_steps": 10, "total_steps": 300, "loss": 1.04, "lr": 5e-05, "epoch": 0.1, "percentage": 3.33, "elapsed_time": "0:00:12", "throughput": 812.5}']),
    [{ framework: 'llama-factory', iteration: 10, target_iteration: 300, loss: 1.04, learning_rate: 5e-5, tokens_per_second: 812.5 }],
  );
}); // biome-ignore format: one line of a log a line

test('Lightning: the bar of an epoch, counted over epochs, and rich’s', () => {
  assert.deepEqual(
    read([
      'Sanity Checking DataLoader 0: 100%|██████████| 2/2 [00:00<00:00, 10.1it/s]',
      'Epoch 0:  12%|█▏        | 12/100 [00:10<01:16,  1.15it/s, v_num=3, train_loss=2.310]',
      'Epoch 2:   5%|▌         | 5/100 [00:04<01:16,  1.25it/s, loss=1.91, v_num=3]',
      'Validation DataLoader 0:  50%|█████     | 5/10 [00:01<00:01,  4.1it/s]',
      'Epoch 3/9 ━━━━━━━━━━╸━━━━━━━━ 7/100 0:00:10 • 0:01:20 2.00it/s v_num: 0.000 train_loss: 1.75',
    ]),
    [
      { framework: 'lightning', iteration: 12, step_time_ms: 1000 / 1.15, step_time_from: 'printed', loss: 2.31 },
      { framework: 'lightning', iteration: 205, step_time_ms: 800, step_time_from: 'printed', loss: 1.91 },
      { framework: 'lightning', iteration: 307, step_time_ms: 500, step_time_from: 'printed', loss: 1.75 },
    ],
  );
});

test('Lightning: a table of metrics, whose header says what the columns are', () => {
  assert.deepEqual(
    read([
      'epoch,lr-AdamW,step,train_loss,val_loss',
      '0,0.0001,49,2.31,',
      '0,,50,,2.11',
      '0,0.0001,99,nan,',
      '1,2,3',
      'a,b,c,d,e',
    ]),
    [
      { framework: 'lightning', iteration: 49, loss: 2.31 },
      { framework: 'lightning', iteration: 99, loss: 'nan', step_time_ms: 40, step_time_from: 'arrival' },
    ],
  );
});

test('NeMo: both of its ways, with the step that it counts itself', () => {
  assert.deepEqual(
    read([
      'Epoch 0: :  47%|████▋     | 7/15 [06:19<07:13, v_num=0, reduced_train_loss=11.50, global_step=5.000, consumed_samples=12288.0, train_step_timing in s=49.50]',
      'Epoch 0: :  48%|████▋     | 8/15 [06:19<07:13, v_num=0, reduced_train_loss=11.25, global_step=1.23e+5, train_step_timing in s=49.25]',
      'Training epoch 0, iteration 120/149 | lr: 3e-05 | consumed_samples: 121 | global_batch_size: 1 | global_step: 120 | reduced_train_loss: 1.233 | train_step_timing in s: 0.03146',
    ]).map(({ iteration, step_time_ms: ms, loss, consumed_samples: samples }) => [iteration, ms, loss, samples]),
    [
      [5, 49_500, 11.5, 12_288],
      [8, 49_250, 11.25, undefined],
      [120, 31.46, 1.233, 121],
    ],
  );
});

test('DeepSpeed: two lines of one step are one step, and each gives what it has', () => {
  const decoder = new JobLineDecoder('llama');
  const lines = [
    '[2026-11-27 12:00:01,100] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=2, lr=[5e-05, 5e-05], mom=[(0.9, 0.999), (0.9, 0.999)]',
    '[2026-11-27 12:00:01,101] [INFO] [timer.py:260:stop] epoch=0/micro_step=40/global_step=10, RunningAvgSamplesPerSec=25.02, CurrSamplesPerSec=25.70, MemAllocated=4.0GB, MaxMemAllocated=38.49GB',
    '[2026-11-27 12:00:01,101] [INFO] [logging.py:96:log_dist] [Rank 0] rank=0 time (ms) | forward: 652.41 | backward: 2164.52 | step: 1172.13',
    '[2026-11-27 12:00:21,100] [INFO] [logging.py:96:log_dist] [Rank 0] step=20, skipped=2, lr=[4e-05, 4e-05], mom=[(0.9, 0.999), (0.9, 0.999)]',
    '[2026-11-27 12:00:21,101] [INFO] [timer.py:260:stop] epoch=0/micro_step=80/global_step=20, RunningAvgSamplesPerSec=25.02, CurrSamplesPerSec=26.50, MemAllocated=4.0GB, MaxMemAllocated=38.49GB',
  ];
  const decoded = lines.map((line, index) => decoder.decode(jobRecord(line, index, START_MS + 25_000)));
  const samples = decoded.flatMap(
    ({ samples: batch }) => batch?.keys.map((key, i) => [key.split('#')[1], batch.values[i]]) ?? [],
  );
  assert.deepEqual(samples, [
    ['iteration', 10],
    ['learning_rate', 0.00005],
    ['samples_per_second', 25.7],
    ['memory_used', 2 ** 32],
    ['step_time', 2],
    ['iteration', 20],
    ['learning_rate', 0.00004],
    ['samples_per_second', 26.5],
    ['memory_used', 2 ** 32],
  ]);
  assert.deepEqual(
    decoded.flatMap(({ events }) => events),
    [],
  );
  assert.deepEqual(reported(decoded[1]?.steps[0]?.progress ?? assert.fail()), {
    framework: 'deepspeed',
    iteration: 10,
    samples_per_second: 25.7,
    memory_used_gb: 4 * 1.073741824,
  });
});

test('DeepSpeed: its pipeline, its older timer, and GPT-NeoX’s line', () => {
  assert.deepEqual(
    read([
      'steps: 200 loss: 5.5508 lm loss: 5.5103 moe loss: 0.0405 iter time (s): 0.936 samples/sec: 136.706',
      '[2022-03-11 02:06:58,985] [INFO] [timer.py:189:stop] 0/240, SamplesPerSec=83.48, MemAllocated=0.26GB, MaxMemAllocated=9.02GB',
      ' samples/sec: 7.799 | iteration      334/   10000 | elapsed time per iteration (ms): 4103.1 | learning rate: 2.111E-06 | approx flops per GPU: 112.9TFLOPS | lm_loss: 1.118665E+01 | number of skipped iterations:   0 |',
    ]).map(({ iteration, step_time_ms: ms, samples_per_second: samples, loss, tflops_per_gpu: tflops }) => [iteration, ms, samples, loss, tflops]),
    [
      [200, 936, 136.706, 5.5508, undefined],
      [240, 25, 83.48, undefined, undefined],
      [334, 4103.1, 7.799, 11.18665, 112.9],
    ],
  ); // biome-ignore format: one line of a log a line
});

test('MaxText', () => {
  assert.deepEqual(
    read(['I0804 08:14:00.000000 1 metric_logger.py:196] completed step: 7, seconds: 6.051, TFLOP/s/device: 451.236, Tokens/s/device: 8123.462, total_weights: 393216, loss: 6.765, lm_loss: 6.7, perplexity: 812.4']),
    [{ framework: 'maxtext', iteration: 7, step_time_ms: 6051, step_time_from: 'printed', tflops_per_gpu: 451.236, tokens_per_second_per_gpu: 8123.462, loss: 6.765 }],
  ); // biome-ignore format: one line of a log a line
});

test('veRL: reinforcement learning behind Ray’s prefix, and fine-tuning', () => {
  assert.deepEqual(
    read([
      '\u001b[36m(TaskRunner pid=9234)\u001b[0m step:10 - global_seqlen/min:4123.000 - actor/entropy:0.312 - actor/pg_loss:-0.017 - actor/grad_norm:0.455 - actor/lr:1e-06 - perf/throughput:1204.5 - timing_s/gen:20.1 - timing_s/step:45.25',
      'step:11 - actor/pg_loss:np.float64(-0.02) - actor/grad_norm:np.float64(0.5) - perf/time_per_step:46.5 - timing_s/step:46.4',
      'step:12 - train/loss:0.812 - train/lr(1e-3):0.01',
    ]),
    [
      { framework: 'verl', iteration: 10, step_time_ms: 45_250, step_time_from: 'printed', tokens_per_second_per_gpu: 1204.5, loss: -0.017, grad_norm: 0.455, learning_rate: 1e-6 },
      { framework: 'verl', iteration: 11, step_time_ms: 46_500, step_time_from: 'printed', loss: -0.02, grad_norm: 0.5 },
      { framework: 'verl', iteration: 12, step_time_ms: 1000, step_time_from: 'arrival', loss: 0.812 },
    ],
  ); // biome-ignore format: one step a line
});

test('Composer: a block is a step when the next line is none of it, or the input ends', () => {
  const block = (batch: number, loss: number): string[] => [
    `[batch=${batch}/100]:`,
    '\t Train time/epoch: 0',
    `\t Train time/batch: ${batch - 1}`,
    `\t Train loss/train/total: ${loss}`,
    '\t Train throughput/batches_per_sec: 0.5',
    '\t Train throughput/samples_per_sec: 16.0',
    '\t Train throughput/device/tokens_per_sec: 4096.5',
    '\t Train l2_norm/grad/global: 1.25',
  ];
  const step = { framework: 'composer', target_iteration: 100, step_time_ms: 2000, step_time_from: 'printed', samples_per_second: 16, tokens_per_second_per_gpu: 4096.5, grad_norm: 1.25 } as const; // biome-ignore format: one step
  assert.deepEqual(read([...block(1, 11.5), ...block(2, 11.25).map((line) => `0: ${line}`), 'done']), [
    { ...step, iteration: 1, loss: 11.5 },
    { ...step, iteration: 2, loss: 11.25 },
  ]);
  assert.deepEqual(read(['[epoch=1][batch=5/5]:', '  Train time/batch: 9', '  Train loss/train/total: 8.5']), [
    { framework: 'composer', iteration: 10, loss: 8.5 },
  ]);
  const [bar] = read([
    'train          Epoch   0:   12%|███▌      | 12/100 [00:10<01:20,  1.25ba/s, loss/train/total=2.3100]',
  ]);
  assert.deepEqual(bar, {
    framework: 'composer',
    iteration: 12,
    step_time_ms: 800,
    step_time_from: 'printed',
    loss: 2.31,
  });
});

test('others: nanochat, TensorFlow’s examples, diffusers', () => {
  assert.deepEqual(
    read([
      'step 00004/21400 (0.02%) | loss: 8.893647 | lrm: 1.00 | dt: 989.44ms | tok/sec: 529,882 | mfu: 74.13 | total time: 0.00m',
      '2026-11-27 12:00:17.831797: step 10960, loss = 0.98 (9134.5 examples/sec; 0.014 sec/batch)',
      'Steps:   2%|▏         | 20000/100000 [00:12<20:38,  1.25s/it, lr=1e-05, step_loss=0.123]',
    ]).map(({ iteration, step_time_ms: ms, loss, tokens_per_second: tokens, mfu }) => [iteration, ms, loss, tokens, mfu]),
    [
      [4, 989.44, 8.893647, 529_882, 0.7413],
      [10_960, 14, 0.98, undefined, undefined],
      [20_000, 1250, 0.123, undefined, undefined],
    ],
  ); // biome-ignore format: one line of a log a line
});

test('launchers’ prefixes: each rank is a printer of its own, and says which it is', () => {
  const decoder = new JobLineDecoder('llama');
  const ranks = [
    "[default0]:{'loss': 1.5, 'learning_rate': 1e-05, 'epoch': 0.3}",
    '[rank3]:step: 7  loss:  4.5  tps: 100',
    '2: completed step: 7, seconds: 6.051, loss: 6.7',
    '[Rank 1] completed step: 7, seconds: 6.051, loss: 6.7',
  ].map((line, index) => decoder.decode(jobRecord(line, index)).steps[0]?.progress.rank);
  // The number before a colon is a rank or a host: which one is not known.
  assert.deepEqual(ranks, [null, 3, null, 1]);
  const bars = ['0:   1%|▏         | 10/1000 [00:12<20:38,  1.25s/it]', "0: {'loss': 2.5, 'epoch': 0.01}"];
  const [step] = bars.flatMap((line, index) => decoder.decode(jobRecord(line, index)).steps);
  assert.deepEqual([step?.progress.iteration, step?.progress.loss], [10, 2.5]);
});

test('a framework that is named is the only one that is read', () => {
  const maxtext = 'completed step: 7, seconds: 6.051, TFLOP/s/device: 451.2, Tokens/s/device: 81.4, loss: 6.7';
  const bar = 'Epoch 0:  12%|█▏        | 12/100 [00:10<01:16,  1.15it/s, v_num=3]';
  assert.deepEqual(
    read([maxtext, bar], new JobLineDecoder('llama', 'lightning')).map(({ framework }) => framework),
    ['lightning'],
  );
  assert.deepEqual(
    read([maxtext, bar], new JobLineDecoder('llama', 'maxtext')).map(({ framework }) => framework),
    ['maxtext'],
  );
  assert.deepEqual(read([maxtext, bar], new JobLineDecoder('llama', 'megatron')), []);
});

test('two frameworks in one log do not take each other’s counts for a restart', () => {
  const decoder = new JobLineDecoder('llama');
  const events = Array.from({ length: 20 }, (_, i) => [
    `Epoch 0:  12%|█▏        | ${4 * i + 4}/100 [00:10<01:16,  1.15it/s, v_num=3]`,
    `[Rank 0] step=${i + 1}, skipped=0, lr=[5e-05], mom=[(0.9, 0.999)]`,
  ]).flatMap((pair, i) => pair.flatMap((line, k) => decoder.decode(jobRecord(line, 2 * i + k)).events));
  assert.deepEqual(events, []);
});

test('a loss that is not a number is reported, in Transformers’ way of it too, and a bar does not end it', () => {
  const decoder = new JobLineDecoder('llama');
  const kinds = [
    '  1%|▏         | 10/1000 [00:12<20:38,  1.25s/it]',
    "{'loss': 2.0, 'grad_norm': nan, 'learning_rate': 4.95e-05, 'epoch': 0.01}",
    "{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 4.95e-05, 'epoch': 0.01}",
    '  1%|▏         | 12/1000 [00:14<20:38,  1.25s/it]',
    "{'loss': 2.1, 'grad_norm': 1.0, 'learning_rate': 4.95e-05, 'epoch': 0.02}",
  ].map((line, index) => decoder.decode(jobRecord(line, index)).events.map(({ kind, state }) => `${kind} ${state}`));
  assert.deepEqual(kinds, [[], [], ['job.nan onset'], [], ['job.nan clear']]);
});
