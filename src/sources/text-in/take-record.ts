// Takes one record of a shipper: whose lines it has, each of them by itself, in the trace that it was written in.

import { matchesWildcard } from '../../helpers/wildcard.ts';
import type { WorkView } from '../../identity/work/work.ts';
import type { Emit } from '../../model/record.ts';
import type { ProgramWork } from './receiver-settings.ts';
import type { RecordLine } from './record-line.ts';
import type { TextIntake } from './text-intake.ts';
import { asSaidBy, type PassedOn, whoseLines } from './whose-lines.ts';

/** Of one record: a traceback has some, a whole file is not one. */
const MOST_LINES = 256;
const TRACE_ID = /^[0-9a-f]{32}$/;
const SPAN_ID = /^[0-9a-f]{16}$/;

export interface Taking {
  readonly intake: TextIntake;
  readonly emit: Emit;
  /** "otlp", "fluent": the first part of the streams' names. */
  readonly way: string;
  readonly view: () => WorkView;
  readonly work: readonly ProgramWork[];
  /** Who sends it; left out where no one is between. */
  readonly passed?: PassedOn;
  /** The number of the next line. */
  position: number;
}

export function takeRecord(line: RecordLine, taking: Taking): void {
  const { intake, emit, way, work } = taking;
  const { program, whose, service, kernel } = line;
  const own = program === null ? undefined : work.find((each) => matchesWildcard(program, each.program));
  const passed = taking.passed ?? null;
  const found = kernel
    ? null
    : own === undefined
      ? whoseLines(whose, taking.view(), passed)
      : own.job === null
        ? null
        : asSaidBy(passed, { job: own.job, rank: null, claimed: false }, taking.view());
  const job = found?.job ?? null;
  const ofService = kernel || job !== null ? null : (own?.service ?? service);
  const claimed = job !== null ? found?.claimed === true : ofService !== null && ofService !== own?.service;
  const stream = `${way}/${job ?? ofService ?? program ?? 'host'}${found?.rank == null ? '' : `/${found.rank}`}`;
  intake.each(line.text.split('\n', MOST_LINES), (text) => {
    taking.position += 1;
    intake.take(
      {
        stream: stream.slice(0, 160),
        position: taking.position,
        wallMs: line.wallMs,
        digits: line.digits,
        host: line.host,
        kernel,
        facility: line.facility,
        priority: line.priority,
        program,
        text: text.replace(/\r$/, ''),
        trust: 'tenant',
        job,
        service: ofService,
        rank: found?.rank ?? null,
        claimed,
        history: false,
        traceId: line.traceId !== null && TRACE_ID.test(line.traceId) ? line.traceId : null,
        spanId: line.spanId !== null && SPAN_ID.test(line.spanId) ? line.spanId : null,
      },
      emit,
    );
  });
}
