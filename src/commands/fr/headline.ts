// One line a verdict: who, and what to look at next.

import type {
  FlightRecorderDocument,
  FlightRecorderVerdict,
  FlightRecorderVerdictType,
} from '../../model/documents/flight-recorder.ts';
import { plain } from '../../model/plain.ts';
import { namedRanks } from './ranks.ts';

const HOSTS = 4;
/** Confidence of a ring up to which all of its ranks are named. */
const UNDECIDED = 0.5;
const DID: Readonly<Record<FlightRecorderVerdictType, string>> = {
  not_joined: 'did not enter the operation that the others wait in',
  silent_rank: 'left no dump, and the others wait for it',
  mismatch: 'met the others with another operation, size or type',
  stream_blocked: 'entered the operation and never started it on the GPU',
  fabric_or_gpu: 'cannot be told apart',
  late_completer: 'did not finish what the peers finished',
  p2p_unpaired: 'left a send or receive without its other side',
  lock_order: 'entered the groups in another order than the others',
  outside_nccl: 'no rank waits in a recorded operation',
  none: 'no rank is seen to wait for long in a recorded operation',
};

const NEXT: Readonly<Record<FlightRecorderVerdictType, string>> = {
  not_joined: 'the Python stack of these ranks (py-spy dump), then their host: CPU, disk, data loader, GIL',
  silent_rank: 'their host: exit status, kernel log (XID, OOM killer), whether the process lives',
  mismatch: 'the call sites above: a branch that only some ranks take, or input of another shape',
  stream_blocked: 'kernels that run on the GPU of these ranks, and older operations on the same stream',
  fabric_or_gpu: 'XID, NVLink and network counters of all hosts of the group',
  late_completer: 'XID, ECC and NVLink of the GPUs of these ranks, then their network ports',
  p2p_unpaired: 'the pipeline schedule: number and order of sends and receives between these ranks',
  lock_order: 'the order in which the call sites above enter their groups',
  outside_nccl: 'what the ranks do between collectives: data loader, checkpoint, evaluation',
  none: 'if the job hangs all the same: dump again, then what the ranks do between collectives',
};

/** `hosts`: of the ranks whose host is known. */
export function headline(
  verdict: FlightRecorderVerdict,
  hosts: ReadonlyMap<number, string>,
  differ?: FlightRecorderDocument['mismatches'][number],
): string {
  if (verdict.culprits.length === 0) return verdict.waiting.length === 0 ? DID[verdict.type] : 'no rank can be named';
  const who = namedRanks(verdict.culprits);
  const on = [...new Set(verdict.culprits.flatMap((rank) => hosts.get(rank) ?? []))];
  const where = on.length === 0 ? '' : ` on ${on.slice(0, HOSTS).join(', ')}${on.length > HOSTS ? ', …' : ''}`;
  // All who wait for each other are named where nothing tells who of them went another way.
  const ring = verdict.type === 'lock_order' && verdict.culprits.length > 1 && verdict.confidence <= UNDECIDED;
  const all = 'wait for each other: each holds a group that another wants; which of them is wrong is not known';
  const did = ring ? all : differ === undefined ? DID[verdict.type] : differed(differ);
  return `${who.charAt(0).toUpperCase()}${who.slice(1)}${where} ${did}`;
}

function differed(mismatch: FlightRecorderDocument['mismatches'][number]): string {
  const { what, expected, found, launched } = mismatch;
  const [right, wrong] = [plain(expected.operation, 60), plain(found.operation, 60)];
  if (what === 'count' && launched !== undefined) {
    return `launched ${launched.found} operations together where the others launched ${launched.expected}`;
  }
  const which = launched === undefined ? '' : ` as number ${launched.place} of ${launched.found} launched together`;
  if (what === 'operation' && right !== wrong) return `called ${wrong}${which} where the others called ${right}`;
  if (what === 'size' && expected.input_sizes !== found.input_sizes) {
    return `called ${wrong} with ${plain(found.input_sizes, 60)}${which} where the others had ${plain(expected.input_sizes, 60)}`;
  }
  if (what === 'dtype')
    return `called ${wrong} with ${plain(found.dtype, 30)}${which} where the others had ${plain(expected.dtype, 30)}`;
  if (what === 'total_size') return `called ${wrong} with sizes that do not fit those of the others`;
  return DID.mismatch;
}

export function lookNext(verdict: FlightRecorderVerdict): string {
  return NEXT[verdict.type];
}
