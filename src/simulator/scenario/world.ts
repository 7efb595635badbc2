// The rack of a plan: hosts, PDUs, feeds and jobs with every default filled in.

import { createHash } from 'node:crypto';
import { parseDuration } from '../../config/quantity.ts';
import { canonicalPciAddress, parseComponent } from '../../model/component.ts';
import type { Relation } from '../../model/topology.ts';
import type { HostDocument, NicDriver, PolledSource, ScenarioDocument } from './document.ts';
import type { Finding } from './validate.ts';

export interface PlannedGpu {
  readonly index: number;
  /** Canonical PCI address. */
  readonly address: string;
  readonly uuid: string;
  readonly serial: string;
  readonly model: string;
  readonly powerW: number;
  readonly limitW: number;
  readonly temperatureC: number;
  readonly slowdownC: number;
  readonly smClockMhz: number;
  readonly memoryClockMhz: number;
  /** Share of time at work; null: not read unless a change sets it. */
  readonly utilization: number | null;
  readonly memoryTemperatureC: number | null;
  readonly nvlinks: number;
}

export interface PlannedNic {
  readonly index: number;
  /** Canonical PCI address. */
  readonly address: string;
  /** "mlx5_0", "bnxt_re0", "efa_0" */
  readonly name: string;
  readonly driver: NicDriver;
  /** EFA is neither. */
  readonly link: 'infiniband' | 'ethernet' | 'unspecified';
  readonly rateGbit: number;
}

export interface PlannedHost {
  readonly name: string;
  readonly driver: string;
  readonly gpus: readonly PlannedGpu[];
  /** Of AMD's nothing is read but what bus and kernel log show. */
  readonly gpuVendor: 'nvidia' | 'amd';
  readonly packages: readonly { readonly powerW: number; readonly limitW: number }[];
  readonly bmc: PlannedBmc | null;
  readonly nics: readonly PlannedNic[];
  /** Usual share of space in use by path; empty: file systems are not read. */
  readonly filesystems: Readonly<Record<string, number>>;
}

export interface PlannedBmc {
  readonly model: 'old' | 'new';
  readonly supplies: number;
  readonly fans: number;
  readonly baseW: number;
  readonly limitW: number | null;
  readonly clockAheadMs: number;
}

export interface PlannedPdu {
  readonly name: string;
  readonly model: string;
  readonly phases: number;
  readonly outlets: number;
  readonly voltage: number;
  readonly current: number;
  readonly branches: number;
  readonly breakerRatingA: number;
}

export interface PlannedJob {
  readonly id: string;
  readonly framework: 'megatron' | 'torchtitan';
  readonly stepTimeMs: number;
  readonly ranks: readonly number[];
  readonly worldSize: number | null;
  readonly tokensPerStep: number;
  readonly iterations: number;
  readonly everyRank: boolean;
  /** Where its log is; null: on every watched host. */
  readonly host: string | null;
}

export interface PlannedService {
  readonly name: string;
  readonly running: number;
  readonly tokensPerSecond: number;
}

export interface PlannedTraced {
  readonly name: string;
  readonly sends: 'spans' | 'metrics';
  readonly perSecond: number;
  readonly latencyMs: number;
  readonly failing: number;
}

export interface PlannedWorld {
  /** The host that the daemon watches; the first of `watched`. */
  readonly host: PlannedHost;
  /** Every host that a daemon watches. */
  readonly watched: readonly PlannedHost[];
  readonly pdus: readonly PlannedPdu[];
  readonly feeds: readonly { readonly from: string; readonly to: string }[];
  readonly jobs: readonly PlannedJob[];
  readonly services: readonly PlannedService[];
  readonly traced: readonly PlannedTraced[];
  /** Where, and what runs there, as component text. */
  readonly runs: readonly { readonly from: string; readonly to: string }[];
  /** Further links of the topology. */
  readonly links: readonly { readonly from: string; readonly to: string; readonly relation: Relation }[];
  /** How often each source looks, ms. */
  readonly pollMs: Readonly<Record<PolledSource, number>>;
}

