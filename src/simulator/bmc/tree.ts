// The Redfish resources of a simulated BMC, of our own design, in the older model (Power, Thermal) or the newer one (PowerSubsystem ...).

import { addEventLog } from './event-log.ts';
import {
  type BmcState,
  FAN_LOWEST_RPM,
  hostHealth,
  INLET_CRITICAL_C,
  isRedundant,
  SUPPLY_WATTS,
  supplyHealth,
  supplyReadings,
} from './state.ts';

export type BmcModel = 'old' | 'new';

export interface TreeFacts {
  readonly model: BmcModel;
  readonly serial: string;
  /** RFC 3339, of the BMC's own clock. */
  readonly dateTime: string;
  /** When each supply's input went, of the BMC's own clock; null while it is there. */
  readonly inputLostAt: readonly (string | null)[];
}

export const ROOT = '/redfish/v1';
export const SESSIONS = `${ROOT}/SessionService/Sessions`;
const CHASSIS = `${ROOT}/Chassis/Sled`;
const SYSTEM = `${ROOT}/Systems/Node`;
const MANAGER = `${ROOT}/Managers/Bmc`;

const link = (path: string) => ({ '@odata.id': path });
const members = (name: string, paths: readonly string[]) => ({
  Name: name,
  Members: paths.map(link),
  'Members@odata.count': paths.length,
});

/** Every resource by its path. */
export function tree(state: BmcState, facts: TreeFacts): Map<string, object> {
  const all = new Map<string, object>();
  const add = (path: string, body: object) => all.set(path, { '@odata.id': path, ...body });
  const health = hostHealth(state);
  add(ROOT, {
    Id: 'RootService',
    Name: 'Service root',
    RedfishVersion: facts.model === 'new' ? '1.20.0' : '1.6.0',
    Vendor: 'Faultline',
    Product: 'simulated BMC',
    Systems: link(`${ROOT}/Systems`),
    Chassis: link(`${ROOT}/Chassis`),
    Managers: link(`${ROOT}/Managers`),
    SessionService: link(`${ROOT}/SessionService`),
    Links: { Sessions: link(SESSIONS) },
  });
  add(`${ROOT}/Systems`, members('Systems', [SYSTEM]));
  add(`${ROOT}/Chassis`, members('Chassis', [CHASSIS]));
  add(`${ROOT}/Managers`, members('Managers', [MANAGER]));
  add(SYSTEM, {
    Id: 'Node',
    Name: 'Host',
    Manufacturer: 'Faultline',
    Model: 'simulated host',
    SerialNumber: facts.serial,
    PowerState: 'On',
    Status: { State: 'Enabled', Health: health, HealthRollup: health },
    Links: { Chassis: [link(CHASSIS)] },
  });
  add(MANAGER, {
    Id: 'Bmc',
    Name: 'BMC',
    ManagerType: 'BMC',
    FirmwareVersion: state.firmware ?? '1.0.0',
    DateTime: facts.dateTime,
    ...(state.log === undefined ? {} : { LogServices: link(addEventLog(add, MANAGER, state.log)) }),
  });
  const models =
    facts.model === 'new' ? ['PowerSubsystem', 'ThermalSubsystem', 'EnvironmentMetrics'] : ['Power', 'Thermal'];
  add(CHASSIS, {
    Id: 'Sled',
    Name: 'Chassis',
    ChassisType: 'RackMount',
    Manufacturer: 'Faultline',
    Status: { State: 'Enabled', Health: health },
    Links: { ComputerSystems: [link(SYSTEM)] },
    ...Object.fromEntries(models.map((name) => [name, link(`${CHASSIS}/${name}`)])),
  });
  if (facts.model === 'new') addNew(add, state, facts);
  else addOld(add, state);
  return all;
}

type Add = (path: string, body: object) => void;

