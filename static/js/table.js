/* The page of one table, for those who watch it. */

import "./live.js";
import "./clocks.js";
import "./alerts.js";
import { watchAlerts } from "./alert-sounds.js";
import { EarlierRounds } from "./earlier-rounds.js";
import "./limits.js";
import "./closing.js";
import "./incidents.js";
import "./live-summaries.js";
import "./relieve.js";
import "./rated-seats.js";
import { QuickTaps } from "./quick-taps.js";

QuickTaps.watch(document, { fingersOnly: true });

watchAlerts(() => [...document.querySelectorAll(".alerts-here .alert")]);
EarlierRounds.watch(document.getElementById("earlier"));
