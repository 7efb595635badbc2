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
  '(?:dmesgT?|kern|kernel|kmsg|messages|syslog|journal|journalctl|console|lspci|(?:nvidia[-_.]?)?smi|nvsmi|nvidia[-_]bug[-_]report|ipmi(?:tool)?|sel|sdr|sensors?|df|free|lsblk|smart(?:ctl)?|mcelog|rasdaemon|edac|ethtool|ib(?:stat|status|v_devinfo)|dcgmi?|(?:rocm|amd)[-_.]?smi|racadm|ilo|iml|idrac|beegfs(?:[-_.](?:storage|meta|mgmtd))?|redfish|uptime|top|iostat|vmstat|lclog|getsel|getraclog|(?<!(?:long|short|near|mid)[-_])term(?:inal)?|screen|tmux|(?:kubectl[-_])?describe[-_]node)';
/** How it was asked for: no host where what the log is lies on the same side of it. */
const HOW =
  '(?:e|v)?list|get|getsel|getraclog|lclog|diag|info|q|x|qx|t|h|k|ctime|query|table|logs?|out|output|all|full|raw|before|after|now';
const ENDINGS = /(?:\.(?:gz|xz|bz2|zst|zstd|zip|txt|text|log|out|err|json|xml|csv|tsv|ya?ml|html?|md))+$/i;
const DAY = '(?:19|20)\\d\\d-?(?:0\\d|1[0-2])-?[0-3]\\d(?:[-_.T]?\\d\\d[-:_]?\\d\\d(?:[-:_]?\\d\\d)?Z?)?';
const ASKED = new RegExp(`[-_.@](?:${HOW})$`, 'i');
/** A whole name that is one: "gx-07", "dgx-pod-112.example.com", "dgx-h100-03"; what has more numbers is a note as well. */
const ALONE = /^[a-z]+(?:-[a-z]+(?:\d{2,4}(?=-))?)*-?\d{2,5}(?:\.[a-z][\w.-]*)?$/i;
const DAYS = new RegExp(`^${DAY}[-_.@]|[-_.@]${DAY}$`, 'i');
const BEFORE = new RegExp(`^${WHAT}(?:[-_.@](?:${WHAT}|${HOW}))*[-_.@](?=.)`, 'i');
const BEHIND = new RegExp(`[-_.@]${WHAT}(?:[-_.@](?:${WHAT}|${HOW}))*$`, 'i');
/** Hosts of a cluster are numbered; the rest tells logs of one host apart. */
const HOST = /^(?=.*[A-Za-z])(?=.*\d)[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/;
const OTHER =
  /^(?:[bvt]\d+|(?:boot|run|test|try|part|step|day|week|prev|old|new|copy|attempt|version|log|file|dump|out|output|case|ticket|incident|inc|req|chg|prb|sev|rma|issue|bug|crash|error|failure|fault|event|example|sample|page|trial|round|phase|stage|epoch|iter|exp|experiment|train|training|worker|task|gpu|cpu|rank|job|slurm|pid|port|eth|mlx5|dmesg|kern|kernel|messages|syslog|journal|console|sel|sdr|sensors?)[-_.]?\d+|\d+(?:th|st|nd|rd|d|h|m|s|am|pm)|.*\d{8}.*|\d{4}-\d\d-\d\d.*)$/i;

/** Besides, of the output of a tool that only a machine's own devices are in: "gx-85-gpu.csv", "temps_gx-31.csv". */
const OF_DEVICES =
  '(?:gpus?|nv|nvidia|nvlink|nics?|pcie?|ecc|temps?|temperatures?|thermals?|power|clocks|stats?|metrics|health|diag|states?|status|report|usage|util|csv|dump|snapshot|xid|errors?)';
const DEVICES_BEFORE = new RegExp(`^${OF_DEVICES}(?:[-_.@](?:${OF_DEVICES}|${WHAT}|${HOW}))*[-_.@](?=.)`, 'i');
const DEVICES_BEHIND = new RegExp(`[-_.@]${OF_DEVICES}(?:[-_.@](?:${OF_DEVICES}|${WHAT}|${HOW}))*$`, 'i');

/** No file system has a longer name; that of a member of an archive may be of any length. */
const LONGEST_NAME = 255;

/** Null where no part of it does. `ofMachine`: nothing but a machine writes such a log, so that its whole name may be that of the machine. */
export function hostInPath(path: string, ofMachine = false): string | null {
  const parts = path.split(/[/!]/).map((part) => part.replace(/#.*$/, ''));
  const name = parts.pop() ?? '';
  for (const [i, part] of [...parts.entries()].reverse()) {
    const reported = REPORT.exec(part)?.[1];
    if (reported !== undefined) return reported;
    const below = parts[i + 1];
    if (FOLDERS.test(part) && below !== undefined && BELOW.test(below)) return below;
  }
  if (name.length > LONGEST_NAME) return null;
  const stem = name.replace(ENDINGS, '').replace(DAYS, '');
  const behind = stem.replace(BEFORE, '');
  const host = (behind === stem ? stem.replace(BEHIND, '') : behind.replace(BEHIND, '').replace(ASKED, '')).replace(
    DAYS,
    '',
  );
  if (host !== stem && isHostName(host)) return host;
  const bare = ofMachine ? host.replace(DEVICES_BEFORE, '').replace(DEVICES_BEHIND, '') : '';
  return ALONE.test(bare) && isHostName(bare) ? bare : null;
}

/** Whether a name may well be that of a host of a cluster: a job's, a day's or a part's number is none. */
export function isHostName(name: string): boolean {
  return HOST.test(name) && !OTHER.test(name);
}
