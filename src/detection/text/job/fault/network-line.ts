// NCCL's warnings: retries that ran out, ports in error, broken sockets, shared memory that is too small.

import { Cursor } from '../../cursor.ts';
import { type Fault, MAX_TEXT } from './fault.ts';

/** IBV_WC_RETRY_EXC_ERR of infiniband/verbs.h: the transport's retries ran out. */
const RETRY_EXCEEDED = 12;

/** Null for lines without NCCL's word. */
export function networkLine(body: string): Fault | null {
  const at = Math.max(body.indexOf('NCCL WARN '), body.indexOf('NET/IB'));
  if (at < 0) return null;
  return (
    retries(body) ?? unresponsive(body) ?? portError(body) ?? sharedMemory(body) ?? truncated(body) ?? socket(body)
  );
}

/** "NET/IB : Got completion from peer 192.0.2.236<54862> with status=12 opcode=0 len=0 vendor err 129 (Recv) … hca mlx5_4" */
function retries(body: string): Fault | null {
  const cursor = new Cursor(body);
  if (!cursor.skipPast('Got completion from peer ')) return null;
  const peer = cursor.until('<', 64);
  const status = cursor.skipPast('status=') ? cursor.integer(4) : null;
  if (status !== RETRY_EXCEEDED) return null;
  const device = cursor.skipPast(' hca ') ? /^\w{1,32}/.exec(cursor.rest())?.[0] : undefined;
  const pid = printerPid(body);
  const attributes = { peer, ...(device === undefined ? {} : { device }), ...(pid === null ? {} : { pid }) };
  return { kind: 'net.rdma_retry_exceeded', place: 'job', attributes };
}

/** "NET/OFI Request 0x7f… completed with error. RC: 21. Error: unresponsive receiver …": the same of libfabric. */
function unresponsive(body: string): Fault | null {
  const found = /NET\/OFI Request .{0,80}completed with error\. RC: (\d{1,4})\b/.exec(body)?.[1];
  if (found === undefined) return null;
  return { kind: 'net.rdma_retry_exceeded', place: 'job', attributes: { code: Number(found), message: tail(body) } };
}

/** "NET/IB : mlx5_4:1 Got async event : port error": which card that is only the host knows. */
function portError(body: string): Fault | null {
  if (!/Got async event ?: port error/.test(body)) return null;
  const device = /(\w{1,32}):\d{1,3} Got async event/.exec(body)?.[1];
  return { kind: 'nic.port_down', place: 'device', attributes: device === undefined ? {} : { device } };
}

/** "failed to extend /dev/shm/nccl-Xk2p9 to 33030532 bytes, error: No space left on device (28)" */
function sharedMemory(body: string): Fault | null {
  if (!body.includes('/dev/shm/') || !/No space left|failed to extend|posix_fallocate failed/.test(body)) return null;
  return { kind: 'host.shm_full', place: 'host', attributes: { message: tail(body) } };
}

/** "Message truncated : received 1024 bytes instead of 256": the ranks do not speak of the same call, or not the same version. */
function truncated(body: string): Fault | null {
  if (!/[Mm]essage truncated/.test(body)) return null;
  return { kind: 'job.collective_mismatch', place: 'job', attributes: { message: tail(body) } };
}

/** "Call to recv from 192.0.2.20<33759> failed : Connection reset by peer", "Connection closed by remote peer node-a<47861>". */
function socket(body: string): Fault | null {
  if (/Connection reset by peer/.test(body))
    return { kind: 'net.connection_reset', place: 'job', attributes: { message: tail(body) } };
  if (/Broken pipe|Connection closed by remote peer/.test(body)) return { kind: 'job.peer_failure', place: 'job' };
  return null;
}

/** "node-a:183006:183220 [1] …": host, process and thread that print. */
function printerPid(body: string): number | null {
  const found = /^\S{1,128}?:(\d{1,10}):\d{1,10} \[/.exec(body.slice(0, MAX_TEXT))?.[1];
  return found === undefined ? null : Number(found);
}

function tail(body: string): string {
  return body.slice(Math.max(0, body.indexOf('NCCL WARN '))).slice(0, MAX_TEXT);
}
