"""The desk's acts, one file for each noun; importing this registers all of them."""
