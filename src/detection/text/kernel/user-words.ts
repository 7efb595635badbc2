// Kernel lines that begin with words of a user: crash reports, which are events, and all others, which say nothing of hardware.

import type { Component } from '../../../model/component.ts';
import { evidenceText } from '../evidence.ts';
import type { KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

/** TASK_COMM_LEN is 16 with its end; the user who runs a program chooses these bytes, a newline or a whole driver's word too. */
export const MAX_COMM = 15;
/** "traps: " and the name, before the pid. */
const MAX_HEAD = 7 + MAX_COMM + 1;
const COMM = `[^]{0,${MAX_COMM}}`;

const WHO = `(${COMM})\\[(\\d{1,10})\\]`;
/** " in libnccl.so.2[7f7c7ac00000+d3d3000] likely on CPU 3 (core 3, socket 0)": the file's name is a user's, the end is not. */
const WHERE =
  '(?: in ([^]{0,255})\\[[0-9a-f]{1,16}(?:,[0-9a-f]{1,16})?\\+[0-9a-f]{1,16}\\])?' +
  '(?: likely on CPU \\d+ \\(core \\d+, socket \\d+\\))?\\s*$';
/**
 * The kernel's own words for a crash, between the name and the file: arch/x86/mm/fault.c, arch/x86/kernel/traps.c,
 * arch/arm64/kernel/traps.c and their like. The pid is there, too, and the line is known by both of its ends.
 */
const CRASHES: readonly RegExp[] = [
  `${WHO}: segfault at [0-9a-f]+ ip +(?:[0-9a-f]+|\\(null\\)) sp +[0-9a-f]+(?: error [0-9a-f]+)?`,
  `${WHO}: segfault \\(\\d+\\) at [0-9a-f]+ nip [0-9a-f]+ lr [0-9a-f]+ code [0-9a-f]+`,
  `${WHO}: unhandled exception: [\\w ,()/+-]{1,160}?`,
  `${WHO}: unhandled [\\w ()-]{1,60} at 0x[0-9a-f]+, esr 0x[0-9a-f]+,?`,
  `${WHO}: unhandled signal \\d+ code 0x[0-9a-f]+ at 0x[0-9a-f]+`,
  `(?:traps: )?${WHO} (?:general protection(?: fault)?|trap invalid opcode|trap divide error) ip:[0-9a-f]+ sp:[0-9a-f]+ error:[0-9a-f]+`,
].map((form) => new RegExp(`^${form}${WHERE}`));

/** A name and its pid: "a[1]: ", "a[1] ", "a(1): ", "a (1): ", "a/1: ". No driver's line has a number so near its start. */
const NAMED = new RegExp(`^${COMM}(?:\\[\\d{1,10}\\]|\\(\\d{1,10}\\)| \\(\\d{1,10}\\)|/\\d{1,10})(?:[:., ]|$)`);
/** A name without its pid, and what the kernel says of it. */
const UNNUMBERED = new RegExp(
  `^${COMM}(?:: page allocation (?:failure|stalls)| invoked oom-killer: |: attempt to access beyond end of device|: vmalloc ` +
    'error|: vmap allocation| used greatest stack depth: | uses | used the | sent an? | attempts to | tried to |: Core dump)',
);
/** What the packet filter says of interfaces and frame before it comes to the packet: net/netfilter/nf_log_syslog.c. */
const OF_FRAME = '(?: +[A-Z]+=\\S*)*';
/**
 * A rule's prefix (127 bytes with nft) before what the packet filter says of the packet: of one that it cannot read hardly more
 * than where it came from. Between interfaces and packet are its own fields only, so that a name and a file of one user, with
 * the kernel's words between them, are not one.
 */
const FILTERED = new RegExp(
  `^[^]{0,127}IN=\\S{0,15} OUT=\\S{0,15}(?:${OF_FRAME} +(?:SRC=\\S{2,39} DST=\\S{2,39} LEN=\\d+ +[A-Z]|ARP HTYPE=\\d|MACPROTO=[0-9a-f]{4}\\b)[^\\n]*` +
    '| MAC source = [0-9a-f:]{17} MAC dest = [0-9a-f:]{17} proto = 0x[0-9a-f]{4}[^\\n]*' +
    `|${OF_FRAME}(?: +ARP)? +(?:TRUNCATED|INCOMPLETE \\[\\d+ bytes\\])\\s*)$`,
);

/** The crash that the line reports; the name, the file and what they may say of other things are attributes and no more. */
export function crashLine(text: string, context: KernelContext): Finding | null {
  if (!text.slice(0, MAX_HEAD).includes('[')) return null; // nearly every line: spares it five patterns
  for (const form of CRASHES) {
    const found = form.exec(text);
    if (found === null) continue;
    const [, process = '', pid = '', library] = found;
    return {
      kind: 'process.segfault',
      component: processComponent(pid, context),
      attributes: {
        process: evidenceText(process),
        pid: Number(pid),
        ...(library === undefined ? {} : { library: evidenceText(library) }),
      },
    };
  }
  return null;
}

/** Whether a user's words open the line, so that nothing in it may be taken for a driver's. */
export function opensWithUserWords(text: string): boolean {
  return NAMED.test(text) || UNNUMBERED.test(text) || (text.includes(' OUT=') && FILTERED.test(text));
}

export function processComponent(pid: string, { host }: KernelContext): Component {
  return { type: 'process', id: String(Number(pid)), host };
}
