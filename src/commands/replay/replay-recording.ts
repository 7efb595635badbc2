// Plays a recording into its own pipeline and prints what came of it.

import { Pipeline } from '../../daemon/pipeline.ts';
import { remember } from '../../helpers/remember.ts';
import { renderIncidentText } from '../../incidents/report/text.ts';
import { eventToDocument } from '../../model/documents/event.ts';
import { incidentToDocument } from '../../model/documents/incident.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { shownJson } from '../../model/shown-json.ts';
import { native } from '../../native.ts';
import { playRecording } from '../../sources/recording/player.ts';

/** Events kept for the output; a longer recording keeps the newest. */
const MAX_EVENTS = 200_000;

export async function replay(file: string, json: boolean): Promise<number> {
  const core = new (native().Core)({ historySeconds: 180, maxSeries: 16_384 });
  const events = new Map<string, FaultEvent>();
  const incidents = new Map<string, Incident>();
  let nowMs = 0;
  let host = '';
  let pipeline: Pipeline | null = null;
  const started = performance.now();
  const played = await playRecording(
    file,
    (header) => {
      host = header.host;
      nowMs = header.started_ms;
      pipeline = new Pipeline({
        host,
        core,
        latenessMs: header.lateness_ms,
        holdMs: header.hold_ms,
        links: header.links,
        gpuHourRate: header.gpu_hour_rate ?? null,
        now: () => nowMs,
        onEvent: (event) => remember(events, event.id, event, MAX_EVENTS),
        onIncident: (incident) => incidents.set(incident.id, incident),
      });
      return pipeline;
    },
    (at) => {
      nowMs = at;
    },
  );
  finish(pipeline);
  core.close();
  const tookMs = performance.now() - started;
  const lengthMs = Math.max(0, played.lastMs - played.firstMs);
  if (json) {
    const recording = {
      file,
      host,
      entries: played.entries,
      skipped: played.skipped,
      lost: played.lost,
      complete: played.complete,
    };
    const document = {
      schema: 'faultline/replay/1',
      recording,
      events: [...events.values()].map((event) => eventToDocument(event, host)),
      incidents: [...incidents.values()].map((incident) => incidentToDocument(incident)),
    };
    process.stdout.write(`${shownJson(document)}\n`);
  } else {
    for (const incident of incidents.values()) {
      process.stdout.write(
        `${renderIncidentText(incident, { width: 100, colour: process.stdout.isTTY === true, nowMs })}\n\n`,
      );
    }
  }
  const speed = tookMs > 0 ? Math.round(lengthMs / tookMs) : 0;
  const flaws = [
    played.skipped > 0 ? `${played.skipped} entries could not be read` : '',
    played.lost > 0 ? `${played.lost} entries were lost when it was recorded` : '',
    played.complete ? '' : 'it breaks off without an end',
  ].filter((flaw) => flaw !== '');
  process.stderr.write(
    `replayed ${(lengthMs / 1000).toFixed(1)} s of ${host}: ${played.entries} ${played.entries === 1 ? 'entry' : 'entries'}, ${incidents.size} incident${incidents.size === 1 ? '' : 's'}, ` +
      `${(tookMs / 1000).toFixed(2)} s (${speed} times life)${flaws.map((flaw) => `; ${flaw}`).join('')}\n`,
  );
  return 0;
}

/** Through a parameter: the compiler does not see that the callback above assigned it. */
function finish(pipeline: Pipeline | null): void {
  pipeline?.finish();
}
