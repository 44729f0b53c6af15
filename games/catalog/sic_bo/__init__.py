"""Sic Bo: 58 Pa. Code chs. 539 and 625a, N.J.A.C. 19:47-9."""
