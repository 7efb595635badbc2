// A Slurm made of files: scontrol and squeue that take the arguments of the real ones and print what lies in a folder, and a
// folder of sockets of step daemons. Shell scripts, as each question starts one; they may write nothing, as the real ones.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SCRIPT = (world: string) => `#!/bin/sh
[ -e ${world}/hangs ] && exec sleep 60
[ -e ${world}/down ] && { echo "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" >&2; exit 1; }
release=$(cat ${world}/release)
json=
case "$1" in
--json) json=.json; shift; [ "$release" -lt 2302 ] && { echo "scontrol: unrecognized option '--json'" >&2; exit 1; } ;;
--details) shift ;;
esac
case "$*" in
--version) echo "slurm \${release%??}.\${release#??}.3" ;;
listpids)
  [ -e "${world}/pids$json" ] && exec cat "${world}/pids$json"
  echo "No job steps exist on this node." >&2; exit 1 ;;
"show job "*)
  [ -e "${world}/job-$3$json" ] && exec cat "${world}/job-$3$json"
  echo "slurm_load_jobs error: Invalid job id specified" >&2; exit 1 ;;
"show node "*)
  [ -e "${world}/node$json" ] && exec cat "${world}/node$json"
  echo "Node $3 not found" >&2; exit 1 ;;
"--noheader --nodelist="*) exec cat "${world}/queue" ;;
*) echo "unrecognized: $*" >&2; exit 2 ;;
esac
`;

export class FakeSlurm {
  readonly root = mkdtempSync(join(tmpdir(), 'faultline-slurm-'));
  readonly world = join(this.root, 'world');
  readonly programs = join(this.root, 'bin');
  readonly spool = join(this.root, 'spool');
  readonly conf = join(this.root, 'slurm.conf');
  readonly groups = join(this.root, 'cgroup');

  /** `release`: 2205 for 22.05. */
  constructor(release: number) {
    for (const folder of [this.world, this.programs, this.spool, this.groups]) mkdirSync(folder, { mode: 0o755 });
    for (const program of ['scontrol', 'squeue']) {
      writeFileSync(join(this.programs, program), SCRIPT(this.world));
      chmodSync(join(this.programs, program), 0o755);
    }
    writeFileSync(this.conf, `ClusterName=t\nSlurmdSpoolDir=${this.spool}\nNodeName=n1 NodeHostname=h1\n`);
    this.put('release', String(release));
    this.put('queue', '');
    this.put('node', 'NodeName=n1\n   State=IDLE\n');
    this.put('node.json', JSON.stringify({ nodes: [{ name: 'n1', state: ['IDLE'] }] }));
  }

  put(name: string, text: string): void {
    writeFileSync(join(this.world, name), text);
  }

  take(name: string): void {
    rmSync(join(this.world, name), { force: true });
  }

  /** A step daemon comes, or goes. */
  socket(name: string, there: boolean): void {
    if (there) writeFileSync(join(this.spool, name), '');
    else rmSync(join(this.spool, name), { force: true });
  }

  /** A control group of a job comes with processes in it, or without. */
  group(path: string, populated: 0 | 1): void {
    const folder = join(this.groups, path);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'cgroup.events'), `populated ${populated}\nfrozen 0\n`);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
