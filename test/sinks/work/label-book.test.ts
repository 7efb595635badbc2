// For whom each device, rank and job works: few labels, one info series a job, one link series for each workload of a device.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkView } from '../../../src/identity/work/work.ts';
import { LabelBook } from '../../../src/sinks/work/label-book.ts';
import { pod, rank, use, view, work } from '../../identity/whose/made-view.ts';

const GPU = 'gpu/0000:9b:00.0';

function bookOf(given: WorkView): LabelBook {
  const book = new LabelBook();
  book.take(given);
  return book;
}

const NONE = { pod: null, namespace: null, container: null, hpcJob: null, manager: null, rank: null };
const LLAMA = work('llama', {
  aliases: ['991'],
  name: 'llama-70b',
  user: 'alice',
  account: 'nlp',
  queue: 'gpu',
  attempt: 2,
  worldSize: 16,
  framework: { name: 'megatron', knownBy: 'its modules' },
  pods: [pod('llama-0')],
  ranks: [rank(3, { pid: 4711, gpus: ['0000:9b:00.0'], pod: 'uid-llama-0' })],
});
const ALONE = () => view({ works: [LLAMA], devices: [use(GPU, 'llama', { ranks: [3], pod: pod('llama-0') })] });

test('a device that one job has carries its pod and the id of its scheduler, and no rank', () => {
  const book = bookOf(ALONE());
  const labels = { ...NONE, pod: 'llama-0', namespace: 'ml', container: 'trainer', hpcJob: '991', manager: 'slurm' };
  assert.deepEqual(book.of(GPU), labels);
  assert.deepEqual(book.of('nvlink/0000:9b:00.0/2'), labels);
  assert.deepEqual(book.of('pcie/0000:9b:00.0'), labels);
  assert.deepEqual(book.of('rank/llama/3'), { ...labels, rank: 3 });
  assert.deepEqual(book.of('rank/991/3'), { ...labels, rank: 3 }, 'under its other name');
  assert.equal(book.of('gpu/0000:1b:00.0'), null);
});

test('all the rest is on one info series, and neither pid nor id of a container is on any', () => {
  const points = bookOf(ALONE()).points();
  const [info, link, ...others] = points;
  assert.equal(others.length, 0);
  assert.deepEqual(
    [info?.metric, info?.value, info?.attributes],
    [
      'faultline.job.info',
      1,
      {
        'faultline.job.id': 'llama',
        'faultline.job.name': 'llama-70b',
        'faultline.job.manager': 'slurm',
        'user.name': 'alice',
        'faultline.job.account': 'nlp',
        'faultline.job.queue': 'gpu',
        'faultline.job.restart': '2',
        'faultline.job.framework': 'megatron',
        'faultline.job.world_size': '16',
        'k8s.pod.uid': 'uid-llama-0',
      },
    ],
  );
  assert.deepEqual(
    [link?.metric, link?.value, link?.attributes['hw.id'], link?.attributes['faultline.job.ranks']],
    ['faultline.job.device.share', 1, '0000:9b:00.0', '3'],
  );
  assert.doesNotMatch(JSON.stringify(points), /4711/);
});

test('a device that several share carries nothing of one of them, and a link for each', () => {
  const devices = [
    use(GPU, 'llama', { pod: pod('a'), sharedBy: 2 }),
    use(GPU, 'other', { pod: pod('b'), sharedBy: 2 }),
  ];
  const book = bookOf(view({ works: [LLAMA, work('other')], devices }));
  assert.deepEqual(book.of(GPU), { ...NONE, namespace: 'ml' }, 'what all have in common stays');
  const links = book.points().filter(({ metric }) => metric === 'faultline.job.device.share');
  assert.deepEqual(
    links.map(({ labels, value }) => [labels.pod, value]),
    [
      ['a', 0.5],
      ['b', 0.5],
    ],
  );
});

test('a job of Kubernetes is named by its pod, and one that only a pid names by nothing', () => {
  const devices = [use(GPU, 'ml/llama', { pod: pod('llama-0') }), use('gpu/0000:1b:00.0', 'pid-77')];
  const works = [work('ml/llama', { manager: 'kubernetes' }), work('pid-77', { manager: 'process' })];
  const book = bookOf(view({ works, devices }));
  assert.equal(book.of(GPU)?.hpcJob, null);
  assert.equal(book.of('gpu/0000:1b:00.0'), null);
  assert.doesNotMatch(JSON.stringify(book.points()), /77/);
});

test('what did not change is the same object, and its version does not move', () => {
  const book = bookOf(ALONE());
  const [labels, points, version] = [book.of(GPU), book.points(), book.version];
  book.take(ALONE());
  assert.equal(book.of(GPU), labels);
  assert.equal(book.points(), points);
  assert.equal(book.version, version);
  book.take(view({ works: [LLAMA, work('5')], devices: ALONE().devices }));
  assert.equal(book.of(GPU), labels, 'another job came, this one is as it was');
  assert.notEqual(book.version, version);
  assert.ok(book.points().includes(points[0] as (typeof points)[0]));
});

test('an idle device has no labels from the next look on', () => {
  const book = bookOf(ALONE());
  book.take(view());
  assert.equal(book.of(GPU), null);
  assert.deepEqual(book.points(), []);
});

test('there are no more of them than a scrape can take, whatever runs here', () => {
  const works = Array.from({ length: 5000 }, (_, n) => work(`${n}`, { name: 'x'.repeat(1000) }));
  const points = bookOf(view({ works })).points();
  assert.ok(points.length <= 1024);
  assert.ok((points[0]?.attributes['faultline.job.name'] ?? '').length <= 128);
});
