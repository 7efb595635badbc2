// Log stamp: times that loggers of programs write in a way of their own: glog's month and day as one number, Lustre's, and others.

import { BSD, CTIME, type Stamp, wallStamp, YEARLESS } from './stamp.ts';

/** "[E321 02:07:08.408271257 ProcessGroupNCCL.cpp:607]", "[E1129 13:15:51.100 ", "E1206 18:44:12.715298 ": month and day, of a month one or two digits. */
const GLOG = /(?:^|[\s[:])[IWEF](\d{1,2})(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{3,9})\b/;
/** "[Feb 27 2025 14:10:02] ", "Sat May  8 13:25:04 2021". */
const NAMED = new RegExp(String.raw`^(?:Timestamp +: |\[)?(${CTIME}|${BSD})(?=[\]\s]|$)`, 'u');
const MAX_HEAD = 120;

export function logStamp(line: string): Stamp | null {
  const text = line.slice(0, MAX_HEAD);
  const [, month = '', day, hour, minute, second, fraction = ''] = GLOG.exec(text) ?? [];
  if (day !== undefined) {
    const whole = Date.parse(`${YEARLESS}-${month.padStart(2, '0')}-${day}T${hour}:${minute}:${second}Z`);
    if (Number.isNaN(whole)) return null;
    const utcMs = whole + Number(`0.${fraction}`) * 1000;
    return { kind: 'wall', utcMs, digits: fraction.length, zoned: false, yearless: true };
  }
  const named = NAMED.exec(text)?.[1];
  return named === undefined ? null : wallStamp(named);
}
