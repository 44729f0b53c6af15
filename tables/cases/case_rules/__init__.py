"""The kinds of cases, one module each, with the rule that finds their subjects."""
