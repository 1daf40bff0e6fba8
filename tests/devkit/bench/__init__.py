"""Proof by numbers: the real system measured on this machine, beside others doing the same work in the same run."""
