// Reads what df and sensors print: how full file systems are, and what a board's own chips measure.

import type { Component } from '../../../model/component.ts';
import { NOTHING, type Reported, type ReportReader } from './report.ts';

/** "tmpfs                 24G   23G  1.1G  96% /dev/shm" */
const DF =
  /^\S{1,255} +[\d.]{1,12}[KMGTP]?i?B? +[\d.]{1,12}[KMGTP]?i?B? +[\d.]{1,12}[KMGTP]?i?B? +(\d{1,3})% +(\/\S{0,255})$/;
/** "scratch-OST0007_UUID   109.4T   109.3T   102.1M 100% /scratch[OST:7]": a target of Lustre, which its own servers hold, as a client lists it. */
const TARGET = /^([\w.]{1,64}-(?:OST|MDT)[0-9a-f]{4})_UUID +[^\n]{1,200}\/\S{0,255}\[(?:OST|MDT):\d{1,5}\]$/;
/** As the daemon judges what it reads itself (sources/system): full, and on its way there. */
const SHM_FULL = 97;
const SHM_FILLING = 85;
const DISK_FULL = 100;

export class DiskFree implements ReportReader {
  readonly form = 'df';
  readonly #host: Component;

  constructor(host: string) {
    this.#host = { type: 'host', id: host };
  }

  take(line: string): Reported | null {
    const [, used, mount] = DF.exec(line) ?? [];
    if (used === undefined || mount === undefined) return null;
    const percent = Number(used);
    const target = TARGET.exec(line)?.[1];
    if (target !== undefined)
      return percent < DISK_FULL ? NOTHING : this.#full(target, mount.slice(0, mount.lastIndexOf('[')));
    const kind =
      mount === '/dev/shm'
        ? percent >= SHM_FULL
          ? 'host.shm_full'
          : percent >= SHM_FILLING
            ? 'host.shm_filling'
            : null
        : percent >= DISK_FULL && !/^\/(?:snap|run|sys|proc|boot\/efi)(?:\/|$)/.test(mount)
          ? 'host.disk_full'
          : null;
    if (kind === null) return NOTHING;
    return {
      ...NOTHING,
      findings: [{ kind, component: this.#host, attributes: { mount, utilization: percent / 100 } }],
    };
  }

  #full(server: string, mount: string): Reported {
    const attributes = { server, file_system: 'lustre', mount };
    return { ...NOTHING, findings: [{ kind: 'storage.full', component: this.#host, attributes }] };
  }
}

/** "power1:        4.29 MW (interval =   1.00 s)", "Core 0:        +45.0°C  (high = +80.0°C, crit = +90.0°C)" */
const SENSOR =
  /^([A-Za-z][\w .+-]{0,40}): +([+-]?\d{1,9}(?:\.\d{1,6})?) (?:(k|M|m)?(W|V|A)|RPM)\b|^([A-Za-z][\w .+-]{0,40}): +([+-]?\d{1,4}(?:\.\d{1,3})?) ?°C/;
/** Its own limit, behind the value: "(high = +80.0°C, crit = +90.0°C)". */
const CRITICAL = /\bcrit = \+(\d{1,3}(?:\.\d{1,3})?) ?°C/;
const ADAPTER = /^Adapter: (?:ACPI|ISA|PCI|I2C|SMBus|Virtual)\b/;
const SCALES: Readonly<Record<string, number>> = { k: 1e3, M: 1e6, m: 1e-3 };
const QUANTITIES = { W: 'power', V: 'voltage', A: 'current' } as const;
/** More than a rack of any kind draws; all bits of a meter that has no value say 4.29 MW. */
const MOST_WATTS = 100_000;

export class Sensors implements ReportReader {
  readonly form = 'sensors';
  readonly #component: string;
  readonly #host: Component;
  #open = false;

  constructor(host: string) {
    this.#component = `host/${host}`;
    this.#host = { type: 'host', id: host };
  }

  take(line: string): Reported | null {
    if (ADAPTER.test(line)) {
      this.#open = true;
      return NOTHING;
    }
    if (!this.#open) return null;
    const found = SENSOR.exec(line);
    if (found === null) {
      this.#open = /^\s|^[\w-]+-(?:acpi|isa|pci|i2c|virtual)-\w+$/.test(line);
      return null;
    }
    const [, , digits, scale, unit, , celsius] = found;
    if (celsius !== undefined) return this.#temperature(line, Number(celsius));
    if (unit !== 'W' && unit !== 'V' && unit !== 'A') return NOTHING;
    const value = Number(digits) * (SCALES[scale ?? ''] ?? 1);
    return unit === 'W' && value > MOST_WATTS ? NOTHING : this.#reading(QUANTITIES[unit], value, unit);
  }

  #temperature(line: string, value: number): Reported {
    const read = this.#reading('temperature', value, '°C');
    const critical = Number(CRITICAL.exec(line)?.[1] ?? Number.NaN);
    if (!(critical > 0 && value >= critical)) return read;
    const attributes = { sensor: line.slice(0, line.indexOf(':')), value, critical };
    return { ...read, findings: [{ kind: 'host.overtemp', component: this.#host, attributes }] };
  }

  #reading(quantity: string, value: number, unit: string): Reported {
    return { ...NOTHING, readings: [{ component: this.#component, quantity, value, unit }] };
  }
}
