// The BMC of the watched host: how the world's changes reach its supplies, fans and limits.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SimulatedBmc } from '../bmc/simulated-bmc.ts';
import type { BmcState } from '../bmc/state.ts';
import { jitter, type RandomStream } from '../random.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import type { PlannedBmc, PlannedHost, PlannedWorld } from '../scenario/world.ts';
import { gpuStates } from './gpu-state.ts';

const USER = 'faultline';
const PASSWORD = 'simulated';
/** Where no feed of the world reaches a supply. V. */
const USUAL_VOLTAGE = 230;
const FAN_RPM = 8400;
const INLET_C = 24;

/** Null where the host has none. */
export async function startBmc(host: PlannedHost): Promise<SimulatedBmc | null> {
  if (host.bmc === null) return null;
  const { model, supplies, fans, limitW, clockAheadMs } = host.bmc;
  const facts = { user: USER, password: PASSWORD, serial: `SIM-${host.name}` };
  return SimulatedBmc.start({ model, supplies, fans, limitWatts: limitW, clockOffsetMs: clockAheadMs, ...facts });
}

/** What a daemon needs to log in: files in `folder`. */
export function writeBmcFiles(
  folder: string,
  bmc: SimulatedBmc,
): { user: string; passwordFile: string; caFile: string } {
  const passwordFile = join(folder, 'bmc-password');
  const caFile = join(folder, 'bmc-ca.pem');
  writeFileSync(passwordFile, `${PASSWORD}\n`, { mode: 0o600 });
  writeFileSync(caFile, bmc.certificate);
  return { user: USER, passwordFile, caFile };
}

/** Puts the state of the BMC in force; readings that nothing holds down wander by `jitterShare`. */
export function updateBmc(
  world: PlannedWorld,
  bmc: SimulatedBmc,
  changes: readonly PlannedChange[],
  random: RandomStream,
  jitterShare: number,
): void {
  const { state, faults } = bmc;
  if (world.host.bmc === null) return;
  setBmcState(world, state, changes, random, jitterShare);
  faults.silent = changes.some(({ type }) => type === 'bmc_silent');
  bmc.settle();
}

/** A BMC that has everything it was built with, well. */
export function usualBmcState({ supplies, fans, limitW }: PlannedBmc): BmcState {
  return {
    hostWatts: 0,
    limitWatts: limitW,
    supplies: Array.from({ length: supplies }, () => {
      return { inputVoltage: USUAL_VOLTAGE, fed: true, failed: false, standby: false, absent: false };
    }),
    fans: Array.from({ length: fans }, () => ({ rpm: FAN_RPM, failed: false })),
    inletC: INLET_C,
    health: null,
  };
}

/** What the changes in force make of it. */
export function setBmcState(
  world: PlannedWorld,
  state: BmcState,
  changes: readonly PlannedChange[],
  random: RandomStream,
  jitterShare: number,
): void {
  const wander = (value: number) => jitter(random, value, jitterShare);
  state.hostWatts = wander(hostWatts(world.host, changes));
  state.limitWatts = world.host.bmc?.limitW ?? null;
  state.inletC = INLET_C;
  state.health = null;
  state.supplies.forEach((supply, i) => {
    supply.inputVoltage = wander(feedVoltage(world, i + 1, changes));
    supply.fed = true;
    supply.failed = false;
    supply.absent = false;
  });
  for (const fan of state.fans) Object.assign(fan, { rpm: wander(FAN_RPM), failed: false });
  for (const change of changes) {
    if (change.type === 'psu_input_lost') Object.assign(state.supplies[change.supply - 1] ?? {}, { fed: false });
    if (change.type === 'psu_failed') Object.assign(state.supplies[change.supply - 1] ?? {}, { failed: true });
    if (change.type === 'fan_failed') Object.assign(state.fans[change.fan - 1] ?? {}, { failed: true });
    if (change.type === 'host_power_limit') state.limitWatts = change.to;
    if (change.type === 'inlet_temperature') state.inletC = change.to;
    if (change.type === 'psu_removed') Object.assign(state.supplies[change.supply - 1] ?? {}, { absent: true });
    if (change.type === 'host_health') state.health = change.to;
  }
}

/** What the host draws: its board, its GPUs and its CPUs under their limits. */
function hostWatts(host: PlannedHost, changes: readonly PlannedChange[]): number {
  const gpus = gpuStates(host, changes).reduce((sum, { powerW }) => sum + powerW, 0);
  const cpus = host.packages.map(({ powerW, limitW }, i) => {
    const limits = changes.filter((change) => change.type === 'cpu_power_limit');
    const limit = limits.filter((change) => change.package === 'all' || change.package === i).at(-1)?.to ?? limitW;
    return Math.min(powerW, limit);
  });
  return (host.bmc?.baseW ?? 0) + gpus + cpus.reduce((sum, watts) => sum + watts, 0);
}

/** Voltage of the phase from which power flows to a supply. */
function feedVoltage({ host, feeds, pdus }: PlannedWorld, supply: number, changes: readonly PlannedChange[]): number {
  let here = `psu/${host.name}/${supply}`;
  const seen = new Set<string>();
  while (!here.startsWith('pdu_phase/')) {
    const from = feeds.find(({ to }) => to === here)?.from;
    if (from === undefined || seen.has(from)) return USUAL_VOLTAGE;
    seen.add(from);
    here = from;
  }
  const [, name = '', phase = ''] = here.split('/');
  const voltages = changes.filter((change) => change.type === 'pdu_voltage');
  const held = voltages.filter((change) => change.pdu === name && change.phase === Number(phase)).at(-1)?.to;
  return held ?? pdus.find((pdu) => pdu.name === name)?.voltage ?? USUAL_VOLTAGE;
}
