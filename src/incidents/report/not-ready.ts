// Not ready: a node whose kubelet says what it lacks is up, so that this is looked at, and not whether it lives.

import type { Incident } from '../../model/incident.ts';
import { kindEntry } from '../../model/kind.ts';
import { type Lack, lackOf } from '../../model/not-ready.ts';
import { HOST } from './kind-step.ts';
import { podsSaid } from './no-effect.ts';
import type { Special } from './special-step.ts';

const STEPS: Readonly<Record<Lack, Special>> = {
  runtime: {
    does: 'see why the container runtime of % does not answer',
    now: 'on @, sudo crictl info; sudo systemctl status containerd crio; sudo journalctl -u containerd -u crio -n 50; df -h /var/lib/containerd; sudo dmesg -T | grep "blocked for more". Where it hangs, sudo systemctl restart containerd (or crio), which ends no container that runs, then sudo systemctl restart kubelet; tasks that stay in state D (ps -eo pid,stat,wchan:32,args | grep " D") wait for a disk or a driver: only a reboot ends them',
    call: HOST,
  },
  network: {
    does: 'see why the network plugin (CNI) of % is not ready',
    now: 'kubectl get pods -A -o wide --field-selector spec.nodeName=@: the pod of its plugin (calico, cilium, flannel, multus) has to run there, and kubectl describe and logs of it say why it does not; on @, ls /etc/cni/net.d shows the file that it writes',
    call: HOST,
  },
  other: {
    does: 'see what the kubelet of % cannot do',
    now: 'on @, sudo journalctl -u kubelet -n 50; sudo systemctl status kubelet containerd: the host is up, for its kubelet reports',
    call: HOST,
  },
};

/** By the column of `kubectl get nodes`. */
const CORDONED: Special = {
  does: 'ask who cordoned %, and whether it is down for that work',
  now: 'kubectl describe node @ has its taints, conditions and events, kubectl get node @ -o yaml --show-managed-fields names who set unschedulable. Where no operator works on it: ping -c 3 @; ssh @ uptime; sudo systemctl status kubelet',
  call: HOST,
};

/** Null where its kubelet says nothing, for the host may be dead, and no event names a pod of it, whose owner has to know as well. */
export function notReady(incident: Incident): Special | null {
  if (isCordoned(incident)) return CORDONED;
  const step = ofKubelet(incident);
  const pods = incident.root.kind === 'host.not_ready' ? podsSaid(incident.events) : null;
  if (pods === null) return step;
  const { do: does, first_step: now } = kindEntry('host.not_ready');
  const known = step ?? (does === undefined || now === undefined ? null : { does, now, call: HOST });
  return known === null ? null : { ...known, call: `${HOST}, then who runs ${pods}` };
}

/** Nothing of the same node says more. */
function isCordoned({ root, events }: Incident): boolean {
  const said = events.filter(({ kind, component }) => kind === root.kind && component?.id === root.component?.id);
  return (
    root.kind === 'host.not_ready' && said.length > 0 && said.every(({ attributes }) => attributes.cordoned === true)
  );
}

const KUBELET = /^kubelet(?:\[\d{1,10}\])?: /;

function ofKubelet({ root, events, action, evidence }: Incident): Special | null {
  if (root.kind !== 'host.not_ready' || action.target?.type !== 'host') return null;
  const said = events.filter(({ kind, component }) => kind === root.kind && component?.id === root.component?.id);
  const lacks = said.map(({ attributes }) => lackOf(attributes)).filter((lack) => lack !== null);
  // What its kubelet says in a syslog is only shown where a table of the cluster says that the node is not ready.
  const shown = evidence.map((each) =>
    'text' in each && KUBELET.test(each.text) ? lackOf({ reason: each.text }) : null,
  );
  const lack = [...lacks, ...shown].find((each) => each !== null && each !== 'other') ?? lacks[0];
  return lack === undefined ? null : STEPS[lack];
}
