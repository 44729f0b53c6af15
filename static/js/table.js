/* The page of one table, for those who watch it. */

import "./live.js";
import "./clocks.js";
import "./alerts.js";
import { watchAlerts } from "./alert-sounds.js";
import { EarlierRounds } from "./earlier-rounds.js";
import "./limits.js";
import "./incidents.js";
import "./tray-summary.js";
import "./rated-seats.js";

watchAlerts(() => [...document.querySelectorAll(".alerts-here .alert")]);
new EarlierRounds(document.getElementById("earlier"));
