// The ladder: the first step that works, a better one later, another where the one that was taken is dead.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KubeError } from '../../../../src/sources/kubernetes/kubelet/kubelet-error.ts';
import type { Feed, PodSink } from '../../../../src/sources/kubernetes/pod/feed.ts';
import { Ladder } from '../../../../src/sources/kubernetes/pod/ladder.ts';

class Step implements Feed {
  readonly name: string;
  readonly needs = 'a right';
  readonly notes: readonly string[] = [];
  trouble: KubeError | null = null;
  works: boolean;
  runs = false;

  constructor(name: string, works: boolean) {
    this.name = name;
    this.works = works;
  }

  async probe(): Promise<void> {
    if (!this.works) throw new KubeError('denied', `${this.name} is denied`);
  }

  start(_: PodSink): void {
    this.runs = true;
  }

  hurry(): void {}

  stop(): void {
    this.runs = false;
  }
}

const SINK: PodSink = { replace() {}, set() {}, drop() {} };

function ladderOf(...works: readonly boolean[]) {
  const steps = works.map((each, i) => new Step(`step ${i}`, each));
  const taken: (string | null)[] = [];
  const ladder = new Ladder(steps, SINK, (name) => taken.push(name));
  const [first, second] = steps;
  assert.ok(first !== undefined && second !== undefined);
  return { ladder, taken, first, second };
}

test('the first that works is taken, and the others say why not', async () => {
  const { ladder, first, second, taken } = ladderOf(false, true);
  await ladder.climb(0);
  assert.deepEqual([first.runs, second.runs, taken], [false, true, ['step 1']]);
  assert.deepEqual(
    ladder.rungs.map(({ why }) => why),
    ['step 0 is denied', null],
  );
});

test('a better one is taken when it comes to be there, after a while', async () => {
  const { ladder, first, second, taken } = ladderOf(false, true);
  await ladder.climb(0);
  first.works = true;
  await ladder.climb(60_000);
  assert.equal(second.runs, true, 'not asked again so soon');
  await ladder.climb(300_000);
  assert.deepEqual([first.runs, second.runs, taken], [true, false, ['step 1', 'step 0']]);
});

test('one that is dead for a minute is left for the next, one in short trouble is not', async () => {
  const { ladder, first, second } = ladderOf(true, true);
  await ladder.climb(0);
  first.trouble = new KubeError('down', 'gone');
  first.works = false;
  await ladder.climb(30_000);
  await ladder.climb(59_000);
  assert.deepEqual([first.runs, second.runs], [true, false]);
  await ladder.climb(90_000);
  assert.deepEqual([first.runs, second.runs], [false, true]);
});

test('where all are dead, the one that was taken is kept and tries on its own', async () => {
  const { ladder, first, second, taken } = ladderOf(true, false);
  await ladder.climb(0);
  first.trouble = new KubeError('down', 'gone');
  first.works = false;
  await ladder.climb(10_000);
  await ladder.climb(100_000);
  assert.deepEqual([first.runs, second.runs, taken], [true, false, ['step 0']]);
});

test('none works: asked again soon, and at once where something changed', async () => {
  const { ladder, first, taken } = ladderOf(false, false);
  await ladder.climb(0);
  assert.deepEqual(taken, [null]);
  first.works = true;
  await ladder.climb(5_000);
  assert.equal(first.runs, false);
  await ladder.climb(5_001, true);
  assert.equal(first.runs, true);
});
