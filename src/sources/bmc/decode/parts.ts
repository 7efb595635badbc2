// What one reading of a BMC says, whichever of its models said it: supplies, power, limit, redundancy, fans, temperatures, health.

/** When the resource was asked for and when its answer was there, steady epoch ms. */
export interface Asked {
  readonly sentMs: number;
  readonly timeMs: number;
}

/** A condition that the BMC stamped with its own clock (Status.Conditions). */
export interface Condition {
  readonly text: string;
  /** Epoch ms of the BMC's clock. */
  readonly stampMs: number | null;
}

export interface Supply {
  readonly part: 'supply';
  /** Number or label of the bay. */
  readonly slot: string;
  readonly name: string | null;
  readonly state: string | null;
  readonly health: string | null;
  /** LineInputStatus: Normal, LossOfInput, OutOfRange. */
  readonly line: string | null;
  /** LineInputVoltageType, in the older model. */
  readonly lineType: string | null;
  /** V, W. */
  readonly inputVoltage: number | null;
  readonly inputPower: number | null;
  readonly outputPower: number | null;
  readonly capacity: number | null;
  /** Left out where it has none. */
  readonly serial?: string;
  readonly conditions: readonly Condition[];
  /** The outlet that the BMC says it is plugged into; left out where it does not. */
  readonly outlet?: string;
  /** Of the older model. */
  readonly older?: true;
}

export interface HostPower {
  readonly part: 'power';
  readonly watts: number;
}

export interface PowerLimit {
  readonly part: 'limit';
  /** Null: no limit is set. */
  readonly watts: number | null;
}

export interface Redundancy {
  readonly part: 'redundancy';
  readonly name: string;
  readonly health: string | null;
  readonly state: string | null;
  readonly mode: string | null;
  readonly needed: number | null;
  readonly supported: number | null;
  /** Supplies that the group lists; left out: it lists none. */
  readonly listed?: number;
}

export interface Fan {
  readonly part: 'fan';
  readonly slot: string;
  readonly name: string | null;
  readonly state: string | null;
  readonly health: string | null;
  readonly rpm: number | null;
  readonly percent: number | null;
  /** In the unit of its reading. */
  readonly lowerCritical: number | null;
}

export interface Temperature {
  readonly part: 'temperature';
  /** Quantity of the series: inlet_temperature, exhaust_temperature, cpu1_temperature ... */
  readonly quantity: string;
  readonly name: string;
  readonly celsius: number;
  readonly health: string | null;
  readonly upperCritical: number | null;
  readonly upperCaution: number | null;
}

export interface Health {
  readonly part: 'health';
  readonly of: 'system' | 'chassis';
  readonly id: string;
  readonly rollup: string | null;
  readonly powerState: string | null;
}

/** A GPU as the BMC names it; which PCI address it has the BMC does not tell, on most boards its UUID. */
export interface BmcGpu {
  readonly part: 'gpu';
  readonly id: string;
  readonly watts: number | null;
  readonly limitWatts: number | null;
  readonly celsius: number | null;
  /** s */
  readonly powerThrottle: number | null;
  readonly thermalThrottle: number | null;
  /** Hardware violation, as NVIDIA counts it: brake, overcurrent, overheat of the board. */
  readonly hardwareThrottle: number | null;
  /** Why it is slowed down now, in the BMC's words; empty where it gives none. */
  readonly reasons: readonly string[];
  /** As the driver has it after "GPU-"; null where the BMC does not give one. */
  readonly uuid: string | null;
}

export type Side = 'primary' | 'secondary';

/** One connection of a coolant unit: to the building's water (primary), or to the racks that it cools (secondary). */
export interface CoolantLoop {
  readonly part: 'loop';
  /** Which unit of the service; empty where the service is that unit's own. */
  readonly unit: string;
  readonly side: Side;
  /** Of its series: "secondary", with a number where there are several. */
  readonly name: string;
  readonly label: string | null;
  /** L/s */
  readonly flow: number | null;
  readonly ratedFlow: number | null;
  readonly supplyCelsius: number | null;
  readonly returnCelsius: number | null;
  readonly supplyPascal: number | null;
  readonly returnPascal: number | null;
  readonly heatWatts: number | null;
  /** The device's own critical limits, L/s and °C; null where it tells none. */
  readonly leastFlow: number | null;
  readonly mostCelsius: number | null;
}

export interface Pump {
  readonly part: 'pump';
  readonly unit: string;
  readonly slot: string;
  readonly name: string | null;
  readonly state: string | null;
  readonly health: string | null;
  /** Of full speed. */
  readonly ratio: number | null;
}

export interface Reservoir {
  readonly part: 'reservoir';
  readonly unit: string;
  readonly slot: string;
  /** FluidLevelStatus. */
  readonly level: string | null;
  readonly health: string | null;
}

export interface Leak {
  readonly part: 'leak';
  /** Null: a detector inside the host. */
  readonly unit: string | null;
  readonly slot: string;
  readonly name: string | null;
  /** OK, Warning, Critical; null where the detector does not work. */
  readonly detector: string | null;
}

export type Cooling = CoolantLoop | Pump | Reservoir | Leak;
export type Part = Supply | HostPower | PowerLimit | Redundancy | Fan | Temperature | Health | BmcGpu | Cooling;
export type TimedPart = Part & Asked;

export function ofPart<K extends Part['part']>(
  parts: readonly TimedPart[],
  kind: K,
): (Extract<Part, { part: K }> & Asked)[] {
  return parts.filter((part): part is Extract<Part, { part: K }> & Asked => part.part === kind);
}
