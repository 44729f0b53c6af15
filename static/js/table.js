/* One table, watched. */

import "./live.js";
import "./clocks.js";
import "./alerts.js";
import "./limits.js";
import "./incidents.js";
