// Reports: gives each line of a text to the readers of reports, and says what they made of it.

import { DcgmMetrics } from './dcgm-metrics.ts';
import { SystemEventLog } from './event-log.ts';
import { DiskFree, Sensors } from './host-tools.ts';
import type { Reported, ReportReader } from './report.ts';
import { SmiQuery } from './smi-query.ts';
import { SmiTable } from './smi-table.ts';

/** No line of a report is longer. */
const MAX_LINE = 4096;
/** All lines of reports have one of these, and few others have. */
const MAY_REPORT =
  / : |^\s*<\/?\w|\||% \/|^DCGM_|^\{'|^Adapter: |: +[+-]?\d|^\s*[A-Z][\w ()/-]*$|^Unable |=NVSMI|^GPU |\[\.{3}\]/;

export class Reports {
  readonly #readers: readonly ReportReader[];

  constructor(host: string) {
    this.#readers = [
      new SmiQuery(host),
      new SmiTable(host),
      new DcgmMetrics(host),
      new SystemEventLog(host),
      new DiskFree(host),
      new Sensors(host),
    ];
  }

  /** Null where the line is of no report. */
  take(line: string): (Reported & { readonly form: string }) | null {
    if (line.length > MAX_LINE || !MAY_REPORT.test(line)) return null;
    for (const reader of this.#readers) {
      const reported = reader.take(line);
      if (reported !== null) return { ...reported, form: reader.form };
    }
    return null;
  }
}
