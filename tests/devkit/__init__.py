"""The dev kit: the whole system on one laptop. It never ships."""
