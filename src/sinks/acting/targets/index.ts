// Which target carries out which action.

import type { Component } from '../../../model/component.ts';
import type { Incident } from '../../../model/incident.ts';
import { uuidOf } from '../decide/gates.ts';
import type { ActionName } from '../schema.ts';
import type { ActingConfig } from '../settings.ts';
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

/** The condition says that the fault is over. */
export function conditionOver(incident: Incident, config: ActingConfig, { host, now }: Surroundings): Target {
  const message = `over: ${incident.title} (incident ${incident.id.slice(0, SHORT_ID)})`;
  return new NodeCondition(config.kubernetes, host, { status: 'False', kind: 'no_fault', message, atMs: now() });
}

function gpuOf({ action, root, host }: Incident): Component {
  const target = action.target?.type === 'gpu' ? action.target : root.component;
  return target ?? { type: 'host', id: host };
}
