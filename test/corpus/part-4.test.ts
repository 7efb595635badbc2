// The corpus, part 4 (play-part.ts).

import { playPart } from './play-part.ts';

await playPart(4);
