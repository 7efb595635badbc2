// The verdict document on flight-recorder dumps (`fr`), as native code makes it and as it is printed.

export type FlightRecorderVerdictType =
  | 'not_joined'
  | 'silent_rank'
  | 'mismatch'
  | 'stream_blocked'
  | 'fabric_or_gpu'
  | 'late_completer'
  | 'p2p_unpaired'
  | 'lock_order'
  | 'outside_nccl'
  | 'none';

export interface FlightRecorderGroup {
  readonly name: string;
  readonly desc: string;
  /** Global ranks, ascending. */
  readonly ranks: readonly number[];
}

export interface FlightRecorderDump {
  /** Null when neither name nor content tells. */
  readonly rank: number | null;
  readonly path: string;
  /** Format version, not that of torch; null when the file did not say. */
  readonly version: string | null;
  readonly host: string | null;
  /** Complete entries, of a truncated file those before the break. */
  readonly entries: number;
  readonly truncated: boolean;
  /** Byte, opcode (null for JSON and whole files) and reason. */
  readonly rejected?: { readonly offset: number; readonly opcode: number | null; readonly why: string };
}

/** What a rank recorded. Times are RFC 3339 with nine digits by the clock of that rank's host. */
export interface FlightRecorderEvidence {
  readonly rank: number;
  readonly what: string;
  readonly group?: string;
  readonly sequence?: number;
  readonly operation?: string;
  readonly input_sizes?: string;
  readonly output_sizes?: string;
  readonly dtype?: string;
  readonly time?: string | null;
  readonly enqueued?: number;
  readonly status_enqueued?: number;
  readonly status_completed?: number;
}

export interface FlightRecorderStack {
  readonly rank: number;
  readonly of: string;
  /** Innermost first. */
  readonly stack: readonly { readonly function: string; readonly file: string; readonly line: number }[];
}

export interface FlightRecorderVerdict {
  readonly type: FlightRecorderVerdictType;
  readonly group: FlightRecorderGroup | null;
  /** collective_seq_id; of point-to-point operations p2p_seq_id. */
  readonly sequence: number | null;
  /** Without the back end. */
  readonly operation: string | null;
  readonly culprits: readonly number[];
  readonly waiting: readonly number[];
  /** 0 to 1. */
  readonly confidence: number;
  readonly why: string;
  /** When the first rank entered what did not end. */
  readonly since: string | null;
  /** Of a lock order: the operations that the ring goes round. */
  readonly ring?: readonly { readonly group: FlightRecorderGroup; readonly sequence: number }[];
  readonly evidence: readonly FlightRecorderEvidence[];
  readonly frames: readonly FlightRecorderStack[];
}

export interface FlightRecorderSignature {
  readonly operation: string;
  readonly input_sizes: string;
  readonly output_sizes: string;
  readonly dtype: string;
}

export interface FlightRecorderDocument {
  readonly schema: 'faultline/fr/1';
  readonly job: {
    readonly world_size: number | null;
    readonly dumps: readonly FlightRecorderDump[];
    readonly missing_ranks: readonly number[];
    /** Paths that could not be entered, with the reason. */
    readonly errors: readonly string[];
  };
  /** At least one; those with culprits first. */
  readonly verdicts: readonly FlightRecorderVerdict[];
  readonly culprits: readonly {
    readonly rank: number;
    readonly confidence: number;
    readonly reasons: readonly string[];
  }[];
  readonly stragglers: readonly {
    readonly rank: number;
    readonly lateness_ms: number;
    readonly share: number;
    readonly samples: number;
    readonly group: FlightRecorderGroup;
    readonly operation: string;
    readonly input_sizes: string;
  }[];
  readonly mismatches: readonly {
    readonly what: 'operation' | 'size' | 'dtype' | 'total_size';
    readonly group: FlightRecorderGroup;
    readonly sequence: number;
    readonly ranks: readonly number[];
    readonly majority: boolean;
    readonly expected: FlightRecorderSignature;
    readonly found: FlightRecorderSignature;
  }[];
}

/** The document as the daemon gets it: lists and texts are cut, and what was cut is counted. */
export type BriefFlightRecorderDocument = Pick<FlightRecorderDocument, 'culprits' | 'stragglers' | 'mismatches'> & {
  readonly job: FlightRecorderDocument['job'] & {
    /** Files that were dumps or should have been, those that could not be read among them. */
    readonly dumps_count: number;
    readonly refused_count: number;
    readonly missing_ranks_count: number;
  };
  readonly verdicts: readonly (FlightRecorderVerdict & {
    readonly culprits_count: number;
    readonly waiting_count: number;
  })[];
};
