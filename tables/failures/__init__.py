"""Failed devices, shakers and layouts: manual settlement and repair."""
