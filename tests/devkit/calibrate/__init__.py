"""How well the fast decisions judge: every question on the labelled set, by precision and recall at each threshold.

``python3 run.py calibrate`` asks the gateway of MAINLINE_BASE_URL and MAINLINE_AI_KEY. Without one it reports how the
word lists do, checks that the report can be made, and says that the thresholds are uncalibrated.
"""
