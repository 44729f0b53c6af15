/* The signs of one table on a display: a live screen that nobody acts on. */

import "./live.js";
