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
  /** Null when neither name nor content shows it. */
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
    readonly what: 'operation' | 'size' | 'dtype' | 'count' | 'total_size';
    readonly group: FlightRecorderGroup;
    readonly sequence: number;
    readonly ranks: readonly number[];
    readonly majority: boolean;
    /** Where there were several under this number, as in a coalesced launch: how many, and which of them this is, from 1. */
    readonly launched?: { readonly expected: number; readonly found: number; readonly place: number };
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

/**
 * What a host sends the others of its dumps: enough for the verdict that the dumps themselves would give (stragglers apart,
 * which need the history), at most 16 KiB a rank, usually one to two. Native code writes and reads it; `fr` takes files of
 * it in place of dumps. Numbers are -1 where absent; times are ns since the epoch by the clock of the host; `ranks` are runs
 * "0-3,8-64/8" (from, to, step). Lists by number: the second, third and fourth member of `summary`.
 */
export interface FlightRecorderSummary {
  readonly schema: 'faultline/fr-summary/1';
  /** Name of the job, where the host knows it: summaries of several may come to one place. */
  readonly job?: string;
  /** Where the dumps lie; a host in the name of a dump comes before it. */
  readonly host?: string;
  readonly summary: readonly [
    ranks: readonly SummaryRank[],
    signatures: readonly (readonly [
      operation: string,
      inputSizes: string,
      outputSizes: string,
      dtype: string,
      inputElements: number,
      outputElements: number,
      comparedElements: number,
    ])[],
    rankLists: readonly string[],
    /** Function, file and line, again and again, innermost first; at most four frames. */
    stacks: readonly (readonly (string | number)[])[],
  ];
}

/** Bits: 1 file was cut, 2 start events recorded, 4 Gloo, 8 file could not be read. */
type SummaryRank = readonly [
  rank: number,
  host: string,
  version: string,
  bits: number,
  entries: number,
  dumpedNs: number,
  activeNs: number,
  pauseNs: number,
  oldestNs: number,
  newestNs: number,
  groups: readonly SummaryGroup[],
  operations: readonly SummaryOperation[],
];

/** Bits: 1 pg_status known, 2 operations recorded, 4 point to point among them, 8 collectives among them, 16 op_id runs apart. */
type SummaryGroup = readonly [
  name: string,
  description: string,
  rankList: number,
  pgId: number,
  bits: number,
  statusEnqueued: number,
  statusCompleted: number,
  enqueued: number,
  completed: number,
  slowestNs: number,
  timeoutMs: number,
  timesSeen: number,
];

/** Bits: 1 point to point, 2 send, 4 finished, 8 started, 16 timed out, 32 ended only by the abort. */
type SummaryOperation = readonly [
  group: number,
  sequence: number,
  signature: number,
  nsAfterOldestPlusOne: number,
  bits: number,
  stack?: number,
  self?: number,
  peer?: number,
];
