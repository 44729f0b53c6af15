"""Pages, endpoints of acts, and sockets."""
