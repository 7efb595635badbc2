// Lanes: the stations of a feed path from the power outside to the work, and where on the drawing each box is.

import type { Component, ComponentType } from '../../../model/component.ts';
import type { Kind } from '../../../model/kind.ts';

export const LANES = ['Power and cooling', 'Power supplies', 'Host', 'Devices, fabric', 'Work'] as const;

const LANE_OF: Readonly<Record<ComponentType, number>> = {
  pdu: 0, ups: 0, pdu_inlet: 0, pdu_phase: 0, pdu_branch: 0, pdu_outlet: 0, rack: 0, power_shelf: 0, cdu: 0,
  psu: 1,
  host: 2, fan: 2, cpu: 2, dimm: 2, disk: 2,
  gpu: 3, nic: 3, nvswitch: 3, pcie: 3, gpu_instance: 3, nvlink: 3, nvlink_domain: 3, switch_tray: 3,
  process: 4, job: 4, rank: 4, service: 4,
}; // biome-ignore format: a lane each

const BY_FAMILY: Readonly<Record<string, number>> = { power: 0, cooling: 0, psu: 1, gpu: 3, nvlink: 3, nvswitch: 3, nic: 3, pcie: 3, job: 4, process: 4, service: 4, net: 4, pod: 4 }; // biome-ignore format: one table

/** Of what names no device, by the family of its kind. */
export function laneOf(component: Component | null, kind: Kind): number {
  return component === null ? (BY_FAMILY[kind.slice(0, kind.indexOf('.'))] ?? 2) : LANE_OF[component.type];
}

export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface Band {
  readonly name: string;
  readonly y: number;
  readonly height: number;
}

export const BOX = { width: 232, height: 62 } as const;
export const WIDTH = 760;
const [PER_ROW, GAP_X, GAP_Y, EDGE, LABEL, BETWEEN] = [3, 16, 18, 16, 24, 26];

/** Boxes by their lanes, row by row; a lane without a box has no band. */
export function placed(lanes: readonly number[]): { places: Place[]; bands: Band[]; height: number } {
  const places: Place[] = lanes.map(() => ({ x: 0, y: 0 }));
  const bands: Band[] = [];
  let y = 0;
  for (const [lane, name] of LANES.entries()) {
    const own = lanes.flatMap((each, i) => (each === lane ? [i] : []));
    if (own.length === 0) continue;
    const rows = Math.ceil(own.length / PER_ROW);
    for (const [n, i] of own.entries()) {
      const x = EDGE + (n % PER_ROW) * (BOX.width + GAP_X);
      places[i] = { x, y: y + LABEL + Math.floor(n / PER_ROW) * (BOX.height + GAP_Y) };
    }
    const height = LABEL + rows * BOX.height + (rows - 1) * GAP_Y + 12;
    bands.push({ name, y, height });
    y += height + BETWEEN;
  }
  return { places, bands, height: Math.max(y - BETWEEN, 0) };
}
