"""Kits that both apps draw with: tables of columns, files, paper and plots. Each is the only one of its kind."""
