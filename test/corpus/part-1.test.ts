// The corpus, part 1 (play-part.ts).

import { playPart } from './play-part.ts';

await playPart(1);
