// Changes of PDUs and of what the BMC shows, beyond voltage and load; accuracy runs only.

import type { Severity } from '../../../model/severity.ts';

export interface FacilityChanges {
  readonly pdu_outlet?: { readonly pdu: string; readonly outlet: number; readonly to: 'off' | 'on' };
  /** Its outlets carry nothing. */
  readonly pdu_breaker?: { readonly pdu: string; readonly branch: number };
  /** A. */
  readonly pdu_branch_current?: { readonly pdu: string; readonly branch: number; readonly to: number };
  /** Its management card restarts; power flows on. */
  readonly pdu_restart?: { readonly pdu: string };
  readonly psu_removed?: { readonly supply: number };
  /** What the BMC says of the host as a whole. */
  readonly host_health?: { readonly to: 'OK' | 'Warning' | 'Critical' };
  /** An entry of the BMC's event log. What its reader makes nothing of enters as a finished event where it has a kind. */
  readonly sel?: {
    readonly message: string;
    readonly message_id?: string;
    readonly severity?: Severity;
    readonly kind?: string;
    readonly component?: string;
  };
}

export const FACILITY_NAMES = [
  'pdu_outlet',
  'pdu_breaker',
  'pdu_branch_current',
  'pdu_restart',
  'psu_removed',
  'host_health',
  'sel',
] as const satisfies readonly (keyof FacilityChanges)[];
