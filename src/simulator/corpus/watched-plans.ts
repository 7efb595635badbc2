// Several watched hosts: each has a daemon of its own, which sees what happens on its host and what all of them share.

import type { PlannedChange, PlannedStep } from '../scenario/planned-change.ts';
import type { ScenarioPlan } from '../scenario/scenario-plan.ts';

/** What no single host has: every daemon sees it unless the step names one. */
function isShared({ type }: PlannedChange): boolean {
  return /^(pdu|job|service)_/.test(type);
}

/** The plan of each watched host; the plan itself where there is one. */
export function watchedPlans(plan: ScenarioPlan): readonly ScenarioPlan[] {
  const { watched } = plan.world;
  if (watched.length < 2) return [plan];
  const [first] = watched;
  return watched.map((host) => {
    const isHere = (step: PlannedStep): boolean =>
      step.host === undefined ? isShared(step.change) || host === first : step.host === host.name;
    const jobs = plan.world.jobs.filter((job) => job.host === null || job.host === host.name);
    return { ...plan, world: { ...plan.world, host, jobs }, steps: plan.steps.filter(isHere) };
  });
}
