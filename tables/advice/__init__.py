"""What to change on the floor in the next hour: proposals with their figures and assumptions; nothing acts on them."""
