// Fans, temperatures and health out of both thermal models and out of sensors. Pure; any JSON gives an answer.

import { at, durationAt, listAt, numberAt, textAt } from './json.ts';
import type { BmcGpu, Fan, Health, Part, Temperature } from './parts.ts';
import { positive, reading } from './power.ts';
import { threshold } from './quirks.ts';
import { type SlotNames, slotsOf } from './slot.ts';

const MOST = 256;
const MOST_REASONS = 8;

/** Thermal resource (the older model). */
export function decodeThermal(body: unknown): Part[] {
  const fans = listAt(body, 'Fans')
    .slice(0, MOST)
    .filter((entry) => !isAbsent(entry));
  const slots = slotsOf(fans.map((entry) => ({ bay: null, names: [textAt(entry, 'Name'), textAt(entry, 'FanName')] })));
  return [
    ...fans.map((entry, i): Fan => {
      const value = numberAt(entry, 'Reading');
      const percent = textAt(entry, 'ReadingUnits') === 'Percent' || numberAt(entry, 'ReadingRPM') !== null;
      return {
        part: 'fan',
        slot: slots[i] ?? String(i + 1),
        name: textAt(entry, 'Name') ?? textAt(entry, 'FanName'),
        ...status(entry),
        rpm: percent ? numberAt(entry, 'ReadingRPM') : value,
        percent: percent ? value : null,
        lowerCritical: threshold(numberAt(entry, 'LowerThresholdCritical')),
      };
    }),
    ...uniqueQuantities(
      listAt(body, 'Temperatures')
        .slice(0, MOST)
        .filter((entry) => !isAbsent(entry))
        .flatMap((entry) =>
          temperature(
            entry,
            numberAt(entry, 'ReadingCelsius'),
            textAt(entry, 'Name'),
            textAt(entry, 'PhysicalContext'),
            {
              upperCritical: threshold(
                numberAt(entry, 'UpperThresholdCritical') ?? numberAt(entry, 'UpperThresholdFatal'),
              ),
              upperCaution: threshold(numberAt(entry, 'UpperThresholdNonCritical')),
            },
          ),
        ),
    ),
  ];
}

/** A member of ThermalSubsystem/Fans (the newer model); null for an empty bay. */
export function decodeFan(body: unknown, slot: string): Fan | null {
  if (isAbsent(body)) return null;
  return {
    part: 'fan',
    slot,
    name: textAt(body, 'Name'),
    ...status(body),
    rpm: numberAt(body, 'SpeedPercent', 'SpeedRPM'),
    percent: reading(body, 'SpeedPercent'),
    lowerCritical: null,
  };
}

export function fanNames(body: unknown, path: string): SlotNames {
  const id = textAt(body, 'Id') ?? path.split('/').filter(Boolean).at(-1) ?? null;
  return { bay: null, names: [id, textAt(body, 'Location', 'PartLocation', 'ServiceLabel'), textAt(body, 'Name')] };
}

/** ThermalMetrics: the summary names inlet and exhaust, the list has the rest. */
export function decodeThermalMetrics(body: unknown): Temperature[] {
  const summary = ['Intake', 'Exhaust', 'Ambient', 'Internal'] as const;
  const named = summary.flatMap((name) =>
    temperature({}, numberAt(body, 'TemperatureSummaryCelsius', name, 'Reading'), name, name, NO_LIMITS),
  );
  const listed = listAt(body, 'TemperatureReadingsCelsius')
    .slice(0, MOST)
    .flatMap((entry) => {
      const source = (textAt(entry, 'DataSourceUri') ?? '').split('/').filter(Boolean).at(-1);
      const device = textAt(entry, 'DeviceName');
      const context = textAt(entry, 'PhysicalContext') ?? device;
      return temperature({}, numberAt(entry, 'Reading'), source ?? device, context, NO_LIMITS);
    });
  const known = new Set(named.map(({ quantity }) => quantity));
  return [...named, ...uniqueQuantities(listed.filter(({ quantity }) => !known.has(quantity)))];
}

/** Path of the Sensor that the summary's intake temperature is an excerpt of; null where it does not say. */
export function intakeSensor(body: unknown): string | null {
  const uri = textAt(body, 'TemperatureSummaryCelsius', 'Intake', 'DataSourceUri');
  return uri !== null && /^\/[\w./~%-]{1,500}$/.test(uri) ? uri : null;
}

/** A Sensor: a temperature, or the speed of a fan. */
export function decodeSensor(body: unknown, slot: string): Part[] {
  if (isAbsent(body)) return [];
  const value = numberAt(body, 'Reading');
  const type = textAt(body, 'ReadingType');
  const name = textAt(body, 'Name') ?? textAt(body, 'Id');
  if (type === 'Temperature') {
    return temperature(body, value, name, textAt(body, 'PhysicalContext'), {
      upperCritical: threshold(numberAt(body, 'Thresholds', 'UpperCritical', 'Reading')),
      upperCaution: threshold(numberAt(body, 'Thresholds', 'UpperCaution', 'Reading')),
    });
  }
  const fan = type === 'Rotational' || (type === 'Percent' && /fan/i.test(name ?? ''));
  if (!fan || value === null) return [];
  const lowerCritical = threshold(numberAt(body, 'Thresholds', 'LowerCritical', 'Reading'));
  const rpm = type === 'Rotational' ? value : null;
  return [{ part: 'fan', slot, name, ...status(body), rpm, percent: rpm === null ? value : null, lowerCritical }];
}

