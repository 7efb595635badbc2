// Component: the things that break. An identity is a type and an id; devices go by PCI address, never by index.

export const COMPONENT_TYPES = [
  'pdu', 'ups', 'pdu_inlet', 'pdu_phase', 'pdu_branch', 'pdu_outlet',
  'rack', 'power_shelf', 'cdu', 'nvlink_domain', 'switch_tray',
  'host', 'psu', 'fan', 'cpu', 'dimm', 'disk',
  'gpu', 'nic', 'nvswitch', 'pcie', 'gpu_instance', 'nvlink',
  'process', 'job', 'rank', 'service',
] as const; // biome-ignore format: grouped as in the vocabulary
export type ComponentType = (typeof COMPONENT_TYPES)[number];

export interface Component {
  readonly type: ComponentType;
  readonly id: string;
  /** The host that the component sits in, where it sits in one. */
  readonly host?: string;
  /** Text form of the component that holds this one. */
  readonly parent?: string;
  /** Other names of the same thing: UUID, serial, "gpu 0". */
  readonly aliases?: readonly string[];
}

/** Text form `type/id`, also the key under which topology and window store know the component. */
export function componentText(component: Component): string {
  return `${component.type}/${component.id}`;
}

/** Reads `type/id`; null when the type is unknown or the id is empty. */
export function parseComponent(text: string, host?: string): Component | null {
  const slash = text.indexOf('/');
  const type = COMPONENT_TYPES.find((t) => t === text.slice(0, slash));
  const id = text.slice(slash + 1);
  if (slash < 1 || type === undefined || id === '') return null;
  return host === undefined ? { type, id } : { type, id, host };
}

/** Of a job or rank, which come and go all the time: of all that is known they are forgotten first. */
export function isWorkText(text: string): boolean {
  return text.startsWith('rank/') || text.startsWith('job/');
}

const PCI = /^(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}):([0-9a-f]{2})(?:\.([0-7]))?$/i;

/**
 * The canonical PCI address `dddd:bb:dd.f`: lower case, 4-digit domain (8 digits only where its high half is not zero),
 * function `.0` and domain `0000` when the source omits them. Null when the text is not a PCI address.
 */
export function canonicalPciAddress(text: string): string | null {
  const match = PCI.exec(text.trim());
  if (!match) return null;
  const domain = Number.parseInt(match[1] ?? '0', 16);
  const width = domain > 0xffff ? 8 : 4;
  return `${domain.toString(16).padStart(width, '0')}:${match[2]}:${match[3]}.${match[4] ?? '0'}`.toLowerCase();
}
