// Mixed logs: lines as programs of a GPU cluster write them, in about the shares in which they come, with numbers drawn again.

const HEX = '0123456789abcdef';

/** The same at each run. */
export function drawer(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const FORMS = [
  [8, (d, at, steps) => ` [${at}] iteration ${steps.next(d)}/ 100000 | consumed samples: ${d(9e6)} | elapsed time per iteration (ms): ${steps.about(d, 9000)}.${d(9)} | throughput per GPU (TFLOP/s/GPU): ${steps.about(d, 700)}.${d(9)} | learning rate: ${d(9)}.0E-05 | global batch size: 2048 | lm loss: 2.${d(99999)}E+00 | loss scale: 1.0 | grad norm: 0.${d(999)} | number of skipped iterations: 0 | number of nan iterations: 0 |`],
  [5, (d, at, steps) => `[rank0]:${at} - root - INFO - step: ${steps.next(d)}  loss: 2.${d(99999)}  grad_norm: 0.${d(9999)}  memory: ${steps.about(d, 79)}.${d(99)}GiB(${steps.about(d, 99)}.00%)  tps: ${steps.about(d, 9999)}  tflops: ${steps.about(d, 700)}.00  mfu: ${steps.about(d, 60)}.10%`],
  [9, (d) => `node-${d(999)}:${d(99999)}:${d(99999)} [${d(8)}] NCCL INFO Channel ${d(32)}/0 : ${d(1024)}[${d(8)}] -> ${d(1024)}[${d(8)}] [send] via NET/IBext_v8/${d(8)}/GDRDMA`],
  [5, (d) => `node-${d(999)}:${d(99999)}:${d(99999)} [${d(8)}] NCCL INFO Connected all rings, use ring PXN 0 GDR 1`],
  [12, (d, at) => `${at},${d(999)} - datasets.builder - INFO - Loading shard ${d(9999)} of 10000 from /data/c4/part-${d(99999)}.arrow, ${d(99999)} rows in ${d(999)} ms`],
  [8, (d, at) => `${at} | DEBUG    | trainer.data:prefetch:${d(900)} - queue ${d(64)}/64, worker ${d(16)} took ${d(900)} us for batch ${d(99999)}`],
  [12, (d) => `Nov 28 12:${d(50) + 10}:${d(50) + 10} node-${d(999)} systemd[1]: session-${d(99999)}.scope: Deactivated successfully.`],
  [7, (d) => `Nov 28 12:${d(50) + 10}:${d(50) + 10} node-${d(999)} sshd[${d(99999)}]: Accepted publickey for user${d(99)} from 10.${d(255)}.${d(255)}.${d(255)} port ${d(60000)} ssh2: ED25519 SHA256:${hex(d, 40)}`],
  [10, (d) => `[${d(99999)}.${d(899999) + 100000}] IN=eth0 OUT= MAC=${hex(d, 12)} SRC=10.${d(255)}.${d(255)}.${d(255)} DST=10.0.0.${d(255)} LEN=${d(1500)} TOS=0x00 PREC=0x00 TTL=64 ID=${d(65535)} PROTO=TCP SPT=${d(65535)} DPT=22 WINDOW=${d(65535)} RES=0x00 SYN URGP=0`],
  [5, (d) => `[${d(99999)}.${d(899999) + 100000}] audit: type=1400 audit(1732795200.${d(999)}:${d(99999)}): apparmor="ALLOWED" operation="open" profile="snap.x" name="/proc/${d(99999)}/cmdline" pid=${d(99999)} comm="python3" requested_mask="r"`],
  [9, (d, at) => `INFO:     10.${d(255)}.${d(255)}.${d(255)}:${d(60000)} - "POST /v1/chat/completions HTTP/1.1" 200 OK ${at}`],
  [2, (d) => `INFO 11-28 12:${d(50) + 10}:${d(50) + 10} metrics.py:351] Avg prompt throughput: ${d(9000)}.${d(9)} tokens/s, Avg generation throughput: ${d(9000)}.${d(9)} tokens/s, Running: ${d(200)} reqs, Swapped: 0 reqs, Pending: ${d(50)} reqs, GPU KV cache usage: ${d(99)}.${d(9)}%, CPU KV cache usage: 0.0%.`],
  [7, (d, at) => `I1128 12:${d(50) + 10}:${d(50) + 10}.${d(899999) + 100000} ${d(9999)} kubelet.go:${d(2000)}] "SyncLoop (PLEG): event for pod" pod="team-${d(99)}/trainer-${hex(d, 10)}" at="${at}"`],
  [0.04, (d) => `NVRM: Xid (PCI:0000:${hex(d, 2)}:00): ${[13, 31, 43, 45, 48, 63, 79, 94][d(8)]}, pid=${d(99999)}, name=python3, Ch 0000000${d(9)}`],
  [0.04, (d) => `[rank${d(1024)}]:[E1128 12:00:00.000000000 ProcessGroupNCCL.cpp:${d(2000)}] [Rank ${d(1024)}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=${d(99999)}, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600${d(999)} milliseconds before timing out.`],
  [0.06, (d) => `Traceback (most recent call last):\n  File "/opt/train.py", line ${d(999)}, in <module>\n    main()\nRuntimeError: CUDA error: an illegal memory access was encountered`],
]; // biome-ignore format: a form a line

const TIME = 'YYYY-MM-DD hh:mm:ss';

/** Forms with a smaller share than this are faults. */
const FAULT_SHARE = 1;

/** Of the forms one behind the other, each as wide as its share, the one at that place. */
function formAt(forms, place) {
  let from = 0;
  for (const [share, form] of forms) {
    from += share;
    if (place < from) return form;
  }
  return FORMS[0][1];
}

function hex(d, length) {
  return Array.from({ length }, () => HEX[d(16)]).join('');
}

/** Steps whose numbers are drawn, as in logs of many jobs thrown together. */
const DRAWN = {
  next: (d) => d(90_000),
  about: (d, most) => d(most),
  time: (d, line) => `2026-11-28 12:${10 + (line % 50)}:${10 + d(50)}`,
};

/** Of the log of a job: as many as are in three megabytes, so that its clock is about the host's. */
const LINES_A_SECOND = 20_000;

/** Steps of one job that is under way: it counts, its clock runs, and its numbers are within a twentieth. */
function counted() {
  const startMs = Date.now();
  let step = 0;
  return {
    next: () => {
      step += 1;
      return step;
    },
    about: (d, most) => Math.floor(most / 2) + d(Math.ceil(most / 20)),
    // In UTC, as a container has it.
    time: (_, line) =>
      new Date(startMs + (line / LINES_A_SECOND) * 1000).toISOString().slice(0, TIME.length).replace('T', ' '),
  };
}

/** A job prints its steps in one form: the first one has the share of all. */
function ofOneJob([[share, form], [further], ...others]) {
  return [[share + further, form], ...others];
}

/**
 * About so many bytes, as a Buffer: 4 MiB of drawn lines over and over, so that it is made quickly; with `job` all of it is drawn, as the log
 * of one job that continues. `faults` false: none are among them.
 */
export function mixedLogs(bytes, { seed = 7, faults = true, job = false } = {}) {
  const draw = drawer(seed);
  const all = job ? ofOneJob(FORMS) : FORMS;
  const forms = faults ? all : all.filter(([share]) => share >= FAULT_SHARE);
  const total = forms.reduce((sum, [share]) => sum + share, 0);
  const steps = job ? counted() : DRAWN;
  const lines = [];
  for (let length = 0, count = 0; length < (job ? bytes : Math.min(bytes, 4 << 20)); count += 1) {
    const form = formAt(forms, (draw(1_000_000) / 1_000_000) * total);
    const line = form(draw, steps.time(draw, count), steps);
    lines.push(line);
    length += line.length + 1;
  }
  const part = Buffer.from(`${lines.join('\n')}\n`);
  return Buffer.concat(Array.from({ length: Math.max(1, Math.round(bytes / part.length)) }, () => part));
}