/** The defaults of the configuration for PDU and BMC; GPU and CPU as there. */
const USUAL_POLL: Readonly<Record<PolledSource, string>> = {
  gpu: '500ms',
  cpu: '500ms',
  pdu: '2s',
  bmc: '5s',
  nic: '5s',
  system: '10s',
  pci: '10s',
};

/** Where the eight network cards of such a host sit. */
const NIC_ADDRESSES = ['18:00', '40:00', '4f:00', '5e:00', '9a:00', 'c0:00', 'ce:00', 'dc:00'];

/** Where the eight GPUs of an HGX H100 board sit on common two-socket servers. */
const USUAL_ADDRESSES = ['1b:00', '43:00', '52:00', '61:00', '9d:00', 'c3:00', 'd1:00', 'df:00'];

export function planWorld(world: ScenarioDocument['world'], findings: Finding[]): PlannedWorld {
  const watched = planWatched(world, findings);
  return {
    host: watched[0] ?? NO_HOST,
    watched,
    pdus: (world.pdus ?? []).map((pdu) => ({
      name: pdu.name,
      model: pdu.model ?? 'AP8886',
      phases: pdu.phases,
      outlets: pdu.outlets,
      voltage: pdu.voltage,
      current: pdu.current ?? 12.5,
      branches: pdu.branches ?? pdu.phases,
      breakerRatingA: pdu.breaker_rating ?? 32,
    })),
    feeds: planFeeds(world.feeds ?? [], findings),
    jobs: (world.jobs ?? []).map((job) => ({
      id: job.id,
      framework: job.framework ?? 'megatron',
      stepTimeMs: job.step_time_ms,
      ranks: job.ranks ?? [],
      worldSize: job.world_size ?? null,
      tokensPerStep: job.tokens_per_step ?? 4_194_304,
      iterations: job.iterations ?? 5000,
      everyRank: job.every_rank === true,
      host: job.host ?? null,
    })),
    services: (world.services ?? []).map(({ name, running, tokens_per_second: tokensPerSecond }) => ({
      name,
      running,
      tokensPerSecond,
    })),
    traced: (world.traced ?? []).map((service) => ({
      name: service.name,
      sends: service.sends ?? 'spans',
      perSecond: service.per_second,
      latencyMs: service.latency_ms,
      failing: service.failing ?? 0,
    })),
    runs: (world.runs ?? []).map(([from, to]) => ({ from, to })),
    links: planLinks(world.links ?? [], findings),
    pollMs: {
      gpu: pollMs(world, 'gpu'),
      cpu: pollMs(world, 'cpu'),
      pdu: pollMs(world, 'pdu'),
      bmc: pollMs(world, 'bmc'),
      nic: pollMs(world, 'nic'),
      system: pollMs(world, 'system'),
      pci: pollMs(world, 'pci'),
    },
  };
}

const NO_HOST: PlannedHost = {
  name: '',
  driver: '',
  gpus: [],
  packages: [],
  bmc: null,
  nics: [],
  gpuVendor: 'nvidia',
  filesystems: {},
};

/** The hosts with a daemon: those named, or the first one. */
function planWatched({ hosts, watched }: ScenarioDocument['world'], findings: Finding[]): PlannedHost[] {
  const known = hosts.map(({ name }) => name).join(', ');
  const names = watched ?? hosts.slice(0, 1).map(({ name }) => name);
  return names.flatMap((name, i) => {
    const host = hosts.find((one) => one.name === name);
    if (host !== undefined) return [planHost(host)];
    findings.push({
      code: 'FL5108',
      path: ['world', 'watched', i],
      text: `no host ${name} in world.hosts. Known: ${known}`,
    });
    return [];
  });
}

function planLinks(
  links: NonNullable<ScenarioDocument['world']['links']>,
  findings: Finding[],
): NonNullable<ScenarioDocument['world']['links']> {
  links.forEach((link, i) => {
    for (const end of ['from', 'to'] as const) {
      if (parseComponent(link[end]) !== null) continue;
      const text = `world.links[${i}].${end}: ${link[end]} is not a component; write type/id, for example psu/node-3/1`;
      findings.push({ code: 'FL5108', path: ['world', 'links', i, end], text });
    }
  });
  return links;
}

