// Changes of network cards, as sysfs and their drivers show them; accuracy runs only.

/** Which network cards: an index, a name like mlx5_0, a PCI address, several, or all of the host. */
export type NicSelector = number | string | readonly (number | string)[];

interface OnNic {
  readonly nic: NicSelector;
}

export interface NetworkChanges {
  /** down: no link; shut: by order. */
  readonly nic_port?: OnNic & { readonly state: 'down' | 'shut' };
  /** Down and up again between two looks, so often. */
  readonly nic_drops?: OnNic & { readonly times: number };
  /** A counter of sysfs or ethtool by its own name. */
  readonly nic_counter?: OnNic & { readonly counter: string; readonly by?: number; readonly per_second?: number };
  /** Gbit/s. */
  readonly nic_rate?: OnNic & { readonly to: number };
  readonly nic_temperature?: OnNic & { readonly to: number; readonly of?: 'chip' | 'module' };
  /** GT/s and lanes. */
  readonly nic_pcie?: OnNic & { readonly speed?: number; readonly width?: number };
  /** Share of its rate. */
  readonly nic_traffic?: OnNic & { readonly to: number };
  /** Neither port nor interface is there; `bus` true: the PCI bus still shows it, without a driver. */
  readonly nic_missing?: OnNic & { readonly bus?: boolean };
}

export const NETWORK_NAMES = [
  'nic_port',
  'nic_drops',
  'nic_counter',
  'nic_rate',
  'nic_temperature',
  'nic_pcie',
  'nic_traffic',
  'nic_missing',
] as const satisfies readonly (keyof NetworkChanges)[];
