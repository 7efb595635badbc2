// Reads what `lspci -vv` prints of GPUs, network cards, disks and NVSwitches: links below what both ends can do, error bits that
// are still set, devices that do not answer.

import type { Component, ComponentType } from '../../../model/component.ts';
import { canonicalPciAddress, componentText } from '../../../model/component.ts';
import type { Kind } from '../../../model/kind.ts';
import type { Finding } from '../kernel/finding.ts';
import { NOTHING, type Reported, type ReportReader } from './report.ts';

/** "0000:3b:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)", with -n "3b:00.0 0302: 10de:2330 (rev a1)". */
const DEVICE =
  /^((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) "?([A-Z3][\w ./-]{0,60}?(?:controller|accelerators|bridge|Bridge|[Dd]evice|peripheral|adapter|system|class \[\w{4}\])|[0-9a-f]{4}|Multimedia \w+|PIC)(?: \[[0-9a-f]{4}\])?: (\S.{0,300})$/;
const MOST_LINE = 512;
const GPUS = /^(?:3D|Display|VGA compatible) controller$|^Processing accelerators$|^(?:0300|0302|0380|1200)$/;
/** A board's own graphics chip computes nothing. */
const MAKERS = /^(?:NVIDIA|Advanced Micro Devices|Habana|Intel Corporation.*(?:Max|Flex|Gaudi)|10de:|1002:|1da3:)/;
const NICS = /^(?:Ethernet|Infiniband|InfiniBand|Network) controller$|^(?:0200|0207|0280)$/;
const DISKS = /^Non-Volatile memory controller$|^0108$/;
const BRIDGES = /bridge$|^0604$/;
const SWITCHES = /NVSwitch/;
const LINK = /^\s+(LnkCap|LnkSta):\s+(?:Port #\d+, )?Speed ([\d.]{1,5})GT\/s(?: \([\w -]{1,20}\))?, Width x(\d{1,2})\b/;
/** lspci has compared the width itself, and what the card can do was not copied with it. */
const NARROW = /, Width x\d{1,2} \(downgraded\)/;
/** "$ lspci -s 47:00.0 -vv | grep Lnk": what follows is of that device, whatever it is. */
const ASKED =
  /(?:^|[$#%>] {0,2}|\bsudo )lspci (?:-[\w]{1,6} ){0,3}-s ?((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\b/;
const BUSES = /^\s+Bus: primary=[0-9a-f]{2}, secondary=([0-9a-f]{2})\b/;
const GONE = /\(rev ff\)(?: \(prog-if ff\))?\s*$/;
const UNKNOWN_HEADER = /^\s+!!! Unknown header type 7f/;
const REGISTER = /^\s+([A-Z][A-Za-z0-9]{2,20}):\s/;
/** What does not fit into the line of a register is below it. */
const MORE_BITS = /^(?:\t{3}| {16})\s*[A-Z]\w+[+-](?: |$)/;
const CONTAINED = /^\s+DpcSta:\s+Trigger\+/;
const ERRORS: Readonly<Record<string, Kind>> = { UESta: 'pcie.uncorrected', CESta: 'pcie.corrected' };
/** What a device that is looked for, or asked for what it does not have, leaves set at each start. */
const HARMLESS = new Set(['UnsupReq', 'UnxCmplt', 'ACSViol', 'AdvNonFatalErr']);
/** No register has more. */
const MOST_BITS = 64;
/** No host has more. */
const MOST_SLOTS = 1024;
/** The speed to which a GPU that does nothing takes its link, to save power. */
const RESTING_GT_S = 2.5;

interface Link {
  readonly speed: number;
  readonly width: number;
}

interface Device {
  readonly component: Component;
  readonly is: What;
  /** What it can do, as its own registers say. */
  able: Link | null;
  /** Of a port: the bus below it. */
  bus: string | null;
  register: string;
  /** Of that register: what is set. */
  bits: string[];
  gone: boolean;
}

interface What {
  readonly type: ComponentType;
  /** Work waits for a slow link of it. */
  readonly fast: boolean;
  readonly port: boolean;
}

export class Lspci implements ReportReader {
  readonly form = 'lspci';
  readonly #host: string;
  /** What the port above each bus can do, by domain and bus. */
  readonly #above = new Map<string, Link>();
  /** Slots whose card is gone: its other functions, of sound or USB, are with it. */
  readonly #gone = new Set<string>();
  #device: Device | null = null;

  constructor(host: string) {
    this.#host = host;
  }

  take(line: string): Reported | null {
    if (line.length > MOST_LINE) return null;
    const device = DEVICE.exec(line);
    if (device !== null) return this.#begin(device, line);
    const asked = ASKED.exec(line);
    if (asked !== null) return this.#ask(asked);
    const open = this.#device;
    if (open === null) return null;
    if (!/^\s/.test(line) && line !== '') {
      this.#device = null;
      return null;
    }
    return this.#link(line, open) ?? this.#errors(line, open) ?? this.#state(line, open) ?? NOTHING;
  }

  #begin([, address = '', name = '', maker = '']: RegExpExecArray, line: string): Reported | null {
    const id = canonicalPciAddress(address);
    if (id === null) return null;
    const is = whatIs(name, maker);
    const component: Component = { type: is.type, id, host: this.#host };
    this.#device = { component, is, able: null, bus: null, register: '', bits: [], gone: false };
    return GONE.test(line) ? this.#lost(this.#device) : NOTHING;
  }

  /** The link of a device that someone asks for matters to them. */
  #ask([, address = '']: RegExpExecArray): Reported | null {
    const id = canonicalPciAddress(address);
    if (id === null) return null;
    const component: Component = { type: 'pcie', id, host: this.#host };
    this.#device = { component, is: { type: 'pcie', fast: true, port: false }, able: null, bus: null, register: '', bits: [], gone: false }; // biome-ignore format: one line
    return NOTHING;
  }

  #link(line: string, device: Device): Reported | null {
    const [, which, speed, width] = LINK.exec(line) ?? [];
    if (which === undefined) return null;
    const link = { speed: Number(speed), width: Number(width) };
    const { component, is, able, bus } = device;
    if (which === 'LnkCap') {
      device.able = link;
      if (bus !== null) this.#above.set(bus, link);
      return NOTHING;
    }
    if (!is.fast || link.width === 0 || !component.id.endsWith('.0')) return NOTHING;
    if (able === null) return NARROW.test(line) ? { ...NOTHING, findings: [narrow(component, link)] } : NOTHING;
    const text = componentText(component);
    const states = [
      { component: text, name: 'pcie_link_speed_gt_s', value: String(link.speed) },
      { component: text, name: 'pcie_link_width_lanes', value: String(link.width) },
    ];
    return { ...NOTHING, states, findings: this.#slow(component, link, able) };
  }

  /** `able`: what the card can do. Where the port above it was printed, no more is asked of the link than the port can do. */
  #slow(component: Component, link: Link, able: Link): Finding[] {
    const above = this.#above.get(busOf(component.id)) ?? able;
    const full = { speed: Math.min(able.speed, above.speed), width: Math.min(able.width, above.width) };
    const rests = component.type === 'gpu' && link.speed <= RESTING_GT_S;
    if (link.width >= full.width && (link.speed >= full.speed || rests)) return [];
    const attributes = {
      speed_gt_s: link.speed,
      width_lanes: link.width,
      full_speed_gt_s: full.speed,
      full_width_lanes: full.width,
    };
    return [{ kind: 'pcie.link_degraded', component, attributes }];
  }

  #errors(line: string, device: Device): Reported | null {
    const register = REGISTER.exec(line)?.[1];
    if (register !== undefined) {
      device.register = register;
      device.bits = [];
    } else if (!MORE_BITS.test(line)) return null;
    const kind = ERRORS[device.register];
    if (kind === undefined) return null;
    const found = [...line.matchAll(/\b([A-Z]\w{1,24})\+/g)].flatMap(([, bit = '']) => (HARMLESS.has(bit) ? [] : bit));
    if (found.length === 0) return NOTHING;
    device.bits = [...new Set([...device.bits, ...found])].slice(0, MOST_BITS);
    const attributes = { register: device.register, bits: device.bits.join(' ') };
    // They were set at any time since the last start.
    const severity = kind === 'pcie.corrected' ? 'info' : 'warning';
    return { ...NOTHING, findings: [{ kind, severity, component: device.component, attributes }] };
  }

  #state(line: string, device: Device): Reported | null {
    const bus = BUSES.exec(line)?.[1];
    const { component } = device;
    if (bus !== undefined) device.bus = `${component.id.slice(0, component.id.indexOf(':'))}:${bus}`;
    if (UNKNOWN_HEADER.test(line)) return this.#lost(device);
    if (!CONTAINED.test(line)) return null;
    const attributes = { contained: true };
    return { ...NOTHING, findings: [{ kind: 'pcie.uncorrected_fatal', component, attributes }] };
  }

  #lost(device: Device): Reported {
    if (device.gone) return NOTHING;
    device.gone = true;
    const { component } = device;
    const slot = component.id.slice(0, component.id.lastIndexOf('.'));
    if (this.#gone.has(slot)) return NOTHING;
    if (this.#gone.size < MOST_SLOTS) this.#gone.add(slot);
    const kind: Kind = component.type === 'gpu' ? 'gpu.lost' : component.type === 'nic' ? 'nic.lost' : 'pcie.link_down';
    return { ...NOTHING, findings: [{ kind, component, attributes: { reads_as_ones: true } }] };
  }
}

function narrow(component: Component, { speed, width }: Link): Finding {
  return { kind: 'pcie.link_degraded', component, attributes: { speed_gt_s: speed, width_lanes: width } };
}

function whatIs(name: string, maker: string): What {
  const port = BRIDGES.test(name) && !SWITCHES.test(maker);
  if (GPUS.test(name) && MAKERS.test(maker)) return { type: 'gpu', fast: true, port };
  if (SWITCHES.test(maker)) return { type: 'nvswitch', fast: true, port };
  if (NICS.test(name)) return { type: 'nic', fast: true, port };
  return { type: 'pcie', fast: DISKS.test(name), port };
}

/** "0000:3b:00.0" is on bus "0000:3b". */
function busOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':'));
}
