// A loss that is not a number, in lines of steps of many loops; and lines that only have the word.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { WallTimes } from '../../../src/model/wall-times.ts';
import { jobRecord, START_MS } from './lines.ts';

function kindsOf(...lines: readonly string[]): string[] {
  const decoder = new JobLineDecoder('llama', 'auto', new WallTimes(), { host: 'node-1', rankOf: () => null });
  const found = lines.flatMap((line, i) => {
    const { faults, events } = decoder.decode(jobRecord(line, i));
    return [...faults, ...events];
  });
  return [...found, ...decoder.flush().faults, ...decoder.settle(START_MS + 3_600_000)].map(({ kind }) => kind);
}

for (const line of [
  'iter 1210: loss nan, time 230.01ms, mfu 41.12%',
  'iter 1210: loss nan',
  'Train Epoch: 1 [640/60000 (1%)]\tLoss: nan',
  '[12:01:11] batch 100/5000 | train loss nan | 12 ms/batch',
  '| epoch   1 |   200/ 2983 batches | lr 20.00 | ms/batch 12.10 | loss   nan | ppl      nan',
  '333 154 Loss=nan Time=0.040',
  '2026-11-28 12:01:02,141 Epoch[1] Batch[7] Speed: 143.86 samples/sec,  TripletLoss=nan,',
  'step 120: train/box_loss: nan, lr: 0.001',
  'iter 70 cls loss: nan%',
  ' 412/1875 [=====>........................] - ETA: 3s - loss: nan - accuracy: 0.0987',
  '      3/100      5.31G        nan        nan        nan         32        640: 100%|████| 92/92 [00:31<00:00,  2.91it/s]',
  'Monitored metric train_loss = nan is not finite. Previous best value was 0.231. Signaling Trainer to stop.',
])
  test(`"${line.slice(0, 60)}" is a loss that is not a number`, () => {
    assert.deepEqual(kindsOf(line), ['job.nan']);
  });

for (const line of [
  'step 250: train loss 2.1, val loss nan',
  '100/200 [====] - loss: 0.311 - val_loss: nan',
  'Epoch 3/10 val loss nan',
  '12 validation loss nan',
  'Epoch 3, val_box_loss: nan',
  'step 120: eval/loss: nan, lr: 0.001',
  'step 120, loss_scale: nan',
  'step 120, TripletLoss=0.91, glossary=nan',
  'Step 3 of the guide: if loss is nan, lower the rate',
  'step 100 loss 0.5911 best_val nan',
  '      3/100      5.31G      1.201      0.911      1.211         32        640: 100%|████| 92/92 [00:31<00:00,  2.91it/s]',
])
  test(`"${line.slice(0, 60)}" is not`, () => {
    assert.deepEqual(kindsOf(line), []);
  });

test('an exception that an answer to a request met is not the end of the server', () => {
  const head = '(APIServer pid=1) ERROR 06-11 18:22:41 [serving_chat.py:242] ';
  const error = 'ValueError: The decoder prompt (length 40961) is longer than the maximum model length of 40960.';
  assert.deepEqual(kindsOf(`${head}Error in preprocessing prompt inputs`, `${head}${error}`), []);
  assert.deepEqual(
    kindsOf(
      `${head}Traceback (most recent call last):`,
      `${head}  File "/a/serving.py", line 7, in f`,
      `${head}${error}`,
    ),
    [],
  );
});

test('a request that the engine did not outlive says that the engine is gone', () => {
  const head = '(APIServer pid=1) ERROR 06-11 18:22:41 [api_router.py:72] ';
  const dead =
    'vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause.';
  assert.deepEqual(kindsOf(`${head}  File "/a/serving.py", line 7, in f`, `${head}${dead}`), ['job.rank_crashed']);
});

test('a traceback of what was not caught is an end, though its exception is cut off; any other may have been caught, and counts where the log ends in it', () => {
  const frames = ['Traceback (most recent call last):', '  File "/a/run.py", line 7, in <module>', '    main()'];
  assert.deepEqual(kindsOf(...frames.map((line) => `[rank3]: ${line}`)), ['job.rank_crashed']);
  assert.deepEqual(kindsOf(...frames), ['job.rank_crashed']);
  assert.deepEqual(kindsOf(...frames, 'loaded the shards that are left'), []);
});
