// Where the kernel's message begins in a line of a saved log, behind what dmesg, a syslog daemon or the journal put before it.

import { opensSample } from '../sample-words.ts';

/** Stamps of printk and dmesg: "[ 12.345678] ", "[  +0.000844] ", "[Mon Jan 27 19:27:15 2020] ", "[Feb22 04:01] ", the caller behind them. */
const STAMP = String.raw`\[[ +]*\d[\d.]{0,24}\]|\[[A-Z][a-z]{2}[ A-Za-z0-9:]{2,24}\]|\[\d{4}-\d\d-\d\d[T ][\d:.,Z+-]{8,32}\]`;
const BEHIND = new RegExp(String.raw`^(?:<\d{1,4}>)? ?(?:${STAMP})(?: \[ *[CT]\d+\])?:? `);
const LEVEL = /^<\d{1,4}>(?=\D)/;
/** "6,222,400,-;", as the device itself is read. */
const DEVICE = /^\d{1,5},\d{1,20},\d{1,20},[^;]{1,80};/;
/** "kern  :warn  : 2025-01-21T04:41:44,283302+00:00 ", the form of `dmesg --decode`. */
const DECODED = /^kern {0,4}: *[a-z]{3,6} {0,4}: (?:\d{4}-[\dT:,.+-]{8,32} )?/;
/** "<4>1 2024-12-02T02:43:35Z node-a kernel - - - " (RFC 5424). */
const RFC5424 = /^<\d{1,3}>1 \S{10,40} \S{1,64} (\S{1,64}) \S{1,64} \S{1,64} (?:-|\[[^\]]{0,200}\]) /;
/** "Feb 01 14:25:31 node-a kernel: ", in any language, or with an ISO time; the host may be missing. */
const SYSLOG =
  /^(?:\p{L}{3,5}\.? +\d{1,2} \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\S{8,24})(?: +[^\s:]{1,64})?(?: +([^\s:[]{1,48})(?:\[\d+\])?: )/u;
/** "node-a kernel: " or "kernel: " alone. */
const TAGGED = /^(?:[\w.-]{1,64} )?kernel: /;
/** "192.0.2.119: kern: warning: [2026-…]: ", and a host's name before the kernel's stamp. */
const RELAYED = /^[\w.:-]{1,64}: (?:kern: [a-z]{3,8}: )?(?=\[)/;
/** What another program quotes of the driver. */
const QUOTED = /(?:[;:\s])(NVRM: Xid \((?:PCI:)?[0-9a-fA-F]{2,8}:)/;
const MAX_HEAD = 400;

/** Null where another program than the kernel wrote the line. */
export function savedMessage(line: string): string | null {
  const syslog = RFC5424.exec(line) ?? SYSLOG.exec(line);
  if (syslog !== null) return syslog[1] === 'kernel' ? behindStamps(line.slice(syslog[0].length)) : null;
  const plain = behindStamps(line);
  if (plain.length < line.length) return plain;
  const quoted = QUOTED.exec(line.slice(0, MAX_HEAD));
  if (quoted === null || opensSample(line.slice(0, quoted.index + 1))) return line.trimStart();
  return line.slice(quoted.index + 1);
}

function behindStamps(line: string): string {
  let message = line;
  for (const head of [DEVICE, DECODED, TAGGED, RELAYED, BEHIND, TAGGED, BEHIND, LEVEL])
    message = message.replace(head, '');
  return message;
}
