// The corpus, part 3 (play-part.ts).

import { playPart } from './play-part.ts';

await playPart(3);
