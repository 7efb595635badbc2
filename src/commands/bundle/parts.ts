// Every part of a bundle, in the order of the archive, behind the incident itself.

import { bugReport } from './bug-report.ts';
import { configuration, inventory, versions } from './host-parts.ts';
import { samples } from './incident-parts.ts';
import { kernelWindow } from './kernel-window.ts';
import type { Part } from './part.ts';

export const PARTS: readonly Part[] = [samples, kernelWindow, inventory, versions, configuration, bugReport];
