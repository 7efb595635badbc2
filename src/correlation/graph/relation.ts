// Relation: how surely two components are related as a row of the cause graph asks.

import { type Component, componentText } from '../../model/component.ts';
import { servesOnly } from '../topology/belonging.ts';
import { cardOf, infrastructureUnit, isInfrastructure, isPduPart, type Located, pciDevice } from '../topology/place.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';
import type { CauseRelation } from './cause-graph.ts';

/** A source that does not name the device leaves it open whether both mean the same one. */
const UNKNOWN_PLACE = 0.55;
const BOTH_UNKNOWN = 0.7;
/** One device under two types: the NVLink of a GPU, the PCIe function of a NIC. */
const PART_OF = 0.95;
/** Phase and branch of one PDU that may or may not hang together. */
const SAME_UNIT = 0.9;

/** 0 when the relation does not hold; 1 when it surely does. */
export function relationQuality(
  relation: CauseRelation,
  causeAt: Located,
  effectAt: Located,
  topology: TopologyIndex,
): number {
  const cause = causeAt.component;
  const effect = effectAt.component;
  if (relation === 'within') return within(cause, effect, topology);
  if (cause === null && effect === null) return BOTH_UNKNOWN;
  if (cause === null || effect === null) {
    const known = cause ?? effect;
    return known !== null && topology.hostOf(known) === topology.host ? UNKNOWN_PLACE : 0;
  }
  switch (relation) {
    case 'same_component':
      return causeAt.text === effectAt.text ? 1 : sameDevice(cause, effect);
    case 'same_card':
      return isSameCard(cause, effect) ? 1 : 0;
    case 'downstream':
      return topology.qualityOf(causeAt.text, effectAt.text);
    case 'upstream':
      return topology.qualityOf(effectAt.text, causeAt.text);
    case 'other_feed':
      return otherFeed(cause, effect, topology);
    case 'same_unit':
      return sameUnit(cause, effect);
    case 'same_host': {
      const host = topology.hostOf(cause);
      return host !== null && host === topology.hostOf(effect) ? 1 : 0;
    }
    case 'other_host':
      return cause.type === 'host' && effect.type === 'host' && causeAt.text !== effectAt.text ? 1 : 0;
    case 'served':
      return served(cause, effect, topology);
    case 'same_job':
      return topology.jobShare(causeAt, effectAt);
  }
}

/** The effect feeds what the cause feeds or is a part of, this host, by another way: it carries what the cause no longer does. */
function otherFeed(cause: Component, effect: Component, topology: TopologyIndex): number {
  if (!isInfrastructure(effect) || topology.quality(effect, cause) > 0 || topology.quality(cause, effect) > 0) return 0;
  const host: Component = { type: 'host', id: topology.host };
  const lost = isInfrastructure(cause)
    ? topology.quality(cause, host)
    : Number(topology.hostOf(cause) === topology.host);
  return Math.min(lost, topology.quality(effect, host));
}

/** The host of the cause serves files to that of the effect. */
function served(cause: Component, effect: Component, topology: TopologyIndex): number {
  const [server, client] = [topology.hostOf(cause), topology.hostOf(effect)];
  if (server === null || client === null || server === client) return 0;
  return topology.qualityOf(`host/${server}`, `host/${client}`);
}

/** Parts of one PDU, or the PDU and its part: which of them are connected inside is not always known. */
function sameUnit(a: Component, b: Component): number {
  if (!isInfrastructure(a) || infrastructureUnit(a) !== infrastructureUnit(b)) return 0;
  return componentText(a) === componentText(b) ? 1 : SAME_UNIT;
}

function sameDevice(a: Component, b: Component): number {
  if (componentText(a) === componentText(b)) return 1;
  const device = pciDevice(a);
  return device !== null && device === pciDevice(b) ? PART_OF : 0;
}

/** Functions of one device, such as the ports of a network card: PCI addresses that differ in the last digit alone. */
function isSameCard(a: Component, b: Component): boolean {
  const card = cardOf(a);
  return card !== null && card === cardOf(b);
}

/**
 * What is declared of a place holds for what is inside it and for the work on it, not for all that hangs on it: a PDU
 * for its own parts, a host for everything in it and the outlets that feed nothing else, a device for itself, its jobs and
 * the port that nothing else hangs on, a supply for its outlet, a job for its ranks.
 */
function within(cause: Component | null, effect: Component | null, topology: TopologyIndex): number {
  if (cause === null) return 0;
  const own = cause.type === 'host' ? topology.hostOf(cause) : null;
  if (effect === null) return own === topology.host ? UNKNOWN_PLACE : 0;
  if (componentText(cause) === componentText(effect)) return 1;
  if (isInfrastructure(cause))
    return !isPduPart(cause) && infrastructureUnit(effect) === infrastructureUnit(cause) ? 1 : 0;
  switch (cause.type) {
    case 'host':
      return topology.hostOf(effect) === own || (own !== null && topology.isOutletOf(effect, own)) ? 1 : 0;
    case 'psu':
      return Number(servesOnly(effect, cause, topology));
    case 'fan':
      return 0;
    case 'job':
    case 'service':
      return effect.type === 'job' || effect.type === 'rank' ? (topology.jobsOf(effect).get(cause.id) ?? 0) : 0;
    default: {
      const quality = Math.max(sameDevice(cause, effect), topology.quality(cause, effect));
      return quality > 0 ? quality : Number(servesOnly(effect, cause, topology));
    }
  }
}
