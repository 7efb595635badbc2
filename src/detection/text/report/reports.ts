// Reports: gives each line of a text to the readers of reports, and says what they made of it.

import { PROGRAM_WORDS } from '../programs/program-rows.ts';
import { CheckIpmi } from './check-ipmi.ts';
import { DcgmDmon } from './dcgm-dmon.ts';
import { DcgmMetrics } from './dcgm-metrics.ts';
import { DcgmTables } from './dcgm-tables.ts';
import { Ethtool } from './ethtool.ts';
import { SystemEventLog } from './event-log.ts';
import { DiskFree, Sensors } from './host-tools.ts';
import { Kubectl } from './kubectl.ts';
import { Lspci } from './lspci.ts';
import { NvlinkStates } from './nvlink-states.ts';
import { PodEvents } from './pod-events.ts';
import { PodNodes } from './pod-nodes.ts';
import { PodTable } from './pod-table.ts';
import { ProgramLog } from './program-log.ts';
import type { Reported, ReportReader } from './report.ts';
import { RocmSmi } from './rocm-smi.ts';
import { SensorList } from './sensor-list.ts';
import { SensorStates } from './sensor-states.ts';
import { SlurmJobs } from './slurm-jobs.ts';
import { SlurmNodes } from './slurm-nodes.ts';
import { SmiCsv } from './smi-csv.ts';
import { SmiQuery } from './smi-query.ts';
import { SmiTable } from './smi-table.ts';
import { TOOL_WORDS, ToolStates } from './tool-states.ts';

