// Host in path: the host that the path of a saved log names: the report of a host, its folder in a must-gather, or the file itself.

/** "sosreport-gx-07-2026-11-28-abcdefg", with the number of a case before the date; "sosreport-gx-07.12345-20261128". */
const REPORT =
  /^sosreport-([A-Za-z0-9][\w.-]{0,120}?)(?:\.\w{1,20})?(?:-\d{6,12})?-(?:\d{4}-\d\d-\d\d-[a-z]{7}|\d{8,14})(?:\.|$)/;
/** A folder for each host below one of these. */
const FOLDERS = /^(?:nodes?|hosts?)$/;
/** In an archive a folder may be called anything. */
const BELOW = /^[A-Za-z0-9][\w.:-]{0,252}$/;
/** What the log is, before or behind the host in the name of a file. */
const WHAT =
  '(?:dmesg|kern|kernel|kmsg|messages|syslog|journal|journalctl|console|lspci|nvidia[-_]smi|nvidia[-_]bug[-_]report|ipmi(?:tool)?|sel|sdr|sensors?)';
const ENDINGS = /(?:\.(?:gz|xz|bz2|zst|zstd|zip|txt|log|out|err|json|xml))+$/i;
const BEFORE = new RegExp(`^${WHAT}(?:[-_.@]${WHAT})*[-_.@](.+)$`, 'i');
const BEHIND = new RegExp(`^(.+?)[-_.@]${WHAT}(?:[-_.@]${WHAT})*$`, 'i');
/** Hosts of a cluster are numbered; the rest tells logs of one host apart. */
const HOST = /^(?=.*[A-Za-z])(?=.*\d)[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/;
const OTHER =
  /^(?:[bvt]\d+|(?:boot|run|test|try|part|step|day|prev|old|copy|attempt|version|gpu|cpu|rank|job|port|eth|mlx5)[-.]?\d+|\d+(?:th|st|nd|rd|d|h|m|s|am|pm)|.*\d{8}.*|\d{4}-\d\d-\d\d.*)$/i;

/** No file system has a longer name; that of a member of an archive may be of any length. */
const LONGEST_NAME = 255;

/** Null where no part of it does. */
export function hostInPath(path: string): string | null {
  const parts = path.split(/[/!]/).map((part) => part.replace(/#.*$/, ''));
  const name = parts.pop() ?? '';
  for (const [i, part] of [...parts.entries()].reverse()) {
    const reported = REPORT.exec(part)?.[1];
    if (reported !== undefined) return reported;
    const below = parts[i + 1];
    if (FOLDERS.test(part) && below !== undefined && BELOW.test(below)) return below;
  }
  if (name.length > LONGEST_NAME) return null;
  const stem = name.replace(ENDINGS, '');
  const behind = BEFORE.exec(stem)?.[1];
  const host = behind === undefined ? BEHIND.exec(stem)?.[1] : (BEHIND.exec(behind)?.[1] ?? behind);
  return host !== undefined && isHostName(host) ? host : null;
}

/** Whether a name may well be that of a host of a cluster: a job's, a day's or a part's number is none. */
export function isHostName(name: string): boolean {
  return HOST.test(name) && !OTHER.test(name);
}
