"""The rules office: what a compliance department files, has decided, publishes and keeps."""
