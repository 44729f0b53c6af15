/* The signs of one table on a display: it hears the table's socket and shows what it says. */

import "./live.js";
