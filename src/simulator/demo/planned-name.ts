// A component of a plan with the names by which people know it, as the daemon's own events carry them.

import { type Component, parseComponent } from '../../model/component.ts';
import { nameText } from '../../model/component-name.ts';
import type { ScenarioPlan } from '../scenario/scenario-plan.ts';

/** "node-3 gpu 5" for `gpu/0000:c3:00.0`; the text itself where it is not a component. */
export function plannedName(text: string, plan: ScenarioPlan): string {
  const component = parseComponent(text);
  return component === null ? text : nameText(named(component, plan));
}

function named(component: Component, plan: ScenarioPlan): Component {
  const { host } = plan.world;
  if (component.type === 'process') return { ...component, host: host.name };
  const gpu = host.gpus.find(({ address }) => component.type === 'gpu' && address === component.id);
  return gpu === undefined ? component : { ...component, host: host.name, aliases: [`gpu ${gpu.index}`] };
}
