// Reads logs that daemons keep for themselves: those of apcupsd, NUT, the cards of UPSes, mcelog, rasdaemon, the kubelet, Slurm and Ceph.

import { bareFindings } from '../programs/program-rows.ts';
import { CephHealth } from './ceph-health.ts';
import { NOTHING, type Reported, type ReportReader } from './report.ts';

/** "2026-10-31 19:28:19 -0400  ", "2026/10/31 19:28:19 " of Go's logger, "Nov 28 12:00:24 gx-4 ", "[2026-…] ": a time, and nothing else; of a UPS's own card "10/11/2016 05:41:36 Device UPS: ". */
const TIME =
  /^\s{0,4}(?:\[?\d{4}([-/])\d\d\1\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d))?\]?:? {1,4}(?:[0-9a-f]{8,16} {1,3}(?=-?\d))?|(?:mcelog|rasdaemon|upsmon|apcupsd|nhc)(?:\[\d{1,10}\])?: {1,4}|(?:\d\d\/\d\d\/\d{4}\s{1,4}\d\d:\d\d:\d\d\s{1,4}(?:Device\s{1,4})?)?UPS: )?/;

/** Slurm's daemons write a time to the millisecond in brackets, and not which of them writes. */
const OF_SLURM = /^\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\] (?=fatal: )/;

export class ProgramLog implements ReportReader {
  readonly form = 'program_log';
  readonly #host: string;
  readonly #ceph: CephHealth;

  constructor(host: string) {
    this.#host = host;
    this.#ceph = new CephHealth(host);
  }

  /** The next line may be of the health of a Ceph cluster, whatever its words. */
  get open(): boolean {
    return this.#ceph.open;
  }

  take(line: string): Reported | null {
    const findings = bareFindings(line.replace(OF_SLURM, 'slurm: ').replace(TIME, ''), this.#host);
    const ofCeph = this.#ceph.take(line, findings !== null);
    const found = findings ?? ofCeph;
    return found === null ? null : { ...NOTHING, findings: found };
  }
}
