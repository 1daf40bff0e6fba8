"""Proof by chaos: seeded random schedules of people, crashes, repeats and outages against the real system.

Whatever happens to the machines, each message must be answered exactly once, in order, and what a client was shown
must be what the transcript holds. ``python3 run.py soak --schedules 200`` runs many; a seed names a schedule.
"""