/** No line of a report is longer. */
const MAX_LINE = 4096;
/** All lines of reports have one of these, and few others have. */
const MAY_REPORT =
  / : |^=+(?: |=$)|^[A-Z]{2,12}_[A-Z0-9_]{2,36}: |Mhz +\d{1,5}Mhz |^Device +Node |^\d{1,3} [\w, ]{1,40}N\/A +N\/A |^GPU +Temp |^ +\([DJ]|^# ?Entity |--query-gpu=|^[0-9a-f]{4} \d\d\/\d\d\/\d\d |^\s*<\/?\w|\||% \/|^DCGM_|^\{'|^Adapter: |: +[+-]?\d|^\s*[A-Z][\w ()/-]*$|^[\s>`*-]{0,8}Unable |^(?:Error: )?Failed to pull image |^NVML: Unable |^\s{1,16}Link \d{1,3}: |=NVSMI|\bkubectl |^GPU |^(?:Detected (?:\d|clocks|XID|fatal) ?|Pending page |A (?:pending retired|corrupt InfoROM) )|\[\.{3}\]|^\t|^ {4,12}[UDX_](?: [UDX_])* *$|^ {0,8}(?:gpuId|physicalId) \d|^(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] |^\+[-=]|^(?:driver|bus-info|NIC statistics|Settings for [\w.@-]+): ?|\b(?:ethtool|lspci) -|\bLnk(?:Cap|Sta): |"warning" :|\]\] |Pressure|^IPMI Status: |^ {0,8}[A-Z][A-Za-z]{3,40} {1,40}(?:True|False) {1,40}|NotReady|NodeStatusUnknown|OOMKilled|CrashLoopBackOff|ContainerStatusUnknown|\d\/\d{1,4} {1,20}(?:Error |Init:\d|PodInit|ContainerCreat)|ImagePull|ErrImage|Container(?:Config)?Error|CannotRun|Evicted|low on resource|OOM encountered|AdmissionError|^ {8,40}\[|\w {1,20}: |OutOf[a-z]|cannot allocate unhealthy|which is unexpected|enough resource: |(?:^|[ |])JobID(?:Raw)?(?:[ |]|$)|^ {0,24}JOBID |^ {0,24}\d{1,10}(?:_\d{1,7})? +\w+ +|^-{3,64} -{2}|[ |](?:OUT_OF_ME|NODE_FAIL|BOOT_FAIL|FAILED|PREEMPTED|TIMEOUT|DEADLINE|CANCELLED)|Reason=|NodeName=|^[[<{]\w{1,24}[\]>}](?:\.\w{1,10}\+?)? +\S|^(?:.{0,24}\bsinfo -[^ ]{1,24} )?REASON +|^\s{0,32}"checks": ?\{|^ {0,16}(?:health: )?HEALTH_|\bNODELIST\b|\bHOSTNAMES?\b|^PARTITION +|^[A-Za-z0-9][^ ]{0,255} {1,60}(?:\d{1,6} {1,40}[^ ]{1,64} {1,40}[a-z]{2,14}[*~#!%$@^-]?(?: |$)|(?:up|down|drain|inact) )|State=|\d\dT\d\d:\d\d:\d\d\s+\w|\s(?:Normal|Warning)\s|^NAME +|^N(?:ame(?:space)?|ode):[ \t]|^(?:Capacity|Allocatable):|^\s{2,12}(?:Finished|Limits|Requests|Restart Count):|^ {2,16}memory: |^ {2}[a-z0-9][a-z0-9-]{0,62}:$|^ {0,24}\d{1,10}(?:_\d{1,7})?\.(?:batch|extern|\d{1,4})[ |]|^[A-Z][^.:]{2,80}[.!]$|^(?:[a-z][\w.]{1,63}(?: \[[A-Za-z%]{1,4}\])?|\d{4}\/\d\d\/\d\d [\d:.]{12}|\d{1,3}|[0-9A-Fa-f]{8}:[0-9A-Fa-f:.]{7}|GPU-[0-9a-f-]{36}|[A-Z]\w[\w -]{0,40}|\[[\w/ ]{3,24}\]), \S/;

/** What daemons write, and what begins the output of tools, has a word of their rows. */
const OF_PROGRAMS = new RegExp(
  [...PROGRAM_WORDS, ...TOOL_WORDS].map((word) => word.replace(/[^\w\s]/g, '\\$&')).join('|'),
);

export class Reports {
  readonly #readers: readonly ReportReader[];
  readonly #tools: ToolStates;
  readonly #nodes: SlurmNodes;
  readonly #log: ProgramLog;

  /** `path`: of the text that the lines are of. */
  constructor(host: string, path = '') {
    this.#tools = new ToolStates(host);
    const pods = new PodNodes();
    this.#nodes = new SlurmNodes(host);
    this.#log = new ProgramLog(host);
    this.#readers = [
      new NvlinkStates(),
      new SmiQuery(host),
      new SmiTable(host),
      new RocmSmi(),
      new SmiCsv(host),
      new DcgmMetrics(host),
      new DcgmTables(host),
      new DcgmDmon(),
      new SystemEventLog(host),
      new CheckIpmi(host),
      new SensorList(host),
      new SensorStates(host),
      new Lspci(host),
      new Ethtool(host, path),
      new Kubectl(host, pods),
      new PodTable(host, pods),
      new PodEvents(host, pods),
      this.#nodes,
      new SlurmJobs(),
      this.#tools,
      new DiskFree(host),
      this.#log,
      new Sensors(host),
    ];
  }

  /** Null where the line is of no report. */
  take(line: string): (Reported & { readonly form: string }) | null {
    if (
      line.length > MAX_LINE ||
      !(this.#tools.open || this.#nodes.open || this.#log.open || MAY_REPORT.test(line) || OF_PROGRAMS.test(line))
    )
      return null;
    for (const reader of this.#readers) {
      const reported = reader.take(line);
      if (reported !== null) return { ...reported, form: reader.form };
    }
    return null;
  }

  /** What readers kept to the end, for a later line might have taken it back. */
  end(): (Reported & { readonly form: string })[] {
    return this.#readers.flatMap((reader) => {
      const reported = reader.end?.() ?? null;
      return reported === null ? [] : [{ ...reported, form: reader.form }];
    });
  }
}
