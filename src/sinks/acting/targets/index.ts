// Which target carries out which action.

import type { Component } from '../../../model/component.ts';
import type { Incident } from '../../../model/incident.ts';
import { uuidOf } from '../decide/gates.ts';
import type { ActionName } from '../schema.ts';
import type { ActingConfig } from '../settings.ts';
import type { Recorded } from '../standing.ts';
import { GpuReset, Reboot } from './host.ts';
import { NodeCondition, NodeTaint } from './kubernetes.ts';
import { SlurmDrain } from './slurm.ts';
import type { Target } from './target.ts';

const SHORT_ID = 6;

export interface Surroundings {
  readonly host: string;
  now(): number;
  releaseDevices(durationMs: number): boolean;
}

/** Nothing is done before it is asked to. */
export function targetFor(
  action: ActionName,
  incident: Incident,
  config: ActingConfig,
  { host, now, releaseDevices }: Surroundings,
): Target {
  const { id, root, title } = incident;
  const why = `${root.kind} ${id.slice(0, SHORT_ID)}`;
  switch (action) {
    case 'condition':
      return new NodeCondition(config.kubernetes, host, { status: 'True', kind: root.kind, message: `${title} (incident ${id.slice(0, SHORT_ID)})`, atMs: now() }); // biome-ignore format: one line
    case 'taint':
      return new NodeTaint(config.kubernetes, host, root.kind);
    case 'slurm_drain':
      return new SlurmDrain(config.slurm, host, why);
    case 'gpu_reset':
      return new GpuReset(config.resetProgram, uuidOf(incident) ?? '', gpuOf(incident), {
        host,
        release: releaseDevices,
      });
    case 'reboot':
      return new Reboot(config.rebootProgram, host);
  }
}

/** What takes back what was set: the condition then says that the fault is over. `of`: the incident, as it was then. */
export function backTargetFor(action: ActionName, of: Recorded, title: string, config: ActingConfig, { host, now }: Surroundings): Target {
  const short = of.id.slice(0, SHORT_ID);
  switch (action) {
    case 'taint':
      return undone(new NodeTaint(config.kubernetes, host, of.root.kind));
    case 'slurm_drain':
      return undone(new SlurmDrain(config.slurm, host, `${of.root.kind} ${short}`));
    default:
      return new NodeCondition(config.kubernetes, host, { status: 'False', kind: 'no_fault', message: `over: ${title} (incident ${short})`, atMs: now() });
  }
} // biome-ignore format: one line each

function undone(target: Required<Pick<Target, 'undo' | 'undoWords'>> & Target): Target {
  const { stage, action, component, node, undoWords: words } = target;
  return {
    stage,
    action,
    component,
    node,
    words,
    count: async () => null,
    isDone: async () => false,
    tryOut: async () => undefined,
    act: () => target.undo(),
  };
}

function gpuOf({ action, root, host }: Incident): Component {
  const target = action.target?.type === 'gpu' ? action.target : root.component;
  return target ?? { type: 'host', id: host };
}
