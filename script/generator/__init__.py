"""The load generator of `script/bench`: tablets and screens over raw connections, in a process of its own."""
