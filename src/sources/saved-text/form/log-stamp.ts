// Log stamp: times that loggers of programs write in a way of their own: glog's month and day as one number, Lustre's, and others.

import { BSD, CTIME, type Stamp, wallStamp, YEARLESS } from './stamp.ts';

/** "[E321 02:07:08.408271257 ProcessGroupNCCL.cpp:607]", "[E1129 13:15:51.100 ", "E1206 18:44:12.715298 ": month and day, of a month one or two digits. */
const GLOG = /(?:^|[\s[:])[IWEF](\d{1,2})(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{3,9})\b/;
/** "INFO 11-29 03:00:01 [core.py:634] ", "(EngineCore_0 pid=1907) ERROR 11-29 03:00:17 ", of vLLM: no year. */
const LEVELLED =
  /^(?:\([\w ,=-]{1,60}\) )?(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) (\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:[.,](\d{3,9}))?(?= )/;
/** "[Feb 27 2025 14:10:02] ", "Sat May  8 13:25:04 2021". */
const NAMED = new RegExp(String.raw`^(?:Timestamp +: |\[)?(${CTIME}|${BSD})(?=[\]\s]|$)`, 'u');
/** "2026/11/29 02:06:38", "29-Nov-2026 02:06:38,331", "11/29/2026 02:06:38", "[11/29/26 02:06:38]". */
const YEAR_FIRST = /^[[(]?(\d{4})[/.](\d\d)[/.](\d\d)[ T,]{1,2}(\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?(?![\d:])/;
const YEAR_LAST =
  /^[[(]?(\d\d)[/.-](\d\d|[A-Z][a-z]{2})[/.-](\d{4}|\d\d)[ T,-]{1,2}(\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?(?![\d:])/;
const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';
const MAX_HEAD = 120;

export function logStamp(line: string): Stamp | null {
  const text = line.slice(0, MAX_HEAD);
  const [, month = '', day, hour, minute, second, fraction = ''] = GLOG.exec(text) ?? LEVELLED.exec(text) ?? [];
  if (day !== undefined) {
    const whole = Date.parse(`${YEARLESS}-${month.padStart(2, '0')}-${day}T${hour}:${minute}:${second}Z`);
    if (Number.isNaN(whole)) return null;
    const utcMs = whole + Number(`0.${fraction}`) * 1000;
    return { kind: 'wall', utcMs, digits: fraction.length, zoned: false, yearless: true };
  }
  const named = NAMED.exec(text)?.[1];
  return named === undefined ? calendarStamp(text) : wallStamp(named);
}

/** Days with slashes, dots, or a month by its name in the middle: where both may be, the month comes first, as Python's loggers write it. */
function calendarStamp(text: string): Stamp | null {
  const [, year, month = '', day = '', clock = '', fraction = ''] = YEAR_FIRST.exec(text) ?? [];
  if (year !== undefined) return wallStamp(`${year}-${month}-${day}T${clock}${fraction && `.${fraction}`}`);
  const [, one = '', two = '', short, time = '', part = ''] = YEAR_LAST.exec(text) ?? [];
  if (short === undefined) return null;
  const whole = short.length === 2 ? `20${short}` : short;
  const byName = MONTHS.indexOf(two);
  const dayFirst = byName >= 0 || Number(one) > 12;
  const named = byName < 0 ? two : String(byName / 3 + 1).padStart(2, '0');
  return wallStamp(`${whole}-${dayFirst ? `${named}-${one}` : `${one}-${two}`}T${time}${part && `.${part}`}`);
}
