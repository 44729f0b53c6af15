"""Posts, assignments, training, and the span of floorpersons."""
