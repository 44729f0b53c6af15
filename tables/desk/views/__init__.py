"""The desk's pages, one file for each tab."""
