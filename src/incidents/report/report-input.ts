// Report input: all that a report for a ticket or a browser is made of; the same for each of its forms.

import type { Incident } from '../../model/incident.ts';
import type { Said } from '../../model/note.ts';
import type { SampleSeries } from '../read-samples.ts';

export interface ReportInput {
  readonly incident: Incident;
  /** Up to when it is known to be open. */
  readonly nowMs: number;
  /** IANA name: "UTC", "Europe/Berlin". */
  readonly timeZone: string;
  readonly said: Said;
  /** Why nothing newer is known, where no daemon writes any more; null where one does. */
  readonly silent: string | null;
  /** The black box; null where there is none. */
  readonly samples: { readonly path: string; readonly series: readonly SampleSeries[] } | null;
  /** Path of the log that the incident is in, or of what was scanned. */
  readonly logPath: string;
  /** What was scanned, as it is typed once more. */
  readonly scanned?: string;
  /** The command that shows it once more, where that is neither scan nor explain. */
  readonly again?: string;
  /** Folder of flight-recorder dumps that lie with what was read. */
  readonly dumps?: string | null;
  /** Folder that docs/ lies in. */
  readonly root: string;
  /** What a command needs to find the incident where it lies, such as ` --config FILE`; null: a scan found it, and no log has it. */
  readonly place?: string | null;
  /** What may belong to it and is not joined to it. */
  readonly nextTo?: readonly string[];
  /** What of that is to be seen before anything is done. */
  readonly first?: string | undefined;
}
