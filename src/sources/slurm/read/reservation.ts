// Reads reservations of Slurm: which nodes are set aside for maintenance, until when and for whom; JSON of all generations, and text.

import { hostsOf } from '../../../helpers/host-list.ts';
import { documentOf } from './job-json.ts';
import { textRecords } from './text-record.ts';
import { rowOf, textOf, timeOf, wordsOf } from './values.ts';

export interface Reservation {
  readonly name: string;
  readonly flags: readonly string[];
  /** As Slurm writes it: "n[1-4]". */
  readonly nodes: string;
  readonly users: string | null;
  readonly comment: string | null;
  /** Epoch ms. */
  readonly fromMs: number;
  readonly untilMs: number;
}

const MOST = 1024;

/** Null where it is not an answer to that question. */
export function reservationsFromJson(text: string): readonly Reservation[] | null {
  const rows = documentOf(text)?.reservations;
  if (!Array.isArray(rows)) return null;
  return rows.slice(0, MOST).flatMap((each) => {
    const row = rowOf(each);
    const [name, nodes] = [textOf(row?.name), textOf(row?.node_list)];
    const [fromMs, untilMs] = [timeOf(row?.start_time), timeOf(row?.end_time)];
    if (name === null || nodes === null || fromMs === null || untilMs === null) return [];
    const comment = textOf(row?.comment);
    return [{ name, nodes, fromMs, untilMs, comment, flags: wordsOf(row?.flags), users: textOf(row?.users) }];
  });
}

/** ReservationName=maint StartTime=2026-11-29T05:00:00 EndTime=… Nodes=n1 Flags=MAINT,SPEC_NODES Users=root */
export function reservationsFromText(text: string): readonly Reservation[] {
  return textRecords(text, 'ReservationName').flatMap((record) => {
    const [name, nodes] = [record.text('ReservationName'), record.text('Nodes')];
    const [fromMs, untilMs] = [record.time('StartTime'), record.time('EndTime')];
    if (name === null || nodes === null || fromMs === null || untilMs === null) return [];
    const comment = record.line('Comment');
    return [{ name, nodes, fromMs, untilMs, comment, flags: wordsOf(record.text('Flags')), users: record.text('Users') }]; // biome-ignore format: one record
  });
}

/** Only a reservation with this flag is for work on the nodes; the others are for jobs. */
export function isMaintenance({ flags }: Reservation, nodes: readonly string[]): boolean {
  return flags.some((flag) => flag === 'MAINT' || flag === 'MAINTENANCE') && nodes.length > 0;
}

export function maintenanceOf(reservations: readonly Reservation[], node: string): readonly Reservation[] {
  return reservations.filter((one) => {
    const nodes = hostsOf(one.nodes);
    return isMaintenance(one, nodes) && nodes.includes(node);
  });
}
