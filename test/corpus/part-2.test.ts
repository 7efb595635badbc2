// The corpus, part 2 (play-part.ts).

import { playPart } from './play-part.ts';

await playPart(2);
