// The state of a simulated BMC: what a script sets, and how the load of the host spreads over its supplies.

export interface SupplyState {
  /** Volts at the inlet. */
  inputVoltage: number;
  /** False: no usable input, whatever the inlet has. */
  fed: boolean;
  failed: boolean;
  /** Cold redundancy: well, and carries nothing. */
  standby: boolean;
  absent: boolean;
}

export interface FanState {
  rpm: number;
  failed: boolean;
}

/** An entry of its event log. */
export interface LogLine {
  /** RFC 3339, of the BMC's own clock. */
  readonly created: string;
  readonly severity: 'OK' | 'Warning' | 'Critical';
  readonly message: string;
  /** As IPMI names the kind of sensor: "Memory"; null where the entry names none. */
  readonly sensorType: string | null;
  /** "Environmental.1.1.LeakDetectedCritical"; null where it has none. */
  readonly messageId: string | null;
}

export interface BmcState {
  /** W drawn by the host, before the losses of its supplies. */
  hostWatts: number;
  /** Null: no limit. */
  limitWatts: number | null;
  readonly supplies: SupplyState[];
  readonly fans: FanState[];
  inletC: number;
  /** Version of the BMC's own firmware; 1.0.0 where left out. */
  firmware?: string;
  /** Its event log, oldest first; left out: it keeps none. */
  log?: LogLine[];
  /** What it says of the host as a whole; null: what follows from its parts. */
  health?: string | null;
}

const EFFICIENCY = 0.94;
export const SUPPLY_WATTS = 5000;
/** A supply gives up below this. V. */
export const DROPOUT_VOLTAGE = 85;
export const FAN_LOWEST_RPM = 500;
export const INLET_CRITICAL_C = 42;

export interface SupplyReading {
  readonly delivers: boolean;
  /** Normal, LossOfInput. */
  readonly line: 'Normal' | 'LossOfInput';
  readonly inputVoltage: number;
  readonly inputWatts: number;
  readonly outputWatts: number;
}

function hasInput(supply: SupplyState): boolean {
  return supply.fed && supply.inputVoltage >= DROPOUT_VOLTAGE;
}

/** Equal shares among the supplies that deliver. */
export function supplyReadings(state: BmcState): SupplyReading[] {
  const delivers = (supply: SupplyState) => hasInput(supply) && !supply.failed && !supply.standby && !supply.absent;
  const share = state.hostWatts / Math.max(1, state.supplies.filter(delivers).length);
  return state.supplies.map((supply) => {
    const outputWatts = delivers(supply) ? Math.round(share) : 0;
    return {
      delivers: delivers(supply),
      line: hasInput(supply) ? 'Normal' : 'LossOfInput',
      inputVoltage: hasInput(supply) ? Math.round(supply.inputVoltage * 10) / 10 : 0,
      inputWatts: Math.round(outputWatts / EFFICIENCY),
      outputWatts,
    };
  });
}

/** True while one more supply may fail. */
export function isRedundant(state: BmcState): boolean {
  return state.supplies.filter((supply) => hasInput(supply) && !supply.failed && !supply.absent).length > 1;
}

export function supplyHealth(supply: SupplyState): { State: string; Health: string | null } {
  if (supply.absent) return { State: 'Absent', Health: null };
  if (supply.failed) return { State: 'UnavailableOffline', Health: 'Critical' };
  if (!hasInput(supply)) return { State: 'UnavailableOffline', Health: 'Critical' };
  return { State: supply.standby ? 'StandbySpare' : 'Enabled', Health: 'OK' };
}

export function hostHealth(state: BmcState): string {
  if (state.health) return state.health;
  const bad = state.supplies.some((supply) => supplyHealth(supply).Health === 'Critical');
  return bad || state.fans.some(({ failed }) => failed) ? 'Critical' : 'OK';
}
