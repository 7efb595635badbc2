// Devices text: one line for each device and each that has it.

import { row } from '../../incidents/report/layout.ts';
import { indexText } from '../../model/component-name.ts';
import type { DeviceDocument, DevicesDocument, DeviceUseDocument } from '../../model/documents/jobs.ts';
import { plain } from '../../model/plain.ts';
import { podText } from './jobs-text.ts';
import type { Layout } from './known-text.ts';

const SHORT_NAME = /^[a-z]+ \d{1,4}$/;
const GAP = '  ';
const LEAST = 24;

export function devicesText({ devices }: DevicesDocument, { width }: Layout): string[] {
  const rows = devices.flatMap((device) => {
    const uses = device.uses.length === 0 ? ['idle'] : device.uses.map(useText);
    return uses.map((use, at) => [at === 0 ? nameText(device) : '', use]);
  });
  const first = Math.min(Math.max(0, ...rows.map(([name = '']) => name.length)), Math.max(width - LEAST, LEAST));
  return rows.flatMap((cells) => row(cells, [first, Math.max(width - first - GAP.length, LEAST)], GAP));
}

/** `gpu/0000:9b:00.0 (gpu 3)`, `nic/0000:d2:00.0 (mlx5_0)` */
function nameText({ device, aliases }: DeviceDocument): string {
  const short = device.startsWith('nic/') ? aliases[0] : aliases.find((alias) => SHORT_NAME.test(alias));
  return `${plain(device, 64)}${short === undefined ? '' : ` (${plain(short, 64)})`}`;
}

/** `llama-70b (slurm 991) of alice, rank 3, pod ml/llama-0 (trainer), a half of it; driver's list of processes` */
function useText({ job, manager, name, user, ranks, pod, share, known_by }: DeviceUseDocument): string {
  const called = job === null ? 'no known job' : plain(name ?? job, 96);
  const id = job === null || name === null || name === job ? '' : ` (${manager === null ? '' : `${plain(manager, 32)} `}${plain(job, 96)})`; // biome-ignore format: one line
  return [
    `${called}${id}${user === null ? '' : ` of ${plain(user, 64)}`}`,
    ...(ranks.length === 0 ? [] : [`${ranks.length === 1 ? 'rank' : 'ranks'} ${indexText(ranks.map(String))}`]),
    ...(pod === null ? [] : [`pod ${podText(pod)}`]),
    ...(share === 1 ? [] : [`shared by ${Math.round(1 / share)}`]),
    plain(known_by, 128),
  ].join(', ');
}
