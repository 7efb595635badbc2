// GPU-hours through the whole line: where two incidents of a scenario hit one job, the younger says under which its hours count.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lossOwner, lostOf } from '../../../src/model/gpu-hours.ts';
import { play } from '../../../src/simulator/corpus/play.ts';
import { keptCorpus } from '../../corpus/kept-corpus.ts';

for (const name of ['three-gpus-lost', 'shm-full']) {
  test(`${name}: no hour of the job counts twice`, async () => {
    const scenario = keptCorpus().find((each) => each.name === name) ?? assert.fail(name);
    const { incidents, simulatedMs } = await play(scenario.plan(0));
    const endMs = Math.max(...incidents.map(({ updatedMs }) => updatedMs));
    const sharing = incidents.filter(({ impact }) => impact.some(({ loss }) => (loss?.elsewhere ?? []).length > 0));
    assert.ok(sharing.length > 0);
    for (const { openedMs, impact } of sharing) {
      for (const { incidentId } of impact.flatMap(({ loss }) => loss?.elsewhere ?? [])) {
        const owner = incidents.find(({ id }) => id === incidentId) ?? assert.fail(incidentId);
        assert.ok(owner.openedMs <= openedMs && owner.impact.some(({ loss }) => loss?.elsewhere === undefined));
      }
    }
    // Each owner alone could not have lost more than all of its GPUs for as long as this took.
    const most = new Map<string, number>();
    for (const { component, loss } of incidents.flatMap(({ impact }) => impact)) {
      if (loss !== undefined) most.set(lossOwner(component), Math.max(most.get(lossOwner(component)) ?? 0, loss.gpus));
    }
    const sum = incidents.reduce((total, incident) => total + (lostOf(incident, endMs)?.gpuHours ?? 0), 0);
    const alone = sharing.reduce((total, { impact, ...rest }) => {
      const whole = impact.map((one) =>
        one.loss === undefined ? one : { ...one, loss: { ...one.loss, elsewhere: [] } },
      );
      return (
        total +
        (lostOf({ ...rest, impact: whole }, endMs)?.gpuHours ?? 0) -
        (lostOf({ ...rest, impact }, endMs)?.gpuHours ?? 0)
      );
    }, 0);
    assert.ok(alone > 0, 'nothing was shared');
    const bound = [...most.values()].reduce((total, gpus) => total + gpus, 0) * (simulatedMs / 3_600_000);
    assert.ok(sum > 0 && sum <= bound, `${sum} of at most ${bound}`);
  });
}
