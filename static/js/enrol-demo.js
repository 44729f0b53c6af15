/* A browser that enrolls in the demo is new to its database, which may have been created again. */

import { forgetHeads } from "./heads.js";

forgetHeads();