function addNew(add: Add, state: BmcState, facts: TreeFacts): void {
  const power = `${CHASSIS}/PowerSubsystem`;
  const supplies = state.supplies.map((_, i) => `${power}/PowerSupplies/PSU${i + 1}`);
  add(power, {
    Id: 'PowerSubsystem',
    PowerSupplies: link(`${power}/PowerSupplies`),
    PowerSupplyRedundancy: [
      {
        RedundancyType: 'NPlusM',
        MinNeededInGroup: 1,
        MaxSupportedInGroup: state.supplies.length,
        RedundancyGroup: supplies.map(link),
        Status: { State: 'Enabled', Health: isRedundant(state) ? 'OK' : 'Warning' },
      },
    ],
  });
  add(`${power}/PowerSupplies`, members('Power supplies', supplies));
  supplyReadings(state).forEach((reading, i) => {
    const supply = state.supplies[i];
    const path = supplies[i];
    if (supply === undefined || path === undefined) return;
    const lostAt = facts.inputLostAt[i] ?? null;
    const condition = { Message: 'Power supply lost its input.', Severity: 'Critical', Timestamp: lostAt };
    add(path, {
      Id: `PSU${i + 1}`,
      Name: `Power supply ${i + 1}`,
      PowerCapacityWatts: SUPPLY_WATTS,
      Status: { ...supplyHealth(supply), ...(lostAt === null ? {} : { Conditions: [condition] }) },
      ...(supply.absent ? {} : { LineInputStatus: reading.line, Metrics: link(`${path}/Metrics`) }),
    });
    if (supply.absent) return;
    add(`${path}/Metrics`, {
      Id: 'Metrics',
      InputVoltage: { Reading: reading.inputVoltage },
      InputPowerWatts: { Reading: reading.inputWatts },
      OutputPowerWatts: { Reading: reading.outputWatts },
    });
  });
  add(`${CHASSIS}/EnvironmentMetrics`, {
    Id: 'EnvironmentMetrics',
    PowerWatts: { Reading: inputWatts(state) },
    PowerLimitWatts: {
      SetPoint: state.limitWatts,
      ControlMode: state.limitWatts === null ? 'Disabled' : 'Automatic',
    },
  });
  const thermal = `${CHASSIS}/ThermalSubsystem`;
  const fans = state.fans.map((_, i) => `${thermal}/Fans/Fan${i + 1}`);
  add(thermal, {
    Id: 'ThermalSubsystem',
    Fans: link(`${thermal}/Fans`),
    ThermalMetrics: link(`${thermal}/ThermalMetrics`),
  });
  add(`${thermal}/Fans`, members('Fans', fans));
  state.fans.forEach(({ rpm, failed }, i) => {
    add(fans[i] ?? '', {
      Id: `Fan${i + 1}`,
      Name: `Fan ${i + 1}`,
      SpeedPercent: { Reading: failed ? 0 : 60, SpeedRPM: failed ? 0 : Math.round(rpm) },
      Status: { State: 'Enabled', Health: failed ? 'Critical' : 'OK' },
    });
  });
  add(`${thermal}/ThermalMetrics`, {
    Id: 'ThermalMetrics',
    TemperatureSummaryCelsius: { Intake: { Reading: state.inletC, DataSourceUri: `${CHASSIS}/Sensors/InletTemp` } },
  });
  add(`${CHASSIS}/Sensors`, members('Sensors', [`${CHASSIS}/Sensors/InletTemp`]));
  add(`${CHASSIS}/Sensors/InletTemp`, {
    Id: 'InletTemp',
    Name: 'Inlet Temp',
    ReadingType: 'Temperature',
    PhysicalContext: 'Intake',
    Reading: state.inletC,
    ReadingUnits: 'Cel',
    Thresholds: {
      UpperCritical: { Reading: INLET_CRITICAL_C },
      UpperCaution: { Reading: INLET_CRITICAL_C - 4 },
    },
    Status: { State: 'Enabled', Health: state.inletC >= INLET_CRITICAL_C ? 'Critical' : 'OK' },
  });
}

function addOld(add: Add, state: BmcState): void {
  const readings = supplyReadings(state);
  add(`${CHASSIS}/Power`, {
    Id: 'Power',
    PowerControl: [
      {
        MemberId: '0',
        Name: 'System',
        PowerConsumedWatts: inputWatts(state),
        PowerLimit: { LimitInWatts: state.limitWatts, LimitException: 'NoAction' },
      },
    ],
    PowerSupplies: state.supplies.map((supply, i) => ({
      MemberId: String(i),
      Name: `PSU ${i + 1}`,
      PowerCapacityWatts: SUPPLY_WATTS,
      LineInputVoltage: supply.absent ? null : readings[i]?.inputVoltage,
      LineInputVoltageType: readings[i]?.line === 'Normal' ? 'AC240V' : 'Unknown',
      PowerInputWatts: supply.absent ? null : readings[i]?.inputWatts,
      PowerOutputWatts: supply.absent ? null : readings[i]?.outputWatts,
      Status: supplyHealth(supply),
    })),
    Redundancy: [
      {
        MemberId: '0',
        Name: 'Power supply redundancy',
        Mode: 'N+m',
        MinNumNeeded: 1,
        MaxNumSupported: state.supplies.length,
        Status: { State: 'Enabled', Health: isRedundant(state) ? 'OK' : 'Warning' },
      },
    ],
  });
  add(`${CHASSIS}/Thermal`, {
    Id: 'Thermal',
    Fans: state.fans.map(({ rpm, failed }, i) => ({
      MemberId: String(i),
      Name: `Fan ${i + 1}`,
      Reading: failed ? 0 : Math.round(rpm),
      ReadingUnits: 'RPM',
      LowerThresholdCritical: FAN_LOWEST_RPM,
      Status: { State: 'Enabled', Health: failed ? 'Critical' : 'OK' },
    })),
    Temperatures: [
      {
        MemberId: '0',
        Name: 'Inlet Temp',
        PhysicalContext: 'Intake',
        ReadingCelsius: state.inletC,
        UpperThresholdCritical: INLET_CRITICAL_C,
        Status: { State: 'Enabled', Health: state.inletC >= INLET_CRITICAL_C ? 'Critical' : 'OK' },
      },
    ],
  });
}

function inputWatts(state: BmcState): number {
  return supplyReadings(state).reduce((sum, { inputWatts: watts }) => sum + watts, 0);
}
