"""The rotation board: who deals where, who takes which post next, and the dealers' own figures."""
