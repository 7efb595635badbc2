// The process that takes the host's inventory once and ends: systeminformation starts shells and keeps caches, neither of
// which a daemon should. Prints one line of JSON. Its own program, in the bundle too.

import { readFileSync } from 'node:fs';
import * as si from 'systeminformation';

process.title = 'faultline-facts'; // at most 15 characters of it are seen

type Fact = string | number | boolean | null;

/** Each part may fail by itself: a container has no DMI, a user may not read the serial. */
async function part(read: () => Promise<Record<string, Fact>>): Promise<Record<string, Fact>> {
  try {
    return await read();
  } catch {
    return {};
  }
}

function underHypervisor(): boolean {
  try {
    return /^flags\s*:.*\bhypervisor\b/m.test(readFileSync('/proc/cpuinfo', 'utf8'));
  } catch {
    return false;
  }
}

// One after the other: the host has work to do, and no one waits. Never versions, graphics or networkInterfaces, which
// start dozens of processes, among them those of drivers.
const READS = [
  async () => {
    const { manufacturer, model, version, serial, virtual } = await si.system();
    // The library finds most hypervisors in the kernel log, which this process may not read; x86 CPUs say it themselves.
    return { vendor: manufacturer, model, version, serial, virtual: virtual || underHypervisor() };
  },
  async () => {
    const { vendor, version, releaseDate } = await si.bios();
    return { bios_vendor: vendor, bios_version: version, bios_date: releaseDate };
  },
  async () => {
    const { manufacturer, model, version } = await si.baseboard();
    return { board_vendor: manufacturer, board_model: model, board_version: version };
  },
  async () => {
    const { manufacturer, brand, processors, physicalCores, cores } = await si.cpu();
    const known = { cpu_sockets: processors, cpu_cores: physicalCores, cpu_threads: cores };
    return { cpu_vendor: manufacturer, cpu_model: brand, ...known };
  },
  async () => {
    // Without DMI one made-up module of all memory is given: it has no part number, and no type.
    const modules = (await si.memLayout()).filter(({ size, type, partNum }) => size > 0 && (type || partNum));
    const first = modules[0];
    if (first === undefined) return {};
    const bytes = modules.reduce((sum, { size }) => sum + size, 0);
    const kinds = [...new Set(modules.map(({ type }) => type))].join(', ');
    return { memory_modules: modules.length, memory_module_bytes: bytes, memory_type: kinds };
  },
  async () => ({ memory_bytes: (await si.mem()).total }),
  async () => {
    const { distro, release, kernel, arch } = await si.osInfo();
    return { os: `${distro} ${release}`.trim(), kernel, arch };
  },
];

async function takeAll(): Promise<Record<string, Fact>> {
  const facts: Record<string, Fact> = {};
  for (const read of READS) Object.assign(facts, await part(read));
  return facts;
}

void takeAll().then((facts) => process.stdout.write(`${JSON.stringify(facts)}\n`));
