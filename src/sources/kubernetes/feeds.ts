// Feeds: the steps of the ladder that the settings ask for, each loaded when it is made: gRPC only where kubelet's sockets are.

import { join } from 'node:path';
import type { Peer } from './api/http-client.ts';
import type { ClaimNames } from './claims/claim-names.ts';
import type { Feed } from './pod/feed.ts';
import type { ApiPeer, KubernetesSettings, Step } from './settings.ts';

/** A step that cannot be tried here, and why. */
export interface MissingStep {
  readonly step: Step;
  readonly why: string;
}

export interface Feeds {
  readonly feeds: readonly Feed[];
  readonly missing: readonly MissingStep[];
}

const NO_ACCOUNT = 'no service account: sources.kubernetes.token_file';

/** `root`: kubelet's, null where it is not there. */
export async function feedsOf(settings: KubernetesSettings, root: string | null): Promise<Feeds> {
  const feeds: Feed[] = [];
  const missing: MissingStep[] = [];
  for (const step of settings.steps) {
    const made = await feedOf(step, settings, root);
    if (typeof made === 'string') missing.push({ step, why: made });
    else if (made !== null) feeds.push(made);
  }
  return { feeds, missing };
}

const TRUST_SERVER = "name the cluster's authority in sources.kubernetes.api_ca";
/** As kubelet does by itself where the cluster does not sign its certificate (serverTLSBootstrap). */
const TRUST_KUBELET =
  "kubelet signs its own unless the cluster does: name a copy of its pki/kubelet.crt, or the cluster's authority, in sources.kubernetes.kubelet_ca";

/** Why there is none; null for the step that has no feed. */
async function feedOf(step: Step, settings: KubernetesSettings, root: string | null): Promise<Feed | string | null> {
  const { userLabels, kubelet, apiServer, tokenFile, node, podLogs } = settings;
  switch (step) {
    case 'pods_api': {
      if (root === null) return 'no kubelet root';
      const { PodsApiFeed } = await import('./kubelet/pods-api-feed.ts');
      return new PodsApiFeed({ socket: join(root, 'pods-api', 'pods-api.sock'), userLabels });
    }
    case 'kubelet': {
      if (kubelet === null) return 'sources.kubernetes.kubelet_url is not set';
      if (tokenFile === null) return NO_ACCOUNT;
      const { KubeletPodsFeed } = await import('./api/kubelet-pods-feed.ts');
      return new KubeletPodsFeed(peerOf(kubelet, tokenFile, node, TRUST_KUBELET), userLabels);
    }
    case 'api_server':
    case 'api_metadata': {
      if (apiServer === null) return 'sources.kubernetes.api_server is not set';
      if (tokenFile === null) return NO_ACCOUNT;
      const { ApiServerFeed } = await import('./api/api-server-feed.ts');
      const peer = peerOf(apiServer, tokenFile, null);
      return new ApiServerFeed({ peer, node, metadataOnly: step === 'api_metadata', userLabels });
    }
    case 'log_names': {
      const { LogNamesFeed } = await import('./files/log-names-feed.ts');
      return new LogNamesFeed(podLogs, join(podLogs, '..', 'containers'));
    }
    case 'pod_resources':
      return null;
  }
}

/** What is known of devices of claims beyond the names that their drivers give them. */
export async function claimNames(
  { cdi, apiServer, tokenFile, node }: KubernetesSettings,
  proc: string,
): Promise<ClaimNames> {
  const { ClaimNames } = await import('./claims/claim-names.ts');
  const { CdiFiles } = await import('./claims/cdi-files.ts');
  const files = new CdiFiles(cdi, proc);
  if (apiServer === null || tokenFile === null) return new ClaimNames(files, null);
  const { ResourceSlices } = await import('./claims/resource-slices.ts');
  return new ClaimNames(files, new ResourceSlices(peerOf(apiServer, tokenFile, null), node));
}

export function peerOf(peer: ApiPeer, tokenFile: string, name: string | null, trust = TRUST_SERVER): Peer {
  return { ...peer, tokenFile, name, trust };
}
