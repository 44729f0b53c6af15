"""Every module of the floor and the desk that registers something when it is imported.

An act, an entry type, a line of the record, an alert, a kind of case, a check and what states a column are registered
by the module that declares them. `TablesConfig.ready` imports this module, and `tests/test_structure.py` fails if one
is missing here.
"""

# ruff: noqa: F401

import tables.alerts.calls
import tables.api.people
import tables.cases.bookmarks
import tables.cases.case
import tables.cases.kinds
import tables.cases.outcomes
import tables.cases.reports
import tables.core.posts
import tables.corrections.before_money
import tables.corrections.filing
import tables.corrections.raises
import tables.corrections.reviews
import tables.corrections.slip_page
import tables.corrections.slips
import tables.desk.entries
import tables.desk.exports
import tables.desk.retention
import tables.desk.round_pdf
import tables.desk.search_page
import tables.desk.sheets
import tables.dice.at_tables
import tables.dice.custody
import tables.dice.readings
import tables.dice.room
import tables.dice_watch
import tables.equipment.approvals
import tables.equipment.signs
import tables.failures
import tables.figures.declared_reports
import tables.figures.rollup
import tables.handover.handover
import tables.limits
import tables.machines
import tables.money.chips
import tables.money.drops
import tables.money.inventories
import tables.money.record_checks
import tables.money.transfers
import tables.money.tray
import tables.opening.opening
import tables.players.ratings
import tables.players.record_checks
import tables.players.register
import tables.replay.play_tables
import tables.rotation.plans
import tables.rounds.course
import tables.rounds.no_rolls
import tables.rounds.play
import tables.rounds.returns
import tables.rounds.settlement
import tables.rounds.wagers
import tables.rules
import tables.runner.halts
import tables.setup.clients
import tables.setup.devices
import tables.setup.floor_plan
import tables.sign_displays
import tables.signing
import tables.staffing.access
import tables.staffing.access_review
import tables.staffing.assignments
import tables.staffing.dealers
import tables.staffing.employment
import tables.staffing.leaves
import tables.staffing.lockouts
import tables.staffing.supervision
import tables.ticker
import tables.webhooks
import tables.words.entries
