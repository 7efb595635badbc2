// A coolant unit as DMTF's model and OCP's profile of it have one, served by the simulated BMC: two loops, two pumps, a reservoir, two detectors.

import type { SimulatedBmc } from '../../../src/simulator/bmc/simulated-bmc.ts';

const ROOT = '/redfish/v1';
export const UNIT = `${ROOT}/ThermalEquipment/CDUs/1`;
const OK = { State: 'Enabled', Health: 'OK' };
const link = (path: string) => ({ '@odata.id': path });
const members = (...paths: string[]) => ({ Members: paths.map(link), 'Members@odata.count': paths.length });
const excerpt = (Reading: number, sensor: string) => ({ Reading, DataSourceUri: `${ROOT}/Chassis/Sled/Sensors/${sensor}` }); // biome-ignore format: one line

const LOOPS = { Primary: { flow: 41, supply: 28 }, Secondary: { flow: 42, supply: 29 } } as const;

/** Adds one to what `bmc` serves. `withHost`: the service is the BMC of a host; left out, the service is the unit's own. */
export function addUnit({ extra }: Pick<SimulatedBmc, 'extra'>, withHost = false): void {
  if (!withHost) extra.set(`${ROOT}/Systems`, members());
  extra.set(ROOT, { ThermalEquipment: link(`${ROOT}/ThermalEquipment`) });
  extra.set(`${ROOT}/ThermalEquipment`, { Id: 'ThermalEquipment', CDUs: link(`${ROOT}/ThermalEquipment/CDUs`) });
  extra.set(`${ROOT}/ThermalEquipment/CDUs`, members(UNIT));
  const parts = ['PrimaryCoolantConnectors', 'SecondaryCoolantConnectors', 'Pumps', 'Reservoirs', 'LeakDetection'];
  extra.set(UNIT, {
    Id: '1',
    EquipmentType: 'CDU',
    Manufacturer: 'Contoso',
    Model: 'LCOOL6000',
    SerialNumber: '489609023',
    FirmwareVersion: '1.0.0',
    Status: OK,
    ...Object.fromEntries(parts.map((part) => [part, link(`${UNIT}/${part}`)])),
  });
  for (const side of ['Primary', 'Secondary'] as const) {
    const { flow, supply } = LOOPS[side];
    extra.set(`${UNIT}/${side}CoolantConnectors`, members(`${UNIT}/${side}CoolantConnectors/1`));
    setLoop(extra, side, { flow, supply });
    extra.set(`${ROOT}/Chassis/Sled/Sensors/${side}Flow`, { Id: 'Flow', Reading: flow, Thresholds: {} });
    extra.set(`${ROOT}/Chassis/Sled/Sensors/${side}Supply`, { Id: 'Supply', Reading: supply, Thresholds: { UpperCritical: { Reading: 45 } } }); // biome-ignore format: one line
  }
  extra.set(`${UNIT}/Pumps`, members(`${UNIT}/Pumps/1`, `${UNIT}/Pumps/2`));
  for (const pump of ['1', '2']) setPump(extra, pump, OK);
  extra.set(`${UNIT}/Reservoirs`, members(`${UNIT}/Reservoirs/1`));
  extra.set(`${UNIT}/Reservoirs/1`, { Id: '1', ReservoirType: 'Inline', FluidLevelStatus: 'OK', Status: OK });
  const detectors = `${UNIT}/LeakDetection/LeakDetectors`;
  extra.set(`${UNIT}/LeakDetection`, { Id: 'LeakDetection', Status: OK, LeakDetectors: link(detectors) });
  extra.set(detectors, members(`${detectors}/Moisture`, `${detectors}/Tray`));
  for (const detector of ['Moisture', 'Tray']) setDetector(extra, detector, 'OK');
}

type Extra = SimulatedBmc['extra'];

export function setLoop(
  extra: Extra,
  side: 'Primary' | 'Secondary',
  { flow, supply }: { flow: number; supply: number },
): void {
  extra.set(`${UNIT}/${side}CoolantConnectors/1`, {
    Id: '1',
    Name: `${side} Side Connector 1`,
    CoolantConnectorType: 'Pair',
    Status: OK,
    RatedFlowLitersPerMinute: 35,
    FlowLitersPerMinute: excerpt(flow, `${side}Flow`),
    SupplyTemperatureCelsius: excerpt(supply, `${side}Supply`),
    ReturnTemperatureCelsius: { Reading: 50 },
    SupplyPressurekPa: { Reading: 108 },
    HeatRemovedkW: { Reading: 26.36 },
  });
}

export function setPump(extra: Extra, pump: string, Status: { State: string; Health: string }): void {
  const speed = Status.Health === 'OK' ? 38.5 : 0;
  extra.set(`${UNIT}/Pumps/${pump}`, { Id: pump, Name: `Pump ${pump}`, PumpType: 'Liquid', Status, PumpSpeedPercent: { Reading: speed } }); // biome-ignore format: one line
}

export function setDetector(extra: Extra, detector: string, DetectorState: string, Status: object = OK): void {
  extra.set(`${UNIT}/LeakDetection/LeakDetectors/${detector}`, { Id: detector, Name: `${detector} detector`, LeakDetectorType: 'Moisture', DetectorState, Status }); // biome-ignore format: one line
}