function pollMs(world: ScenarioDocument['world'], source: PolledSource): number {
  // The schema has checked that it is a duration; a source that looked without a pause would never end.
  return Math.max(10, parseDuration(world.poll?.[source] ?? USUAL_POLL[source]) ?? 1000);
}

function planHost(host: HostDocument): PlannedHost {
  const gpus = host.gpus;
  const { cpus, bmc } = host;
  return {
    name: host.name,
    driver: gpus?.driver ?? '570.86.10',
    gpuVendor: gpus?.vendor ?? 'nvidia',
    gpus: Array.from({ length: gpus?.count ?? 0 }, (_, index) => {
      const digest = createHash('sha256').update(`${host.name}/gpu/${index}`).digest('hex');
      const written = gpus?.addresses?.[index] ?? USUAL_ADDRESSES[index] ?? `e${(index % 16).toString(16)}:00`;
      return {
        index,
        address: canonicalPciAddress(written) ?? written,
        uuid: `GPU-${[digest.slice(0, 8), digest.slice(8, 12), digest.slice(12, 16), digest.slice(16, 20), digest.slice(20, 32)].join('-')}`,
        serial: `16${Number.parseInt(digest.slice(0, 11), 16).toString().padStart(14, '0').slice(0, 11)}`,
        model: gpus?.model ?? 'NVIDIA H100 80GB HBM3',
        powerW: gpus?.power ?? 380,
        limitW: gpus?.limit ?? 400,
        temperatureC: gpus?.temperature ?? 61,
        slowdownC: gpus?.slowdown_temperature ?? 85,
        smClockMhz: gpus?.sm_clock_mhz ?? 1980,
        memoryClockMhz: gpus?.memory_clock_mhz ?? 2619,
        utilization: gpus?.utilization ?? null,
        memoryTemperatureC: gpus?.memory_temperature ?? null,
        nvlinks: gpus?.nvlinks ?? 0,
      };
    }),
    nics: planNics(host.nics),
    filesystems: host.filesystems ?? {},
    packages: Array.from({ length: cpus?.packages ?? 0 }, () => ({
      powerW: cpus?.power ?? 170,
      limitW: cpus?.limit ?? 280,
    })),
    bmc:
      bmc === undefined
        ? null
        : {
            model: bmc.model ?? 'new',
            supplies: bmc.supplies ?? 2,
            fans: bmc.fans ?? 6,
            baseW: bmc.base_power ?? 600,
            limitW: bmc.limit ?? null,
            clockAheadMs: (bmc.clock_ahead ?? 0) * 1000,
          },
  };
}

/** As the kernel counts RDMA devices, and what a card has no choice of. */
const NAMES: Readonly<Record<NicDriver, string>> = { mlx5: 'mlx5_', bnxt: 'bnxt_re', efa: 'efa_' };
const LINKS: Readonly<Partial<Record<NicDriver, PlannedNic['link']>>> = { bnxt: 'ethernet', efa: 'unspecified' };

function planNics(nics: HostDocument['nics']): PlannedNic[] {
  return Array.from({ length: nics?.count ?? 0 }, (_, index) => {
    const written = nics?.addresses?.[index] ?? NIC_ADDRESSES[index] ?? `f${(index % 16).toString(16)}:00`;
    const address = canonicalPciAddress(written) ?? written;
    const driver = nics?.driver ?? 'mlx5';
    const link = LINKS[driver] ?? nics?.link ?? 'infiniband';
    return { index, address, name: `${NAMES[driver]}${index}`, driver, link, rateGbit: nics?.rate ?? 400 };
  });
}

/** The links of all paths, each once. */
function planFeeds(paths: readonly (readonly string[])[], findings: Finding[]): { from: string; to: string }[] {
  const links = new Map<string, { from: string; to: string }>();
  paths.forEach((path, i) => {
    path.forEach((to, j) => {
      if (parseComponent(to) === null) {
        const text = `world.feeds[${i}][${j}] ${to} is not a component; write type/id, for example psu/node-3/1`;
        findings.push({ code: 'FL5108', path: ['world', 'feeds', i, j], text });
      }
      const from = path[j - 1];
      if (from !== undefined) links.set(`${from}\0${to}`, { from, to });
    });
  });
  return [...links.values()];
}
