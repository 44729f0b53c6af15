"""The shift handover: what the record holds open, who takes it over, and the signatures of both sides."""
