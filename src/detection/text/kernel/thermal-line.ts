// Lines about heat: processors that slow down, and zones so hot that the kernel shuts the host down.

import { evidenceText } from '../evidence.ts';
import { hostOf, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

/**
 * "mce: CPU2: Package temperature above threshold, cpu clock throttled (total events = 3654)", since Linux 5.5 "CPU2: Package
 * temperature is above threshold, cpu clock is throttled (total events = 3654)", before 2.6.33 "CPU2: Temperature above threshold, cpu clock
 * throttled" (therm_throt.c); which package it does not say.
 */
const THROTTLED =
  /^(?:mce: )?CPU(\d{1,5}): (?:(Core|Package) t|T)emperature (?:is )?above threshold, cpu clock (?:is )?throttled(?: \(total events = (\d{1,12})\))?\s*$/;
/**
 * "thermal thermal_zone4: critical temperature reached (128 C), shutting down", later "thermal thermal_zone0: x86_pkg_temp:
 * critical temperature reached, shutting down" (drivers/thermal/thermal_core.c).
 */
const CRITICAL =
  /^thermal (thermal_zone\d{1,4}): (?:([\w.-]{1,20}): )?critical temperature reached ?(?:\((\d{1,4}) C\))?, shutting down\s*$/;
/** "HARDWARE PROTECTION shutdown (Temperature too high)" (kernel/reboot.c), "Critical temperature reached (110 C), shutting down" of old ACPI. */
const PROTECTION =
  /^(?:reboot: )?(?:HARDWARE PROTECTION (?:shutdown|reboot) \(Temperature too high\)|(?:ACPI: )?Critical temperature reached \((\d{1,4}) C\), shutting down\.?)\s*$/;

export function thermalLine(text: string, context: KernelContext): Finding | null {
  const [, cpu, level = '', events] = THROTTLED.exec(text) ?? [];
  if (cpu !== undefined) {
    const attributes = { cpu: Number(cpu), ...(level === '' ? {} : { level: level.toLowerCase() }) };
    const counted = events === undefined ? {} : { total_events: Number(events) };
    return { kind: 'cpu.thermal_throttle', component: hostOf(context), attributes: { ...attributes, ...counted } };
  }
  const [hot, zone, sensor, zoneDegrees] = CRITICAL.exec(text) ?? [];
  const [protectedBy, degrees = zoneDegrees] = PROTECTION.exec(text) ?? [];
  if (hot === undefined && protectedBy === undefined) return null;
  return {
    kind: 'host.overtemp',
    component: hostOf(context),
    severity: 'critical',
    attributes: {
      shuts_down: true,
      ...(zone === undefined ? {} : { zone }),
      ...(sensor === undefined ? {} : { sensor: evidenceText(sensor) }),
      ...(degrees === undefined ? {} : { temperature_c: Number(degrees) }),
    },
  };
}
