/* The page of one table, for those who watch it. */

import "./live.js";
import "./clocks.js";
import "./alerts.js";
import "./limits.js";
import "./incidents.js";