/** A ComputerSystem or Chassis. */
export function decodeHealth(body: unknown, of: Health['of']): Health {
  return {
    part: 'health',
    of,
    id: textAt(body, 'Id') ?? of,
    rollup: textAt(body, 'Status', 'HealthRollup') ?? textAt(body, 'Status', 'Health'),
    powerState: textAt(body, 'PowerState'),
  };
}

/** A Processor of type GPU with its EnvironmentMetrics and ProcessorMetrics; null where they say nothing. */
export function decodeGpu(body: unknown, environment: unknown, metrics: unknown): BmcGpu | null {
  const gpu: BmcGpu = {
    part: 'gpu',
    id: textAt(body, 'Id') ?? 'gpu',
    watts: positive(reading(environment, 'PowerWatts') ?? numberAt(metrics, 'ConsumedPowerWatt')),
    limitWatts: positive(numberAt(environment, 'PowerLimitWatts', 'SetPoint')),
    celsius: reading(environment, 'TemperatureCelsius') ?? numberAt(metrics, 'TemperatureCelsius'),
    powerThrottle: durationAt(metrics, 'PowerLimitThrottleDuration'),
    thermalThrottle: durationAt(metrics, 'ThermalLimitThrottleDuration'),
    hardwareThrottle: durationAt(metrics, 'Oem', 'Nvidia', 'HardwareViolationThrottleDuration'),
    reasons: throttleReasons(metrics),
    uuid: uuidOf(body),
  };
  return Object.values(gpu).some((value) => typeof value === 'number') ? gpu : null;
}

/** ["NA"]: none. */
function throttleReasons(metrics: unknown): string[] {
  const list = listAt(metrics, 'Oem', 'Nvidia', 'ThrottleReasons').slice(0, MOST_REASONS);
  return list.map((_, i) => textAt(list, i) ?? 'NA').filter((reason) => reason !== 'NA' && reason !== 'None');
}

function uuidOf(body: unknown): string | null {
  const uuid = textAt(body, 'UUID')?.toLowerCase() ?? '';
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid) && !/^[0-]+$/.test(uuid) ? uuid : null;
}

/** The ends of a signed byte: what a sensor gives that cannot read, and no air and no silicon has. */
const FULL_SCALE: readonly number[] = [127, 128];

/** False for a code of the firmware: below -55 °C, above 200 °C, full scale. */
export function isTemperature(celsius: number): boolean {
  return celsius >= -55 && celsius <= 200 && !FULL_SCALE.includes(celsius);
}

const NO_LIMITS = { upperCritical: null, upperCaution: null };

function temperature(
  entry: unknown,
  celsius: number | null,
  name: string | null,
  context: string | null,
  limits: Pick<Temperature, 'upperCritical' | 'upperCaution'>,
): Temperature[] {
  if (celsius === null || name === null || !isTemperature(celsius) || isDistance(entry, name)) return [];
  const health = textAt(entry, 'Status', 'Health');
  return [{ part: 'temperature', quantity: quantityOf(name, context), name, celsius, health, ...limits }];
}

/** How far something is from its limit: °C too, and no temperature. */
function isDistance(entry: unknown, name: string): boolean {
  const basis = textAt(entry, 'ReadingBasis');
  return basis === 'Delta' || basis === 'Headroom' || DISTANCE.test(name);
}

const DISTANCE =
  /margin|headroom|(?:^|[^a-z])t(?:emp(?:erature)?|herm(?:al)?|j|jmax)?[ ._-]?limit|(?:^|[^a-z])delta(?:$|[^a-z])|distance to/i;
/** Parts with air inlets of their own, which are warm where the host's is not. */
const OWN_INLET = /(?:^|[^a-z])(?:psu|ps|pwr|power[ _-]?suppl(?:y|ies)|powersupplybay)(?:$|[^a-z])/i;

/** inlet_temperature and exhaust_temperature where that is what it is of the host, else the name in small letters. */
function quantityOf(name: string, context: string | null): string {
  const both = `${name} ${context ?? ''}`;
  const own = OWN_INLET.test(both) || /^PowerSupply/.test(context ?? '');
  if (!own && /inlet|intake/i.test(both)) return 'inlet_temperature';
  if (!own && /exhaust/i.test(both)) return 'exhaust_temperature';
  const words = name
    .toLowerCase()
    .replace(/temp(?:erature)?(?:\b|(?=_)|$)/g, ' ')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 48);
  return words === '' ? 'temperature' : `${words}_temperature`;
}

/** A second sensor of the same name gets a number, so that no two share a series. */
export function uniqueQuantities(all: readonly Temperature[]): Temperature[] {
  const seen = new Map<string, number>();
  return all.map((one) => {
    const count = (seen.get(one.quantity) ?? 0) + 1;
    seen.set(one.quantity, count);
    return count === 1 ? one : { ...one, quantity: `${one.quantity}_${count}` };
  });
}

function status(body: unknown): { state: string | null; health: string | null } {
  return { state: textAt(body, 'Status', 'State'), health: textAt(body, 'Status', 'Health') };
}

export function isAbsent(body: unknown): boolean {
  return at(body, 'Status', 'State') === 'Absent';
}
