// Which hwmon chips are read and what each of their sensors is a reading of: the fallback where nothing else tells it.

import { basename, join } from 'node:path';
import { canonicalPciAddress } from '../../model/component.ts';
import { seriesKey } from '../../model/reading.ts';
import type { SmallFiles } from '../files/small-files.ts';

/** More than any host has. */
const MAX_CHIPS = 64;
const MAX_FILES = 64;
const GPU = /^(?:amdgpu|xe|i915)$/;
const SOCKET = /^amd_hsmp/;
const SENSOR = /^(power|temp)\d{1,2}_(average|input|cap)$/;

export interface Sensor {
  readonly path: string;
  readonly key: string;
  readonly unit: 'power' | 'temperature';
  /** Errors that the kernel logs for a read of it look like this. */
  readonly errors: RegExp | null;
}

export interface Chip {
  readonly name: string;
  readonly folder: string;
  /** PCI address of the GPU that it sits on. */
  readonly gpu: string | null;
  readonly sensors: readonly Sensor[];
}

/** `powercap`: RAPL gives the power of the packages. */
export async function findChips(files: SmallFiles, sys: string, host: string, powercap: boolean): Promise<Chip[]> {
  const root = join(sys, 'class/hwmon');
  const chips: Chip[] = [];
  let socket = 0;
  for (const entry of ((await files.list(root)) ?? []).sort(byNumber)) {
    const folder = join(root, entry);
    const name = (await files.read(join(folder, 'name'))) ?? '';
    const real = (await files.real(join(folder, 'device'))) ?? '';
    const names = ((await files.list(folder)) ?? []).slice(0, MAX_FILES);
    const address = canonicalPciAddress(basename(real));
    const gpu = GPU.test(name) ? address : null;
    let sensors: Sensor[] = [];
    if (gpu !== null) sensors = gpuSensors(folder, names, `gpu/${gpu}`);
    if (SOCKET.test(name)) {
      const number = /:(\d{1,3})$/.exec(basename(real))?.[1] ?? String(socket);
      sensors = socketSensors(folder, names, `cpu/${host}/${Number(number)}`, powercap);
      socket += 1;
    }
    if (name === 'power_meter') sensors = await railSensors(files, folder, names, host, powercap);
    if (sensors.length > 0) chips.push({ name, folder, gpu, sensors });
    if (chips.length >= MAX_CHIPS) break;
  }
  return chips;
}

/** MI200 gives an average only, MI300 the present value only: one of the two becomes "power". */
function gpuSensors(folder: string, names: readonly string[], gpu: string): Sensor[] {
  const power = ['power1_average', 'power1_input'].find((file) => names.includes(file));
  const files: readonly (readonly [string | undefined, string])[] = [
    [power, 'power'],
    ['power1_cap', 'power_limit'],
    ['temp1_input', 'temperature'],
    ['temp2_input', 'junction_temperature'],
    ['temp3_input', 'memory_temperature'],
  ];
  return files.flatMap(([file, quantity]) =>
    file !== undefined && names.includes(file) ? [sensor(folder, file, seriesKey(gpu, quantity))] : [],
  );
}

function socketSensors(folder: string, names: readonly string[], cpu: string, powercap: boolean): Sensor[] {
  const quantities: readonly (readonly [string, string])[] = [
    ...(powercap ? [] : [['power1_input', 'power'] as const]),
    ['power1_cap', 'power_limit'],
  ];
  return quantities
    .filter(([file]) => names.includes(file))
    .map(([file, quantity]) => sensor(folder, file, seriesKey(cpu, quantity)));
}

/** ACPI names the rail on Grace ("Grace Power Socket 0"); without a name it is the whole machine. */
async function railSensors(
  files: SmallFiles,
  folder: string,
  names: readonly string[],
  host: string,
  powercap: boolean,
): Promise<Sensor[]> {
  if (!names.includes('power1_average')) return [];
  const rail = (await files.read(join(folder, 'power1_oem_info'))) ?? '';
  const key = railKey(rail, host);
  // RAPL's word on a package is finer.
  if (key === null || (powercap && key.startsWith('cpu/'))) return [];
  return [
    {
      ...sensor(folder, 'power1_average', key),
      errors: /^(?:ACPI\b.*(?:Error|Exception)|power_meter .*(?:error|fail))/i,
    },
  ];
}

export function railKey(text: string, host: string): string | null {
  const socket = /socket (\d{1,3})\b/i.exec(text)?.[1];
  if (socket === undefined) return seriesKey(`host/${host}`, 'acpi_power');
  const cpu = `cpu/${host}/${Number(socket)}`;
  if (/module/i.test(text)) return seriesKey(cpu, 'module_power');
  if (/grace/i.test(text)) return seriesKey(cpu, 'power');
  if (/sysio/i.test(text)) return seriesKey(cpu, 'uncore_power');
  if (/cpu/i.test(text)) return seriesKey(cpu, 'core_power');
  return null;
}

function sensor(folder: string, file: string, key: string): Sensor {
  const kind = SENSOR.exec(file)?.[1];
  return { path: join(folder, file), key, unit: kind === 'temp' ? 'temperature' : 'power', errors: null };
}

function byNumber(a: string, b: string): number {
  return Number(a.replace(/\D/g, '')) - Number(b.replace(/\D/g, ''));
}
