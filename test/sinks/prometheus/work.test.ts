// A scrape while jobs come and go: whose a device is, by the names of dcgm-exporter, without doubles at a hand-over.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import { PrometheusSink } from '../../../src/sinks/prometheus/prometheus-sink.ts';
import { LabelBook } from '../../../src/sinks/work/label-book.ts';
import { pod, rank, use, view, work } from '../../identity/whose/made-view.ts';

const START = 1_700_000_000_000;
const ID = '0000:9b:00.0';
const NOTHING = { scopeMetrics: [] } as unknown as ResourceMetrics; // its resource is not looked at

function build() {
  const clock = { nowMs: START };
  const labels = new LabelBook();
  const sink = new PrometheusSink({
    host: 'node-3',
    version: '1.2.3',
    maxSeries: 100,
    dcgmNames: true,
    labels,
    now: () => clock.nowMs,
    self: { collect: async () => NOTHING },
  });
  sink.discovery({ component: { type: 'gpu', id: ID, host: 'node-3', aliases: ['gpu 3'] }, links: [], attributes: { uuid: 'GPU-1' } }); // biome-ignore format: one call
  const scrape = async (start: string) => {
    clock.nowMs += 1000;
    const sample = (key: string) => ({
      key,
      count: 2,
      min: 0.5,
      max: 0.5,
      mean: 0.5,
      last: 0.5,
      lastTimeMs: clock.nowMs,
    });
    sink.series([sample(`gpu/${ID}#utilization`), sample('rank/llama/3#step_time')], clock.nowMs);
    return String((await sink.scrape(undefined)).body)
      .split('\n')
      .filter((line) => line.startsWith(start));
  };
  return { labels, scrape };
}

const LLAMA = work('llama', { aliases: ['991'], user: 'alice', attempt: 1, pods: [pod('llama-0')], ranks: [rank(3)] });
const A = view({ works: [LLAMA], devices: [use(`gpu/${ID}`, 'llama', { pod: pod('llama-0'), ranks: [3] })] });

test('a series has the labels of the job that has the device, and loses them when it is idle', async () => {
  const { labels, scrape } = build();
  labels.take(A);
  assert.deepEqual(await scrape('hw_gpu_utilization_ratio'), [
    `hw_gpu_utilization_ratio{hw_gpu_task="general",hw_id="${ID}",hw_type="gpu",container="trainer",hpc_job="991",namespace="ml",pod="llama-0"} 0.5`,
  ]);
  assert.deepEqual(await scrape('DCGM_FI_DEV_GPU_UTIL'), [
    `DCGM_FI_DEV_GPU_UTIL{gpu="3",UUID="GPU-1",pci_bus_id="00000000:9B:00.0",device="nvidia3",modelName="",Hostname="node-3",DCGM_FI_DRIVER_VERSION="",container="trainer",hpc_job="991",namespace="ml",pod="llama-0"} 50`,
  ]);
  assert.match((await scrape('faultline_job_step_time_seconds'))[0] ?? '', /hpc_job="991",rank="3"\}/);
  assert.match((await scrape('hw_status{'))[0] ?? '', /hpc_job="991"/);
  labels.take(view());
  assert.deepEqual(await scrape('hw_gpu_utilization_ratio'), [`hw_gpu_utilization_ratio{hw_gpu_task="general",hw_id="${ID}",hw_type="gpu"} 0.5`]); // biome-ignore format: one line
  assert.equal(
    (await scrape('hw_status{')).some((line) => line.includes('hpc_job')),
    false,
  );
  assert.deepEqual(await scrape('faultline_job_info'), []);
  assert.deepEqual(await scrape('faultline_job_device'), []);
});

test('a hand-over is one series before and one after, never two', async () => {
  const { labels, scrape } = build();
  labels.take(A);
  const before = await scrape('hw_gpu_utilization_ratio');
  labels.take(view({ works: [work('992')], devices: [use(`gpu/${ID}`, '992')] }));
  const after = await scrape('hw_gpu_utilization_ratio');
  assert.deepEqual([before.length, after.length], [1, 1]);
  assert.match(after[0] ?? '', /hpc_job="992"\}/);
});

test('the info series has the rest, and the link series the share of each workload', async () => {
  const { labels, scrape } = build();
  const devices = [
    use(`gpu/${ID}`, 'llama', { pod: pod('a'), sharedBy: 2, ranks: [0, 1] }),
    use(`gpu/${ID}`, null, { pod: pod('b', null), sharedBy: 2 }),
  ];
  labels.take(view({ works: [LLAMA], devices }));
  assert.deepEqual(await scrape('faultline_job_info{'), [
    'faultline_job_info{job_id="llama",manager="slurm",pod_uid="uid-llama-0",restart="1",user="alice",container="trainer",hpc_job="991",namespace="ml",pod="llama-0"} 1',
  ]);
  assert.deepEqual(await scrape('faultline_job_device_share_ratio{'), [
    `faultline_job_device_share_ratio{hw_id="${ID}",hw_type="gpu",job_id="llama",ranks="0,1",container="trainer",hpc_job="991",namespace="ml",pod="a"} 0.5`,
    `faultline_job_device_share_ratio{hw_id="${ID}",hw_type="gpu",namespace="ml",pod="b"} 0.5`,
  ]);
  assert.deepEqual(await scrape('hw_gpu_utilization_ratio'), [`hw_gpu_utilization_ratio{hw_gpu_task="general",hw_id="${ID}",hw_type="gpu",namespace="ml"} 0.5`]); // biome-ignore format: one line
});

test('names that users gave are escaped', async () => {
  const { labels, scrape } = build();
  labels.take(view({ works: [work('5', { name: 'a"} 1\nhw_power_watts{x="\u001b' })] }));
  const [line, ...others] = await scrape('faultline_job_info{');
  assert.equal(others.length, 0);
  assert.match(line ?? '', /job_name="a\\"\} 1\\nhw_power_watts\{x=\\"\\\\x1b"/);
});
