"""How an act is executed: at a table, for a facility, by the system; halts and signatures."""
