// When each line of a saved log is written to a daemon that runs, and where a host's own writers would put it.

import { SPEAKS_OF_DEVICES } from '../../../src/detection/text/kernel/programs.ts';

/**
 * The lines of a log in the writes in which they come: each a list of lines with `atMs` from the first one, and `to`.
 * `longestGapMs`: no two are further apart; `undatedGapMs`: so far apart are two of which one says no time, in a kernel log of which no
 * distance is known; `togetherMs`: what is as close as this to the first line of a write comes with it.
 */
export function writesOf(records, { longestGapMs, undatedGapMs, togetherMs }) {
  const writes = [];
  let [atMs, number] = [0, 0];
  let before = null;
  for (const record of records) {
    if (before !== null) atMs += gapOf(before, record, longestGapMs, undatedGapMs);
    before = record;
    const line = { record, number: ++number, atMs, to: placeOf(record) };
    const last = writes.at(-1);
    if (last !== undefined && atMs - last[0].atMs <= togetherMs) last.push(line);
    else writes.push([line]);
  }
  return writes;
}

function gapOf(before, record, longestGapMs, undatedGapMs) {
  const undated = before.attributes.undated === true || record.attributes.undated === true;
  const unknown = undated && !isSameFault(before.text, record.text);
  return Math.min(longestGapMs, Math.max(unknown ? undatedGapMs : 0, record.observedMs - before.observedMs));
}

/** Of one number on one GPU: without times nothing says that it happened twice. */
function isSameFault(before, text) {
  const [fault, then] = [before, text].map((line) =>
    /Xid \(PCI:([\da-f:]+)[^)]{0,32}\): (\d+),/i.exec(line)?.slice(1).join(' '),
  );
  return fault !== undefined && fault === then;
}

/** What a program says of devices comes by the syslog, as nothing but the kernel writes to its log. */
function placeOf({ source, text, attributes: { facility } }) {
  if (source !== 'kernel-log') return 'job';
  return facility !== 0 && SPEAKS_OF_DEVICES.test(text) ? 'syslog' : 'kernel';
}

/** What one write puts into each place; the kernel stamps its lines from `startMs` after boot on. */
export function textsOf(lines, startMs) {
  const texts = { kernel: '', job: '', syslog: '' };
  for (const { record, number, atMs, to } of lines) {
    const { text, attributes } = record;
    const priority = 8 * attributes.facility + 4;
    if (to === 'job') texts.job += `${text}\n`;
    else if (to === 'kernel')
      texts.kernel += `${priority},${number},${Math.round((startMs + atMs) * 1000)},-;${text}\n`;
    else texts.syslog += syslogLine(text, priority);
  }
  return texts;
}

/** RFC 5424, of a sender that leaves it to the receiver when it came. */
function syslogLine(text, priority) {
  const [head, program, pid = '-'] = /^([\w.-]{1,48})(?:\[(\d{1,10})\])?: */.exec(text) ?? ['', '-'];
  return `<${priority}>1 - - ${program} ${pid} - - ${text.slice(head.length)}\n`;
}
