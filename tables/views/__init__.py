"""Pages, and the one endpoint of acts."""
